"""Raters whom items share: p-values with and without the raters' ids."""
