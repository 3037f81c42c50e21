"""Statistics: intervals, bootstrap, steady states, histograms, harm, bisection."""
