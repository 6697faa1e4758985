"""Comparing two systems on a user's own data: test, intervals, where the variance comes from, and all metrics at once."""
