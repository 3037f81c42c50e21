"""Comparison with other simulators on equal networks."""
