"""What would settle an undecided comparison."""
