"""Results of many runs: read from the store, compared with references, tested for precision."""
