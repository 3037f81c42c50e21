"""Results of many runs: read from the store, compared with references, enough or not."""
