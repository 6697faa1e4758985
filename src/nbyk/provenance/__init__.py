"""Records of what made a file, and the journal of what a command reads and writes."""
