"""Formatting of numbers for tables and messages; None becomes a dash."""

LARGE, LARGER = 10, 100
"""From these values on, numbers are formatted with one decimal, and with none."""


def formatted(value: float | None, decimals: int = 2) -> str:
    """Format a number with `decimals` decimals, or fewer if it is at least `LARGE`."""
    if value is None:
        return "-"
    if abs(value) >= LARGE:
        decimals = 0 if abs(value) >= LARGER else 1
    return f"{value:,.{decimals}f}"


def counted(number: int, what: str) -> str:
    """Format a count with its noun: "1 claim", "2 claims"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def decimals_of(metric: str) -> int:
    """Return the number of decimals of a metric: 3 for seconds, 4 for ratios, otherwise 2.

    Queueing delays are milliseconds, and losses or marks may be one in some thousand.
    """
    if metric.endswith("_ratio"):
        return 4
    return 3 if metric.endswith("_s") else 2


def formatted_share(value: float | None) -> str:
    """Format a share as a percentage."""
    return "-" if value is None else f"{value:.0%}"


def percentage(share: float) -> str:
    """Format a share in percent with 12 significant digits, such as 99.99, without "%"."""
    return f"{100 * share:.12g}"


def formatted_range(minimum: float | None, maximum: float | None, decimals: int = 2) -> str:
    """Format a range of numbers."""
    if minimum is None or maximum is None:
        return "-"
    return f"{formatted(minimum, decimals)} - {formatted(maximum, decimals)}"


def formatted_interval(limits: tuple[float, float] | tuple[None, None], decimals: int = 2) -> str:
    """Format an interval as "(low, high)"; its limits may be negative."""
    low, high = limits
    if low is None or high is None:
        return "-"
    return f"({formatted(low, decimals)}, {formatted(high, decimals)})"


def formatted_seconds(seconds: float) -> str:
    """Format a duration in seconds as s, min or h, whichever suits its length."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"


def significant(value: float, digits: int) -> str:
    """Format a number with `digits` significant digits, but never rounded above the point."""
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
