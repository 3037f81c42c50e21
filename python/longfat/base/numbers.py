"""Numbers as people read them; a dash where there is none."""

LARGE, LARGER = 10, 100
"""From here on one digit after the point is enough, and none."""


def formatted(value: float | None, decimals: int = 2) -> str:
    """A number with `decimals` digits after the point, or fewer when it is large."""
    if value is None:
        return "-"
    if abs(value) >= LARGE:
        decimals = 0 if abs(value) >= LARGER else 1
    return f"{value:,.{decimals}f}"


def counted(number: int, what: str) -> str:
    """How many there are of what is one or several: "1 claim", "2 claims"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def decimals_of(metric: str) -> int:
    """How many digits a metric takes: seconds have milliseconds, which is what queues are about.

    Ratios are of what is lost or marked, which may be one in some thousand.
    """
    if metric.endswith("_ratio"):
        return 4
    return 3 if metric.endswith("_s") else 2


def formatted_share(value: float | None) -> str:
    """A share as a percentage."""
    return "-" if value is None else f"{value:.0%}"


def percentage(share: float) -> str:
    """A share in percent with the digits that it has, such as 99.99: it never becomes 100."""
    return f"{100 * share:.12g}"


def formatted_range(minimum: float | None, maximum: float | None, decimals: int = 2) -> str:
    """A range of numbers."""
    if minimum is None or maximum is None:
        return "-"
    return f"{formatted(minimum, decimals)} - {formatted(maximum, decimals)}"


def formatted_interval(limits: tuple[float, float] | tuple[None, None], decimals: int = 2) -> str:
    """An interval with limits that may be negative, as analyses print it."""
    low, high = limits
    if low is None or high is None:
        return "-"
    return f"({formatted(low, decimals)}, {formatted(high, decimals)})"


def formatted_seconds(seconds: float) -> str:
    """A duration in the unit that suits it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.0f} h"


def significant(value: float, digits: int) -> str:
    """A number with so many significant digits, but all of those before the point."""
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
