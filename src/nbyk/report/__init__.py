"""Tables, figures and the report, for people to read."""
