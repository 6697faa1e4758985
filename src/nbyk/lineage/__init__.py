"""The origin of files: records written as a command ends, and the chain from a file to its sources."""
