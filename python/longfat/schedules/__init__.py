"""Conversion of measurements to schedules of a path, and of schedules to Mahimahi traces."""
