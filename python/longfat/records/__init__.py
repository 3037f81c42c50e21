"""Records of single runs: metrics, completion times, and tables of them."""
