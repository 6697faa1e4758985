"""The case study of Ulmer et al. 2022: deep Q-learning on the cart pole, its training and its rewards."""
