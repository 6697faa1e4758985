"""Few people and a judge: scores on the people's scale, their agreement, and whether one may stand in."""
