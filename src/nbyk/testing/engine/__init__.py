"""Draws of systems on the same items: the swapped or drawn items, and a metric's scores on them."""
