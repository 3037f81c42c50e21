//! Rejected settings of proxies.

use super::{assert_refused, complaints_with};

const SPLIT: &str = "{ kind = 'split-tcp', buffer = '1 MB' }";

#[track_caller]
fn assert_complaint(overrides: &[(&str, &str)], words: &str) {
    let problems = complaints_with(overrides);
    assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
}

#[test]
fn a_buffer_must_be_given_and_hold_a_segment() {
    assert_complaint(&[("proxies", "{ kind = 'split-tcp' }")], "proxies.buffer: missing");
    let words = "proxies.buffer: 511 B cannot hold one segment of 512 B; nothing would ever be sent";
    assert_complaint(&[("proxies", "{ kind = 'split-tcp', buffer = '511 B' }")], words);
}

#[test]
fn the_leg_between_has_windows_like_others() {
    for (key, value, words) in [
        ("receiver_window", "511 B", "proxies.tcp.receiver_window: 511 B cannot hold one segment of 512 B"),
        (
            "receiver_window",
            "2 GB",
            "proxies.tcp.receiver_window: 2000000000 B is beyond window scaling; at most 1073725440 B",
        ),
        ("initial_window", "100 B", "proxies.tcp.initial_window: 100 B is smaller than one segment"),
        ("flavor", "cubik", "unknown"),
    ] {
        assert_complaint(&[("proxies", SPLIT), (&format!("proxies.tcp.{key}"), value)], words);
    }
}

#[test]
fn proxies_stand_where_all_connections_pass_and_keep_no_promises() {
    let topology = "{ kind = 'graph', hosts = ['a', 'b', 'c'], switches = ['s', 't'], links = [\
         { from = 'a', to = 's', rate = '10 Mbit/s', delay = '1 ms' }, \
         { from = 's', to = 't', rate = '10 Mbit/s', delay = '1 ms', managed = 'there' }, \
         { from = 's', to = 'c', rate = '10 Mbit/s', delay = '1 ms' }, \
         { from = 't', to = 'b', rate = '10 Mbit/s', delay = '1 ms' }] }";
    let graph = [
        ("topology", topology),
        ("connections", "[{ from = 'a', to = 'b' }, { from = 'a', to = 'c' }]"),
        ("proxies", SPLIT),
    ];
    assert_complaint(
        &graph,
        "proxies: proxies stand at the switches at both ends of the bottleneck \"s to t\", and data or acknowledgments of connections[1], \
         from \"a\" to \"c\", do not cross it",
    );
    let promises = [("port.service", "{ kind = 'gfr', minimum_cell_rate = '1 Mbit/s' }"), ("proxies", SPLIT)];
    assert_complaint(
        &promises,
        "proxies: service \"gfr\" promises rates to connections of hosts, and proxies split these",
    );
}

#[test]
fn senders_that_exceed_the_window_have_no_proxies_whose_buffers_they_would_exceed() {
    let flavor = "{ kind = 'sack', respects_receiver_window = false }";
    for place in ["tcp.flavor", "proxies.tcp.flavor"] {
        assert_complaint(&[("proxies", SPLIT), (place, flavor)], "sends more than a proxy has room for");
    }
}

#[test]
fn other_kinds_of_proxies_are_unknown() {
    assert_refused("proxies", "snoop", &["unknown kind of proxies \"snoop\"", "\"split-tcp\""]);
}

#[test]
fn proxies_for_udp_fit_the_connections_that_they_have() {
    let proxies = |udp: &str| format!("{{ kind = 'split-tcp', buffer = '1 MB', udp = {udp} }}");
    for (stack, udp, words) in [
        (
            "quic",
            "'tunnel'",
            "proxies.udp: unknown kind of proxies for UDP \"tunnel\"; known: \"pass\", \"split-quic\", \"connect-udp\"",
        ),
        ("quic", "{ kind = 'connect-udp', queue = '0 B' }", "proxies.udp.queue: must be more than zero"),
        (
            "quic",
            "{ kind = 'connect-udp', queue = '1 kB' }",
            "proxies.udp: a queue of 1000 B has no room for a packet; at least 1202 B",
        ),
        (
            "quic",
            "{ kind = 'connect-udp', packet_size = '1200 B' }",
            "proxies.udp: packets of 1200 B do not fit the tunnel's of 1200 B; packet_size of 1234 B at least",
        ),
        (
            "quic",
            "{ kind = 'split-quic', quic = { packet_size = '100 B' } }",
            "proxies.udp.quic: packet_size: 100 B is no size of a packet",
        ),
        ("quinn", "'split-quic'", "proxies.udp: splits connections of stack \"quic\" alone"),
        ("smoltcp", "'connect-udp'", "proxies.udp: carries UDP, and the stack of a connection is a TCP of its own"),
    ] {
        assert_complaint(&[("stack", stack), ("proxies", &proxies(udp))], words);
    }
    assert_complaint(
        &[("stack", "quic"), ("traffic", "http"), ("proxies", &proxies("'split-quic'"))],
        "proxies.udp: \"split-quic\" forwards one stream in each direction, and traffic \"http\" has one for each file",
    );
    let small = "{ kind = 'split-tcp', buffer = '2 kB', udp = 'split-quic' }";
    let words = "proxies.udp: a buffer of 2000 B is too small for QUIC; at least two packets, 2400 B";
    assert_complaint(&[("stack", "quic"), ("proxies", small)], words);
}
