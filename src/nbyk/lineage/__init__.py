"""What made a file: records as a command ends, and the chain from a file to its sources."""
