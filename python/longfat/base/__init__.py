"""Errors, files, units, numbers in words, HTML and SQL of users, for all other packages."""
