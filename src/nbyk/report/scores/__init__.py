"""The report of a comparison of systems by their plain scores: sentences, tables and figures."""
