"""Programs that send and receive, to measure a network from outside: nothing here knows longfat.

python benchmarks/traffic.py sink | echo | count SECONDS
python benchmarks/traffic.py source CONTROL SECONDS HOST
python benchmarks/traffic.py ping SECONDS HOST        # prints round trips in seconds, as JSON
python benchmarks/traffic.py send RATE_BPS BYTES SECONDS HOST [BURST]
"""

import json
import socket
import struct
import sys
import time
from collections.abc import Callable

PORT = 5201

WAITS_SECONDS = 12
"""Time after the last datagram for what waits to arrive, and to be counted."""

SO_RCVBUFFORCE = 33
"""A receive buffer beyond the machine's limit, of Linux's socket.h."""


def sink() -> None:
    """Take the data of one TCP connection."""
    with socket.create_server(("", PORT)) as server:
        connection, _ = server.accept()
        while connection.recv(1 << 16):
            pass


def source(control: str, seconds: str, host: str) -> None:
    """Send over TCP, with a congestion control of the kernel, for some seconds."""
    with socket.socket() as connection:
        name = control.encode()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
        connection.connect((host, PORT))
        end, data = time.monotonic() + float(seconds), bytes(1 << 16)
        while time.monotonic() < end:
            connection.sendall(data)


def echo() -> None:
    """Send each datagram back."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("", PORT))
        while True:
            data, address = server.recvfrom(2000)
            server.sendto(data, address)


def ping(seconds: str, host: str) -> None:
    """Measure fifty round trips a second, and print them."""
    trips = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(2)
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            sent = time.monotonic()
            client.sendto(struct.pack("d", sent).ljust(64), (host, PORT))
            client.recv(2000)
            trips.append(time.monotonic() - sent)
            time.sleep(0.02)
    print(json.dumps(trips))


def count(seconds: str, result: str) -> None:
    """Count datagrams and their times until none comes for some seconds; write them as JSON."""
    times, size = [], 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        server.bind(("", PORT))
        server.settimeout(None)
        while True:
            try:
                data = server.recv(1 << 16)
            except TimeoutError:
                break
            if len(data) > 1:
                times.append(time.monotonic())
                size += len(data)
            server.settimeout(float(seconds))
    with open(result, "w") as file:  # noqa: PTH123
        json.dump({"times": times, "bytes": size}, file)
    time.sleep(3600)


def send(rate_bps: str, size: str, seconds: str, host: str, burst: str = "1") -> None:
    """Send datagrams of a size, `burst` at a time, at a rate of their data; print their number."""
    sent, data, each = 0, bytes(int(size)), int(burst)
    pause = 8 * len(data) * each / float(rate_bps)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((host, PORT))
        start = time.monotonic()
        while (due := start + sent // each * pause) < start + float(seconds):
            if (left := due - time.monotonic()) > 0:
                time.sleep(left)
            for _ in range(each):
                client.send(data)
            sent += each
    print(json.dumps(sent))
    time.sleep(WAITS_SECONDS)


PROGRAMS: dict[str, Callable[..., None]] = {
    "sink": sink,
    "source": source,
    "echo": echo,
    "ping": ping,
    "count": count,
    "send": send,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
