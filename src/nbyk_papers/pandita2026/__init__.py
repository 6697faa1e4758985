"""Pandita et al. 2026, Forest vs Tree: many items or many ratings an item, where responses are categories."""
