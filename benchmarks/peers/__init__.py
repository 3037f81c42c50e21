"""The same networks in other simulators."""
