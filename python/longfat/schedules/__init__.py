"""Measurements of others as schedules of a path, and schedules as traces of Mahimahi."""
