"""Raters whom items share: p-values with and without who rated what."""
