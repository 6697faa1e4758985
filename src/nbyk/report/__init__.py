"""Tables, figures and the report: what people read."""
