"""Two-stage priors: families of distributions, published priors, fits to data and how good they are."""
