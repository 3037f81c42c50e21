//! Scenarios whose fingerprints are kept, besides one for each flavor, discipline and stack.

const LAN: &str = "access.delay = \"5 us\", bottleneck.delay = \"5 us\"";
const WAN: &str = "access.delay = \"5 ms\", bottleneck.delay = \"5 ms\"";
pub const UNEVEN: &str = "access = { rate = \"155.52 Mbit/s\", delay = \"5 us\" }, \
                      bottleneck = { rate = \"45 Mbit/s\", delay = \"2 ms\" }";

/// Name, sources, links, duration, port, TCP and traffic.
pub const CASES: &[(&str, u32, &str, &str, &str, &str)] = &[
    ("lan 5 tail-drop", 5, LAN, "1500 ms", "buffer = \"1000 cells\", policy = \"tail-drop\"", ""),
    (
        "lan 15 partial-packet-discard",
        15,
        LAN,
        "1 s",
        "buffer = \"2000 cells\", policy = \"partial-packet-discard\"",
        "",
    ),
    ("lan 5 epd", 5, LAN, "1 s", "buffer = \"1000 cells\", policy = \"epd\"", ""),
    ("lan 15 selective-drop", 15, LAN, "1 s", "buffer = \"3000 cells\", policy = \"selective-drop\"", ""),
    ("lan 5 fba", 5, LAN, "1500 ms", "buffer = \"1000 cells\", policy = \"fba\"", ""),
    ("wan 5 tail-drop", 5, WAN, "3 s", "buffer = \"12000 cells\"", "tcp.receiver_window = \"600000 B\""),
    (
        "wan 15 selective-drop",
        15,
        WAN,
        "3 s",
        "buffer = \"12000 cells\", policy = \"selective-drop\"",
        "tcp.receiver_window = \"600000 B\"",
    ),
    (
        "wan 5 epd, start spread",
        5,
        WAN,
        "2 s",
        "buffer = \"12000 cells\", policy = \"epd\"",
        "tcp.receiver_window = \"600000 B\"\ntraffic.start = \"uniform(0 ms, 1 ms)\"",
    ),
    (
        "wan 2 search and careful resume",
        2,
        WAN,
        "2 s",
        "buffer = \"3000 cells\"",
        "tcp = { receiver_window = \"600000 B\", initial_ssthresh = \"unlimited\", flavor = \"cubic\" }\n\
         connections = [{ tcp.slow_start_exit = \"search\" }, \
         { tcp.resume = { kind = \"careful-resume\", saved_cwnd = \"500000 B\", saved_rtt = \"20 ms\" } }]",
    ),
    (
        "wan 2 careful resume as observed",
        2,
        WAN,
        "3 s",
        "buffer = \"3000 cells\"",
        "tcp = { receiver_window = \"600000 B\", initial_ssthresh = \"unlimited\", flavor = \"cubic\", \
         resume = { kind = \"careful-resume\", least_saved = 1 } }\n\
         traffic = { kind = \"flows\", interval = \"200 ms\", size = { kind = \"fixed\", size = \"200 kB\" } }",
    ),
    ("wan 15 unlimited", 15, WAN, "1 s", "buffer = \"unlimited\"", "tcp.receiver_window = \"600000 B\""),
    ("lan 5 fixed order", 5, LAN, "1 s", "buffer = \"1000 cells\", arrival_order = \"fixed\"", ""),
    (
        "lan 5 heap",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", arrival_order = \"heap\"",
        "framing = { kind = \"aal5\", clock = \"10 ns\" }",
    ),
    ("lan 15 rotating order", 15, LAN, "1 s", "buffer = \"1000 cells\", arrival_order = \"rotating\"", ""),
    (
        "lan 5 first come first served",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", arrival_order = \"first-come-first-served\", counts_cell_in_service = true",
        "",
    ),
    (
        "lan 5 other end systems",
        5,
        LAN,
        "1500 ms",
        "buffer = \"1000 cells\", policy = \"epd\"",
        "tcp = { out_of_order = \"discard\", retransmission_timeout = \"floating-point\", timer_phase = \"per-connection\", \
      ssthresh_rule = \"bsd\", window_arithmetic = \"integer\", slow_start_growth = \"per-segment\", \
      cwnd_limit = \"unlimited\", initial_ssthresh = \"unlimited\", slow_start_at_ssthresh = false }",
    ),
    (
        "uneven 3 odd segments",
        3,
        UNEVEN,
        "1500 ms",
        "buffer = \"0.5 RTT\"",
        "tcp = { mss = \"1459 B\", receiver_window = \"65535 B\" }\n\
      framing = { encapsulation = \"vc-multiplexed\", lost_last_cell = \"corrupts-own-packet\" }",
    ),
    (
        "lan 5 losses",
        5,
        LAN,
        "1 s",
        "buffer = \"3000 cells\"",
        "loss = { kind = \"gilbert-elliott\", good_to_bad = 0.01, bad_to_good = 0.3 }\n\
      acknowledgment_loss = { kind = \"random\", probability = 0.1, each = \"cell\" }",
    ),
    (
        "lan 3 messages",
        3,
        LAN,
        "1 s",
        "buffer = \"unlimited\"",
        "traffic = { kind = \"messages\", size = \"1300 B\", interval = \"7 ms\", start = \"uniform(0 ms, 7 ms)\" }\n\
      loss = { kind = \"list\", drops = [[3, 20], [], [1]] }",
    ),
    (
        "uneven 5 www",
        5,
        UNEVEN,
        "4 s",
        "buffer = \"100 cells\", policy = \"selective-drop\"",
        "tcp = { flavor = \"sack\", mss = \"1024 B\", silly_window_avoidance = false }\n\
      traffic = { kind = \"www\", interval = \"2 s\", spacing = \"uniform(10 ms, 50 ms)\" }",
    ),
    (
        "uneven 3 http",
        3,
        UNEVEN,
        "4 s",
        "buffer = \"60 packets\"",
        "framing = \"packet\"\nloss = { kind = \"random\", probability = 0.01 }\n\
      traffic = { kind = \"http\", interval = \"500 ms\" }",
    ),
    (
        "uneven 3 http, streams",
        3,
        UNEVEN,
        "4 s",
        "buffer = \"60 packets\"",
        "framing = \"packet\"\nstack = { kind = \"quic\", opened_by = \"receiver\" }\n\
      loss = { kind = \"random\", probability = 0.01 }\n\
      traffic = { kind = \"http\", interval = \"500 ms\" }",
    ),
    (
        "uneven 5 datagrams",
        5,
        UNEVEN,
        "2 s",
        "buffer = \"300 cells\", policy = \"epd\"",
        "connections = [{ traffic = { kind = \"constant-rate\", rate = \"20 Mbit/s\" } }, \
      { traffic = { kind = \"voip\", talk = \"100 ms\", silence = \"50 ms\" } }, \
      { traffic = { kind = \"video\", start = \"uniform(0 ms, 40 ms)\" } }, \
      { traffic = { kind = \"probe\", interval = \"3 ms\", spacing = \"poisson\" } }]",
    ),
    (
        "lan 5 epd, background",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"epd\"",
        "background = [{ kind = \"poisson\", load = 0.3 }, \
      { kind = \"poisson\", load = \"10 Mbit/s\", size = \"1000 B\" }]",
    ),
    (
        "wan 5 packets",
        5,
        WAN,
        "2 s",
        "buffer = \"0.5 BDP\", policy = \"fba\"",
        "framing = \"packet\"\ntcp.receiver_window = \"600000 B\"",
    ),
    (
        "uneven 3 ethernet",
        3,
        UNEVEN,
        "1500 ms",
        "buffer = \"20 packets\"",
        "tcp = { mss = \"1460 B\", receiver_window = \"65535 B\" }\nframing = \"ethernet\"",
    ),
    (
        "lan 5 strict priority",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"selective-drop\", scheduler = \"strict-priority\"",
        "background = [{ kind = \"vbr-on-off\", on = \"50 ms\", off = \"50 ms\" }]",
    ),
    (
        "wan 5 guaranteed rate",
        5,
        WAN,
        "2 s",
        "buffer = \"12000 cells\", scheduler = { kind = \"guaranteed-rate\", guaranteed_rate = 0.1 }",
        "tcp.receiver_window = \"600000 B\"\n\
      background = [{ kind = \"vbr-on-off\", on = \"300 ms\", off = \"300 ms\", starts = \"off\", phase = \"7 ms\" }]",
    ),
    (
        "lan 5 weighted fair",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", arrival_order = \"first-come-first-served\", \
      scheduler = { kind = \"weighted-fair\", guaranteed_rate = 0.3 }",
        "background = [{ kind = \"poisson\", load = 0.1 }, \
      { kind = \"vbr-on-off\", on = \"20 ms\", off = \"10 ms\", rate = \"100 Mbit/s\" }]",
    ),
    (
        "lan 3 gfr, dfba",
        3,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"dfba\", service = { kind = \"gfr\", \
      minimum_cell_rate = [\"60 Mbit/s\", \"30 Mbit/s\", \"10 Mbit/s\"] }",
        "",
    ),
    (
        "lan 3 gfr, double threshold",
        3,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"double-threshold\", service = { kind = \"gfr\", \
      minimum_cell_rate = \"20 Mbit/s\", tagging = \"source\" }",
        "background = [{ kind = \"poisson\", load = 0.1 }]",
    ),
    (
        "lan 3 gfr, two thresholds for each",
        3,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"per-vc-double-threshold\", scheduler = \"per-vc-fair\", service = { kind = \"gfr\", \
      minimum_cell_rate = [\"60 Mbit/s\", \"30 Mbit/s\", \"10 Mbit/s\"] }",
        "",
    ),
    (
        "lan 3 gfr, weighted fba",
        3,
        LAN,
        "1 s",
        "buffer = \"1000 cells\", policy = \"weighted-fba\", scheduler = \"per-vc-fair\", service = { kind = \"gfr\", \
      minimum_cell_rate = [\"60 Mbit/s\", \"30 Mbit/s\", \"10 Mbit/s\"], tagging = \"none\" }",
        "",
    ),
    (
        "uneven 3 fades",
        3,
        UNEVEN,
        "2 s",
        "buffer = \"400 cells\"",
        "tcp = { flavor = \"sack\", receiver_window = \"60000 B\" }\n\
         loss = { kind = \"fades\", good = \"300 ms\", bad = \"20 ms\", loss_in_bad = 0.7 }\n\
         acknowledgment_loss = { kind = \"correlated\", probability = 0.2, correlation = 0.4 }",
    ),
    (
        "uneven 3 packets overtake",
        3,
        UNEVEN,
        "2 s",
        "buffer = \"60 packets\"",
        "framing = \"packet\"\ntcp = { flavor = \"rack-tlp\", receiver_window = \"60000 B\" }\n\
         path = { kind = \"leo\", interval = \"400 ms\", delay = \"uniform(2 ms, 9 ms)\", gap = \"10 ms\", jitter = \"1 ms\" }\n\
         lines = [{ at = \"bottleneck\", order = \"free\", reordering = { kind = \"random\", share = 0.05, extra = \"pareto(1 ms, 2)\", \
         correlation = 0.3 } }, { at = \"bottleneck back\", jitter = \"normal(2 ms, 1 ms)\" }, \
         { at = \"source 1 to switch 1\", reordering = { kind = \"netem\", delay = \"exponential(1 ms)\", share = 0.5, gap = 3 } }, \
         { at = \"switch 2 to destination 2\", reordering = { kind = \"lanes\", choice = \"random\" }, jitter = \"measured(1 ms, 3 ms)\" }]",
    ),
    (
        "uneven 3 split by proxies",
        3,
        UNEVEN,
        "4 s",
        "buffer = \"400 cells\"",
        "tcp = { receiver_window = \"60000 B\", handshake = true, acknowledgments = \"delayed\" }\n\
         acknowledgment_loss = { kind = \"random\", probability = 0.02 }\n\
         proxies = { kind = \"split-tcp\", buffer = \"100 kB\", tcp = { flavor = \"sack-rfc6675\", receiver_window = \"200 kB\" } }",
    ),
    (
        "lan 5 rounds",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\"",
        "traffic = { kind = \"rounds\", size = \"20 kB\", pause = \"1 ms\", start = \"uniform(0 ms, 1 ms)\" }",
    ),
    (
        "lan 5 closed loops",
        5,
        LAN,
        "1 s",
        "buffer = \"1000 cells\"",
        "traffic = { kind = \"closed-loop\", size = { kind = \"exponential\", mean = \"60 kB\" }, count = \"unlimited\", \
         embedded = 3, pause = \"uniform(1 ms, 9 ms)\", request = \"1 ms\" }",
    ),
    (
        "wan 5 blocks",
        5,
        WAN,
        "2 s",
        "buffer = \"3000 cells\"",
        "connections = [{ count = 2, name = \"first\", stop = \"700 ms\" }, { count = 2, after = \"first\", \
         tcp = { preset = \"linux-6.12\", mss = \"1000 B\" } }]\ntcp.receiver_window = \"600000 B\"",
    ),
];
