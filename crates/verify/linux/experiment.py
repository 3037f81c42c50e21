"""Experiments as the file declares them, and the script by which the guest runs one."""

import hashlib
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path

HERE = Path(__file__).parent
LINE = 100
"""Number of the bottleneck's device, which tells its traced events from those of others."""
FIRST_PORT = 5001


@dataclass(frozen=True)
class Flow:
    """Connections of one sender."""

    control: str
    start_ms: float = 0
    round_trip_ms: float | None = None
    bytes: int = 0
    chunk_bytes: int = 0
    every_ms: float = 0
    ecn: bool = False
    count: int = 1
    spacing_ms: float = 0


@dataclass(frozen=True)
class Step:
    """A change of the network at a time."""

    at_ms: float
    rate_mbit: float | None = None
    round_trip_ms: float | None = None
    loss: str | None = None
    ack_loss: str | None = None


@dataclass(frozen=True)
class Experiment:
    """A network, its flows, and what happens."""

    name: str
    kind: str
    held_out: bool
    rate_mbit: float
    round_trip_ms: float
    buffer_packets: int
    seconds: float
    flows: tuple[Flow, ...]
    kernel: str = "6.12"
    discipline: str = ""
    mtu: int = 1500
    pacing: bool = False
    loss: str = ""
    ack_loss: str = ""
    steps: tuple[Step, ...] = ()
    offsets_ms: tuple[float, ...] = (0,)
    sysctls: dict[str, str] = field(default_factory=dict)

    @property
    def packet_bytes(self) -> int:
        """A full packet with its Ethernet header, as disciplines count it."""
        return self.mtu + 14

    @property
    def connections(self) -> list[tuple[int, Flow]]:
        """Every connection, with the number of its sender from 1."""
        return [
            (sender, connection)
            for sender, flow in enumerate(self.flows, 1)
            for connection in [flow] * flow.count
        ]

    def described(self) -> dict[str, object]:
        """The experiment as a recording's header states it: what is not set is left out."""
        return _without_defaults(self)


def _without_defaults(it: Experiment | Flow | Step) -> dict[str, object]:
    told = {}
    for each in fields(it):
        value = getattr(it, each.name)
        if each.name in {"name", "kind", "held_out", "offsets_ms"} or value in (None, "", (), {}):
            continue
        if each.name not in {"start_ms", "kernel"} and value == each.default:
            continue
        told[each.name] = (
            [_without_defaults(item) for item in value] if isinstance(value, tuple) else value
        )
    return told


def read(path: Path = HERE / "experiments.toml") -> list[Experiment]:
    """Read the experiments; a word that none has is refused by the classes above."""
    experiments = []
    for entry in tomllib.loads(path.read_text())["experiment"]:
        entry["flows"] = tuple(Flow(**flow) for flow in entry["flows"])
        entry["steps"] = tuple(Step(**step) for step in entry.get("steps", []))
        entry["offsets_ms"] = tuple(entry.get("offsets_ms", [0]))
        experiments.append(Experiment(**entry))
    return experiments


