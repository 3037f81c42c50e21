"""Errors, files, units, numbers in words and SQL of users: what every other package may use."""
