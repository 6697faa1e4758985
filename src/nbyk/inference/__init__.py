"""p-values, their Monte-Carlo error, and the tests built on them."""
