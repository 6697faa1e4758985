"""Records of the origin of each file, and the journal of the files that a command reads and writes."""
