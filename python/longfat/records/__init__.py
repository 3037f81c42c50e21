"""What one run yields: its record, metrics, completion times, and tables of them."""
