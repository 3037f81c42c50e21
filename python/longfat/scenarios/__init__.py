"""Scenarios: a network, its traffic, a duration and a seed, as written and as resolved."""
