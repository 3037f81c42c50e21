"""How late a bare loop is on this machine: what no program with its priority can be better than.

    python benchmarks/floor.py PRIORITY SECONDS

Sleeps until shortly before the next of many times, polls the clock then, and prints how late it has
found each time to be over: median, 99th percentile and maximum in seconds, as JSON. Nothing here
knows longfat. Its loop sleeps a part of the time as longfat's does, since Linux stops others.
"""

import ctypes
import gc
import json
import os
import sys
import time

EVERY_SECONDS = 240e-6
"""Two packets of 1,500 bytes on a line of 100 Mbit/s."""

SPIN_SECONDS = 60e-6
"""Time of polling before each, the default of `longfat emulate --spin`."""

_PR_SET_TIMERSLACK = 29


def lateness(seconds: float) -> list[float]:
    """Return how late each time was, in order of size."""
    clock, sleep = time.perf_counter, time.sleep
    late = []
    due = clock()
    end = due + seconds
    while (due := due + EVERY_SECONDS) < end:
        left = due - clock() - SPIN_SECONDS
        if left > 0:
            sleep(left)
        while (now := clock()) < due:
            pass
        late.append(now - due)
    return sorted(late)


def main() -> None:
    """Measure with a priority, and print."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(int(sys.argv[1])))
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)
    gc.disable()
    late = lateness(float(sys.argv[2]))
    places = {"p50_s": 0.5, "p99_s": 0.99, "max_s": 1.0}
    print(json.dumps({name: late[int(share * (len(late) - 1))] for name, share in places.items()}))


if __name__ == "__main__":
    main()
