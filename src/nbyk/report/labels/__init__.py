"""Designs of label predictions: the answer, its figures, and BooStSa's layout."""
