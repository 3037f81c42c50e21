"""Jain's analysis of variance of crossed experiments: rows of observations in, effects out.

R. Jain: The Art of Computer Systems Performance Analysis (Wiley, 1991), chapters 17, 18 and 20 to
23, as ATM Forum 98-0876R1, section 8.1, applies it. Nothing here simulates or prints.
"""
