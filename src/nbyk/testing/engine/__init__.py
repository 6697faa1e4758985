"""Draws of systems on the same items: which items are swapped or drawn, and how a metric scores them."""
