"""How often each test rejects: Type-I error and power over simulated test sets."""
