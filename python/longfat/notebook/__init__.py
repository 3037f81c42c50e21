"""What notebooks use: runs, studies and analyses as objects that show themselves.

Everything here is a thin face of the modules that the command line uses too.
"""
