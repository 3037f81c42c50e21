"""Studies: what their files say, the runs that they ask for, and those of their audits."""
