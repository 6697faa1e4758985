"""How many items and ratings it takes: the planner behind `nbyk plan`."""
