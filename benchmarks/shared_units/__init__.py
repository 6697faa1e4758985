"""The study of tests for raters, runs and clusters that items share: worlds, methods, rates."""