def set_aside(name: str) -> bool:
    """Whether an experiment is kept for judging: one in three, by its name alone."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 1


def script(it: Experiment, offset_ms: float) -> str:
    """The guest's commands: the network, what is traced, the flows, the steps.

    `offset_ms` delays the start of the first connection, twice that of the second, and so on.
    """
    lines = ["mkdir -p /out/", *_network(it), *_traced()]
    for number, (_, flow) in enumerate(it.connections):
        control = flow.control if flow.control == "dctcp" else "reno"
        lines.append(
            f"netns D probe receive $T {FIRST_PORT + number} {control} /out/received.{number} &"
        )
    before = 0
    for number, (sender, flow) in enumerate(it.connections):
        before = before + 1 if number and it.connections[number - 1][0] == sender else 0
        start = (flow.start_ms + before * flow.spacing_ms + offset_ms * (number + 1)) / 1000
        period = 0.1 if flow.count == 1 else 0
        lines.append(
            f"netns S{sender} probe send $T {start:.6f} {it.seconds} 10.8.0.2 {FIRST_PORT + number}"
            f" {flow.control} {flow.bytes} {flow.chunk_bytes} {flow.every_ms / 1000} {period}"
            f" /out/sent.{number} &"
        )
    lines += [
        f"netns R1 probe queue $T {it.seconds} {max(0.05, it.seconds / 600)} line /out/queue &",
        "probe wait $T -1; grep '^cpu ' /proc/stat >/out/busy",
    ]
    lines += _steps(it)
    lines += [
        f"probe wait $T {it.seconds + 0.5}; grep '^cpu ' /proc/stat >>/out/busy",
        "echo 0 >$TRACING/tracing_on; cat $TRACING/trace >/out/trace",
        "cat $TRACING/per_cpu/cpu0/stats >/out/trace.stats",
        "netns R1 /bin/tc.iproute2 -s qdisc show dev line >/out/discipline",
        "netns S1 sysctl -a 2>/dev/null | grep -E 'net.ipv4.tcp_' >/out/sysctls",
        "uname -r >/out/release; kill $(jobs -p) 2>/dev/null; wait",
        "echo 0 >$TRACING/events/enable; echo >$TRACING/trace",
        *(
            f"ip.iproute2 netns del {node}"
            for node in ["R1", "R2", "D", *(f"S{i}" for i in range(1, len(it.flows) + 1))]
        ),
        "sleep 1",
    ]
    return "\n".join(lines) + "\n"


def _line(it: Experiment, rate: float, verb: str) -> list[str]:
    """The line with its queue: netem, or a shaper of one packet with a discipline, or cake."""
    places = it.buffer_packets + 1
    tc = f"netns R1 /bin/tc.iproute2 qdisc {verb} dev line root"
    if it.discipline.startswith("cake"):
        return [f"{tc} {it.discipline.replace('cake', f'cake bandwidth {rate}mbit', 1)}"]
    if not it.discipline and not any(step.rate_mbit for step in it.steps):
        return [f"{tc} netem rate {rate}mbit limit {places}"]
    burst = it.packet_bytes + int(
        rate * 50 / 8
    )  # 50 us: a timer that is late by less costs no capacity
    lines = [f"{tc} handle 1: tbf rate {rate}mbit burst {burst} limit {places}"]
    if verb == "add":
        child = it.discipline or f"pfifo limit {places}"
        lines.append(f"netns R1 /bin/tc.iproute2 qdisc add dev line parent 1:1 handle 2: {child}")
    return lines


def _delays(it: Experiment, round_trip: float, loss: str, ack_loss: str, verb: str) -> list[str]:
    """Half the round trip towards the receiver for all, the rest on each sender's way back.

    The rate of 10 Gbit/s makes netem keep the order of packets when the delay falls.
    """

    def netem(node: str, device: str, delay: float, lost: str) -> str:
        chance = f" loss {lost}" if lost else ""
        words = f"{verb} dev {device} root netem delay {delay}ms rate 10gbit limit 200000{chance}"
        return f"netns {node} /bin/tc.iproute2 qdisc {words}"

    lines = [netem("R2", "d1", round_trip / 2, loss)]
    for sender, flow in enumerate(it.flows, 1):
        own = flow.round_trip_ms or it.round_trip_ms
        lines.append(netem("R1", f"r{sender}", own - it.round_trip_ms + round_trip / 2, ack_loss))
    return lines


def _network(it: Experiment) -> list[str]:
    senders = range(1, len(it.flows) + 1)
    lines = [
        'netns() { ip.iproute2 netns exec "$@"; }',
        "TRACING=/sys/kernel/tracing",
        *(
            f"ip.iproute2 netns add {node}; ip.iproute2 -n {node} link set lo up"
            for node in ["R1", "R2", "D", *(f"S{i}" for i in senders)]
        ),
    ]
    links = [("R1", "line", "R2", "b2", "10.9.0"), ("R2", "d1", "D", "d0", "10.8.0")]
    links += [("R1", f"r{i}", f"S{i}", f"s{i}", f"10.{i}.0") for i in senders]
    for near, here, far, there, subnet in links:
        index = f"index {LINE}" if here == "line" else ""
        lines.append(
            f"ip.iproute2 link add {here} {index} netns {near} type veth"
            f" peer name {there} netns {far}"
        )
        for last, (node, device) in enumerate([(near, here), (far, there)], 1):
            lines += [
                f"ip.iproute2 -n {node} addr add {subnet}.{last}/24 dev {device}",
                f"netns {node} probe plain {device}",
                f"ip.iproute2 -n {node} link set {device} mtu {it.mtu} gso_max_segs 1 up",
            ]
    lines += [f"ip.iproute2 -n S{i} route add default via 10.{i}.0.1" for i in senders]
    lines += [
        "ip.iproute2 -n D route add default via 10.8.0.1",
        "ip.iproute2 -n R1 route add 10.8.0.0/24 via 10.9.0.2",
        "ip.iproute2 -n R2 route add default via 10.9.0.1",
        "netns R1 sysctl -qw net.ipv4.ip_forward=1; netns R2 sysctl -qw net.ipv4.ip_forward=1",
    ]
    ecn = any(flow.ecn for flow in it.flows)
    for node, marks in [("D", ecn), *((f"S{i}", flow.ecn) for i, flow in enumerate(it.flows, 1))]:
        settings = {
            "tcp_no_metrics_save": "1",
            "tcp_ecn": "1" if marks else "2",
            "tcp_rmem": "4096 67108864 134217728",
            "tcp_wmem": "4096 65536 134217728",
        } | it.sysctls
        lines += [
            f"netns {node} sysctl -qw net.ipv4.{key}='{value}'" for key, value in settings.items()
        ]
    lines += _line(it, it.rate_mbit, "add")
    lines += _delays(it, it.round_trip_ms, it.loss, it.ack_loss, "add")
    if it.pacing:
        lines += [
            f"netns S{i} /bin/tc.iproute2 qdisc add dev s{i} root fq limit 100000 flow_limit 100000"
            for i in senders
        ]
    lines += [f"netns S{i} ping -c 1 -W 3 10.8.0.2 >/dev/null" for i in senders]
    return lines


def _traced() -> list[str]:
    events = {
        "tcp/tcp_probe": f"dport>={FIRST_PORT} && dport<{FIRST_PORT + 1000}",
        "tcp/tcp_retransmit_skb": "",
        "tcp/tcp_retransmit_synack": "",
        "qdisc/qdisc_enqueue": f"ifindex=={LINE}",
        "qdisc/qdisc_dequeue": f"ifindex=={LINE} && packets>0",
    }
    lines = ["echo mono >$TRACING/trace_clock; echo 200000 >$TRACING/buffer_size_kb"]
    for event, chosen in events.items():
        if chosen:
            lines.append(f"echo '{chosen}' >$TRACING/events/{event}/filter")
        lines.append(f"echo 1 >$TRACING/events/{event}/enable")
    return [
        *lines,
        "echo 1 >$TRACING/tracing_on",
        "T=$(probe now | awk '{printf \"%d\", $1 + 3}'); echo $T >/out/origin",
    ]


def _steps(it: Experiment) -> list[str]:
    lines, rate, round_trip, loss, ack_loss = (
        [],
        it.rate_mbit,
        it.round_trip_ms,
        it.loss,
        it.ack_loss,
    )
    for step in it.steps:
        lines.append(f"probe wait $T {step.at_ms / 1000}")
        if step.rate_mbit:
            rate = step.rate_mbit
            lines += _line(it, rate, "change")
        if step.round_trip_ms or step.loss is not None or step.ack_loss is not None:
            round_trip = step.round_trip_ms or round_trip
            loss = loss if step.loss is None else step.loss
            ack_loss = ack_loss if step.ack_loss is None else step.ack_loss
            lines += _delays(it, round_trip, loss, ack_loss, "change")
        lines.append("probe now >>/out/steps")
    return lines
