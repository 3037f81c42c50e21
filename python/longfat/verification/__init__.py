"""Comparison of the models with recordings of other implementations."""
