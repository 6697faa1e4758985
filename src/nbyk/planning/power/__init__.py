"""The power of tests, by simulated test sets and early-stopped decisions on each."""
