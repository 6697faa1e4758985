"""Comparing two systems on a user's own data: test, intervals, sources of variance."""
