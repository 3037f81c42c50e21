"""Times that stand before the lines of a log: as `ping -D`, `ts`, `date` and others write them."""

import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,12})?", re.ASCII)
_ZONE = re.compile(r" (?:[A-Z]{2,5}|[+-]\d\d) (?=\d{4}$)", re.ASCII)

_FORMATS = (
    "%b %d %H:%M:%S",  # ts, syslog
    "%H:%M:%S",  # ts -s, ping --apple-time
    "%a %b %d %H:%M:%S %Y",  # date
    "%d %b %Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %I:%M:%S %p",
)
"""Formats beside seconds since any moment and ISO 8601, each also with a fraction of a second."""

_DAY_S = 86_400

_UNITS = ((17, 1e9), (14, 1e6), (12, 1e3))
"""Digits from which on a whole number counts nanoseconds, microseconds or milliseconds."""


def moment_s(words: str) -> float | None:
    """Return the time that stands before a line in s since any moment, or None if it is none."""
    text = words.strip().strip("[](){}|;>-").strip().rstrip(":,").strip().rstrip("])")
    if not text or len(text) > 40:
        return None
    if _NUMBER.fullmatch(text):
        per_second = next((unit for digits, unit in _UNITS if len(text) > digits), 1.0)
        return float(text) / (1.0 if "." in text else per_second)
    try:
        return _in_utc(datetime.fromisoformat(text))
    except ValueError:
        return _of_formats(_ZONE.sub(" ", text))


def _of_formats(text: str) -> float | None:
    whole, _, fraction = text.partition(".")
    digits = re.match(r"\d{1,12}", fraction, re.ASCII)
    rest = fraction[digits.end() :] if digits else ""
    for form in _FORMATS:
        # A leap year, so that a day without a year may be any.
        year, of_year = ("", "") if "%Y" in form else ("2000 ", "%Y ")
        try:
            moment = datetime.strptime(f"{year}{whole}{rest}", of_year + form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return moment.timestamp() + (float(f"0.{digits[0]}") if digits else 0.0)
    return None


def _in_utc(moment: datetime) -> float | None:
    """Return seconds since 1970; a time without a zone counts as UTC."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None


def across_midnight(moments: list[float]) -> list[float]:
    """Return times of which a clock without a date began anew at midnight, ascending."""
    days, before, found = 0, None, []
    for moment in moments:
        if before is not None and moment < before - _DAY_S / 2:
            days += 1
        before = moment
        found.append(moment + days * _DAY_S)
    return found
