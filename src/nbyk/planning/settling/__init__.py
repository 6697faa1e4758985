"""The data that would settle an undecided comparison."""
