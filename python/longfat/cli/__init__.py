"""The command line: `longfat` starts in `start`, its verbs are in `program`, a file for each."""
