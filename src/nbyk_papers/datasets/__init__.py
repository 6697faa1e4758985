"""The report on every available data set: its ratings, the prior fitted to them, and p-values."""
