"""Lookups for the rules of the workflow: the plan of a run, and the memory and time of each job."""

from nbyk.workflow.plan import RunPlan, memory, minutes, prepare_jobs, repeated, show_stages

__all__ = ["RunPlan", "memory", "minutes", "prepare_jobs", "repeated", "show_stages"]
