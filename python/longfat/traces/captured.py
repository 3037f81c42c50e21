"""TCP connections in a capture of `longfat emulate --pcap`, as their headers tell of them.

What a sender has decided is in no header: there is no window, no threshold and no timer. A
retransmission is a segment whose first byte was sent before; a round trip is that of data sent once
(Karn's rule), from the interface of the sender to its acknowledgment there.
"""

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from longfat.base.errors import InvalidInput
from longfat.base.files import read_bytes
from longfat.base.units import PICOSECONDS_PER_SECOND

MOST_BYTES = 2**27
"""Largest capture that is read: a million packets, which take a gigabyte of memory as rows."""

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
"""Types of the blocks of a pcapng file (draft-ietf-opsawg-pcapng)."""

_BYTE_ORDER = 0x1A2B3C4D
_RAW_IP = 101
_RESOLUTION, _FLAGS = 9, 2
"""Options of an interface and of a packet."""

_INBOUND, _OUTBOUND = 1, 2
_PROTOCOL_TCP = 6
_SYN, _ACK = 2, 16
_OPTION_SACK = 5

SYNCHRONIZE = "synchronize"
"""Trace of the SYN and the answer to it, beside those of `longfat run`."""

Address = tuple[bytes, int]


class Row(NamedTuple):
    """Row of a trace: its time, the name of the trace, and the other columns."""

    time_ps: int
    trace: str
    fields: dict[str, Any]


class _Header(NamedTuple):
    """A TCP segment with its addresses."""

    source: Address
    target: Address
    sequence: int
    acknowledgment: int | None
    opens: bool
    length: int
    blocks: list[tuple[int, int]]


@dataclass
class Captured:
    """Data of a connection in one direction, at the interface of their sender."""

    source: Address
    target: Address
    sent_bytes: int = 0
    rows: list[Row] = field(default_factory=list)
    _opening: int | None = None
    _acknowledged: int = 0
    _in_flight: deque[list[int]] = field(default_factory=deque)
    """End, time of the first transmission, and 1 if sent again, of what was sent in order."""

    @property
    def name(self) -> str:
        """Both ends, as in the record of the run."""
        return f"{_text(self.source)} -> {_text(self.target)}"

    def send(self, time_ps: int, segment: _Header) -> None:
        """Note a segment that the sender has sent."""
        if segment.opens:
            self._opening = segment.sequence
            self._add(time_ps, SYNCHRONIZE, is_answer=False)
        if not segment.length:
            return
        if self._opening is None:
            self._opening = (segment.sequence - 1) % 2**32
        begin = self._place(segment.sequence + segment.opens, self.sent_bytes)
        end = begin + segment.length
        is_again = begin < self.sent_bytes
        self._add(
            time_ps, "segments", sequence=begin, length_bytes=segment.length, is_again=is_again
        )
        if is_again:
            for data in self._in_flight:
                if begin < data[0] <= end:
                    data[2] = 1
        if end > self.sent_bytes:
            self.sent_bytes = end
            self._in_flight.append([end, time_ps, int(is_again)])
            self._add_flight(time_ps)

    def hear(self, time_ps: int, segment: _Header) -> None:
        """Note a segment that has reached the sender."""
        if segment.opens:
            self._add(time_ps, SYNCHRONIZE, is_answer=True)
        if segment.acknowledgment is None or self._opening is None:
            return
        # A FIN has a number of its own, behind the data.
        following = min(self._place(segment.acknowledgment, self._acknowledged), self.sent_bytes)
        for first, behind in segment.blocks:
            edges = self._place(first, self._acknowledged), self._place(behind, self._acknowledged)
            self._add(time_ps, "selective-acknowledgments", **{"from": edges[0], "to": edges[1]})
        if self.sent_bytes:
            self._add(time_ps, "acknowledgments", next=following)
        if following <= self._acknowledged:
            return
        self._acknowledged = following
        latest = None
        while self._in_flight and self._in_flight[0][0] <= following:
            latest = self._in_flight.popleft()
        if latest is not None and not latest[2]:
            self._add(time_ps, "rtt", rtt_s=(time_ps - latest[1]) / PICOSECONDS_PER_SECOND)
        self._add_flight(time_ps)

    def _add(self, time_ps: int, trace: str, **fields: Any) -> None:
        self.rows.append(Row(time_ps, trace, fields))

    def _add_flight(self, time_ps: int) -> None:
        self._add(time_ps, "flight", flight_bytes=self.sent_bytes - self._acknowledged)

    def _place(self, number: int, near: int) -> int:
        """Return the place in the data that a sequence number has, the one closest to `near`."""
        offset = (number - (self._opening or 0) - 1 - near + 2**31) % 2**32 - 2**31
        return max(0, near + offset)


