"""Functions of numbers: intervals, bootstrap, steady states, histograms, harm, bisection."""
