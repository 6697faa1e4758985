"""The report on every data set at hand: its ratings, the prior fitted to them, and p-values."""
