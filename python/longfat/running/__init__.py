"""Execution of runs: one or a batch, their limits, and the runs of a study or a search."""
