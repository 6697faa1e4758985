"""The papers' studies: their cells, their semantics and their published numbers, one module per paper."""
