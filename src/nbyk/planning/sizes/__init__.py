"""Expected p-values over many sizes (N, K) from the same simulated test sets."""
