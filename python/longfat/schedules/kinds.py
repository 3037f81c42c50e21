"""Kinds of files that no importer reads, and are often given to one."""

from longfat.schedules.sample import Sample
from longfat.schedules.table import is_table

_BEGINNINGS = {
    b"\xd4\xc3\xb2\xa1": "a packet capture",
    b"\xa1\xb2\xc3\xd4": "a packet capture",
    b"\x4d\x3c\xb2\xa1": "a packet capture",
    b"\x0a\x0d\x0d\x0a": "a packet capture (pcapng)",
    b"\x28\xb5\x2f\xfd": "a file compressed with zstd; unpack it first",
    b"\xfd7zXZ": "a file compressed with xz; unpack it first",
    b"BZh": "a file compressed with bzip2; unpack it first",
    b"PK\x03\x04": "a ZIP archive, or a spreadsheet",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
}

_ZERO = b"\0"


def kind_of(sample: Sample) -> str | None:
    """Return what a file looks like, or None."""
    for beginning, kind in _BEGINNINGS.items():
        if sample.content.startswith(beginning):
            return kind
    if not sample.head:
        return "an empty file"
    if _ZERO in sample.text[:4096].encode():
        return "a binary file"
    return _kind_of_text(sample)


def _kind_of_text(sample: Sample) -> str | None:
    first = sample.head[0]
    if is_table(sample):
        return "a schedule already, as path.steps and `longfat schedule join` read it"
    if first.lower().startswith(("<!doctype", "<html")):
        return "a web page"
    if any(line.startswith("schema_version") for line in sample.head[:50]):
        return "a scenario or a study of longfat"
    if any("- - -" in line or "Bitrate" in line for line in sample.head[:50]):
        return "the text of iperf3; run it with --json"
    if first.startswith("traceroute to "):
        return "the output of traceroute"
    if sample.is_json:
        return "JSON of another program"
    return None