def read_capture(file: Path) -> list[Captured]:
    """Return the directions of TCP connections that carried data, by the number of bytes.

    Raises `InvalidInput` for a file that is no whole capture of longfat's, and `LongfatError` for
    one that cannot be read.
    """
    text = read_bytes(file, MOST_BYTES)
    found: dict[tuple[Address, Address], Captured] = {}
    try:
        for time_ps, is_sent, headers in _packets(text):
            segment = _read(headers)
            if segment is None:
                continue
            ends = segment.source, segment.target
            if is_sent:
                found.setdefault(ends, Captured(*ends)).send(time_ps, segment)
            elif ends[::-1] in found:
                found[ends[::-1]].hear(time_ps, segment)
    except (ValueError, LookupError, struct.error) as error:
        cut_off = isinstance(error, (LookupError, struct.error))
        reason = "it ends within a block, or a block is damaged" if cut_off else error
        raise InvalidInput(
            [f"{file}: no capture of longfat emulate --pcap, which is pcapng: {reason}"]
        ) from error
    carried = [each for each in found.values() if each.sent_bytes]
    return sorted(carried, key=lambda each: each.sent_bytes, reverse=True)


def _packets(text: bytes) -> Iterator[tuple[int, bool, bytes]]:
    """Yield time, direction and headers of each packet. Raises `ValueError` for other files."""
    resolutions: list[int] = []
    place = 0
    while place < len(text):
        kind, length = struct.unpack_from("<II", text, place)
        body = text[place + 8 : place + length - 4]
        if length < 12 or length % 4 or place + length > len(text):
            raise ValueError(f"the block at byte {place} has no whole {length} bytes")
        place += length
        if kind == _SECTION:
            if struct.unpack_from("<I", body)[0] != _BYTE_ORDER:
                raise ValueError("numbers are big-endian")
            resolutions = []
        elif kind == _INTERFACE:
            (link,) = struct.unpack_from("<H", body)
            if link != _RAW_IP:
                raise ValueError(f"packets are of link type {link}, and {_RAW_IP} is expected (IP)")
            resolutions.append(_options(body[8:]).get(_RESOLUTION, b"\x06")[0])
        elif kind == _PACKET:
            interface, high, low, size, _ = struct.unpack_from("<IIIII", body)
            if interface >= len(resolutions) or size > len(body) - 20:
                raise ValueError(f"the packet before byte {place} has no interface, or is cut off")
            (flags,) = struct.unpack("<I", _options(body[20 + (size + 3) // 4 * 4 :])[_FLAGS])
            digits = 12 - resolutions[interface]
            if not 0 <= digits <= 12 or flags & 3 not in (_INBOUND, _OUTBOUND):
                raise ValueError(f"the packet before byte {place} has no direction or no time")
            time_ps = (high << 32 | low) * 10**digits
            yield time_ps, flags & 3 == _OUTBOUND, body[20 : 20 + size]
        elif not resolutions:
            raise ValueError("it begins with another block than that of a section")


def _options(text: bytes) -> dict[int, bytes]:
    found = {_FLAGS: bytes(4)}
    place = 0
    while place + 4 <= len(text):
        code, size = struct.unpack_from("<HH", text, place)
        if code == 0:
            break
        found[code] = text[place + 4 : place + 4 + size]
        place += 4 + (size + 3) // 4 * 4
    return found


def _read(packet: bytes) -> _Header | None:
    """Return the TCP segment of an IP packet, of which only headers may be there."""
    if not packet:
        return None
    if packet[0] >> 4 == 4:
        header = 4 * (packet[0] & 15)
        (length,) = struct.unpack_from(">H", packet, 2)
        protocol, places = packet[9], (12, 16, 4)
    elif packet[0] >> 4 == 6:
        header = 40
        length = header + struct.unpack_from(">H", packet, 4)[0]
        protocol, places = packet[6], (8, 24, 16)
    else:
        return None
    if protocol != _PROTOCOL_TCP or len(packet) < header + 20:
        return None
    ports = struct.unpack_from(">HH", packet, header)
    sequence, acknowledgment = struct.unpack_from(">II", packet, header + 4)
    data, flags = header + 4 * (packet[header + 12] >> 4), packet[header + 13]
    source, target = (
        (packet[place : place + places[2]], port)
        for place, port in zip(places, ports, strict=False)
    )
    return _Header(
        source,
        target,
        sequence,
        acknowledgment if flags & _ACK else None,
        bool(flags & _SYN),
        max(0, length - data),
        list(_blocks(packet[header + 20 : data])),
    )


def _blocks(options: bytes) -> Iterator[tuple[int, int]]:
    """Yield the edges in selective acknowledgments (RFC 2018)."""
    place = 0
    while place < len(options) and options[place] != 0:
        if options[place] == 1:
            place += 1
            continue
        size = options[place + 1] if place + 1 < len(options) else 0
        if size < 2:
            return
        if options[place] == _OPTION_SACK:
            for block in range(place + 2, min(place + size, len(options)) - 7, 8):
                first, behind = struct.unpack_from(">II", options, block)
                yield first, behind
        place += size


def _text(address: Address) -> str:
    ip = ip_address(address[0])
    return f"{f'[{ip}]' if ip.version == 6 else ip}:{address[1]}"
