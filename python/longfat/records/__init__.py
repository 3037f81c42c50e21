"""The results of one run: its record, metrics, completion times, and tables of them."""
