"""What the rules of the workflow look up: the plan of a run, and what each job asks for."""

from nbyk.workflow.plan import Plan, prepare_jobs, repeated
from nbyk.workflow.resources import memory, minutes

__all__ = ["Plan", "memory", "minutes", "prepare_jobs", "repeated"]
