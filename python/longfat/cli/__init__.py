"""The command line: entry point in `start`, root command in `program`, a file for each verb."""
