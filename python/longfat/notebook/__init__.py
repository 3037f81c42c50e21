"""Interface for notebooks: runs, studies and analyses as objects with an HTML representation.

A thin layer on the modules that the command line uses.
"""
