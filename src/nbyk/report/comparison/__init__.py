"""Comparisons of a user's own systems: tables and figures."""
