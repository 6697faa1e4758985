"""p-values and their Monte-Carlo error, and the tests that draw them."""
