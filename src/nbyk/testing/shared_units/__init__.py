"""Units that items share: raters, runs and clusters; what a claim about new ones takes."""
