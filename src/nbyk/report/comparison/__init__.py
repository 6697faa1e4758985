"""Comparisons of your own systems: tables and figures."""
