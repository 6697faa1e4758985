"""What made a file: a record beside each that a command writes, and the chain back to the sources."""
