"""The published numbers, as data."""
