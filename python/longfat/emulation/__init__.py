"""Runs in real time: programs of this machine over the network of a scenario."""
