"""Tests of two systems' scores, one per run or item: Almost Stochastic Order and the classical ones."""
