"""Runs: one or a batch, what they may use at most, and those that a study or a search needs."""
