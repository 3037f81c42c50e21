"""A program that sends over one TCP connection and says what its kernel says of it.

    python -m longfat.emulation.transfer receive PORT
    python -m longfat.emulation.transfer send HOST PORT CONTROL SECONDS FILE

The sender has data at any time. FILE gets a row for each change of window, threshold or bytes
acknowledged (`tcp_info`), with the time since `connect` was called. Both have the buffers and
the interfaces of the recordings of Linux, where a segment is a packet, and what an earlier
connection has learnt of the path is not used.
"""

import contextlib
import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from longfat.emulation import kernel
from longfat.emulation.host import INTERFACE

PRIORITY = 40
"""Real-time priority where it is allowed, below that of the run: a recorded guest waits for
nobody."""

SAMPLE_SECONDS = 0.002
"""Time between two looks at the connection."""

CHUNK_BYTES = 1 << 16

SETTINGS = {
    "tcp_no_metrics_save": "1",
    "tcp_no_ssthresh_metrics_save": "1",
    "tcp_rmem": "4096 67108864 134217728",
    "tcp_wmem": "4096 65536 134217728",
}
"""Of the namespace, as the recordings have them."""

_COUNTERS = struct.Struct("@8x24I3Q")
"""Beginning of `struct tcp_info` (include/uapi/linux/tcp.h), behind the states and flags."""

_MSS, _THRESHOLD, _WINDOW, _ACKNOWLEDGED = 2, 17, 18, 26
_NO_THRESHOLD = 0x7FFFFFFF


def main() -> None:
    """Do what the arguments say."""
    for name, value in SETTINGS.items():
        (Path("/proc/sys/net/ipv4") / name).write_text(value)
    kernel.set_most_segments(INTERFACE, 1)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    verb, *arguments = sys.argv[1:]
    if verb == "receive":
        _receive(int(arguments[0]))
    else:
        host, port, control, seconds, file = arguments
        _send((host, int(port)), control, float(seconds), Path(file))


def _receive(port: int) -> None:
    listener = socket.create_server(("", port))
    connection, _ = listener.accept()
    buffer = bytearray(1 << 18)
    with contextlib.suppress(ConnectionResetError):
        while connection.recv_into(buffer):
            pass


def _send(address: tuple[str, int], control: str, seconds: float, file: Path) -> None:
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    # Ends at once, without what still waits to be sent.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    begun = time.monotonic()
    connection.connect(address)
    threading.Thread(target=_keep_sending, args=(connection,), daemon=True).start()
    rows: list[list[float | None]] = []
    segment_bytes = 0
    while (now := time.monotonic() - begun) < seconds:
        info = _COUNTERS.unpack_from(
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _COUNTERS.size)
        )
        segment_bytes = info[_MSS]
        threshold = info[_THRESHOLD] if info[_THRESHOLD] < _NO_THRESHOLD else None
        seen = [info[_WINDOW], threshold, info[_ACKNOWLEDGED]]
        if not rows or rows[-1][1:] != seen:
            rows.append([now, *seen])
        time.sleep(SAMPLE_SECONDS)
    file.write_text(json.dumps({"segment_bytes": segment_bytes, "rows": rows}))
    os._exit(0)  # the other thread waits for room in the buffer


def _keep_sending(connection: socket.socket) -> None:
    data = bytes(CHUNK_BYTES)
    while True:
        connection.sendall(data)


if __name__ == "__main__":
    main()
