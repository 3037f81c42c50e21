"""Analysis of variance of crossed experiments after Jain, and verdicts on claims.

R. Jain: The Art of Computer Systems Performance Analysis (Wiley, 1991), chapters 17, 18 and 20 to
23, as applied in ATM Forum 98-0876R1, section 8.1. Nothing here simulates or prints.
"""
