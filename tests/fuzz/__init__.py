"""Mutated inputs of every kind, and programs that see what the tool says to them."""
