"""What a run that is watched leaves besides its record: in words and numbers that load nothing."""

DEFAULT_ERROR = 0.005
"""How far a traced value may be from the truth, as a share of its scale."""


def where_traces_are(folder: str, plot: str = "three-panel") -> str:
    """Where a run has left its traces, and how to see them."""
    return f"traces are in {folder}; to see them: longfat plot {plot} {folder} -o run.png"
