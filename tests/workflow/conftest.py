"""The finished run that the tests of the workflow share."""

from tests.workflow.test_workflow import shared

__all__ = ["shared"]
