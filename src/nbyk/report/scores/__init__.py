"""What a comparison of systems by their plain scores looks like: sentences, tables and figures."""
