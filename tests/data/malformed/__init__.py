"""A corpus of malformed input: see `tests.data.malformed.corpus`."""
