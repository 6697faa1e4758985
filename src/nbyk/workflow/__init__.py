"""Lookups for the rules of the workflow: the plan of a run, and the memory and time of each job."""

from nbyk.workflow.jobs import memory, minutes, show_stages
from nbyk.workflow.plan import RunPlan, prepare_jobs, repeated

__all__ = ["RunPlan", "memory", "minutes", "prepare_jobs", "repeated", "show_stages"]
