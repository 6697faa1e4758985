"""The numbers of items and ratings that a comparison needs: the planner behind `nbyk plan`."""
