"""Lookups for the rules of the workflow: the plan of a run, and the memory and time of each job."""

from nbyk.workflow.plan import RunPlan, prepare_jobs, repeated
from nbyk.workflow.resources import memory, minutes

__all__ = ["RunPlan", "memory", "minutes", "prepare_jobs", "repeated"]
