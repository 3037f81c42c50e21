"""Studies: their definition, the runs that they need, and the runs of their audits."""
