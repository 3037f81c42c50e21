//! Rejected settings of stacks.

use super::complaints_with;

#[track_caller]
fn assert_complaint(overrides: &[(&str, &str)], words: &str) {
    let problems = complaints_with(overrides);
    assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
}

#[test]
fn a_stack_is_named_and_its_settings_are_checked_at_their_place() {
    assert_complaint(
        &[("stack", "quin")],
        "stack: unknown stack \"quin\"; known: \"tcp\", \"quic\", \"quinn\", \"smoltcp\", \"outside\"",
    );
    for (setting, words) in [
        (
            "initial_mtu = '1000 B'",
            "stack.initial_mtu: 1000 B is no size of the first packets; from 1200 B (RFC 9000 section 14) to 65527 B",
        ),
        (
            "largest_mtu = '1100 B'",
            "stack.largest_mtu: 1100 B is no size of the largest packets; from initial_mtu, 1200 B, to 65527 B",
        ),
        ("client_hello = '20 kB'", "stack.client_hello: 20000 B is too long for a handshake; at most 16000 B"),
        ("stream_window = '0 B'", "stack.stream_window: must be more than zero"),
        (
            "congestion_control = 'bbr'",
            "stack.congestion_control: unknown choice \"bbr\"; known: \"cubic\", \"new-reno\"",
        ),
    ] {
        assert_complaint(&[("stack", &format!("{{ kind = 'quinn', {setting} }}"))], words);
    }
    assert_complaint(
        &[("stack", "{ kind = 'quic', resume = { kind = 'careful-resume', saved_rtt = '60 ms' } }")],
        "stack.resume: saved_cwnd: missing, but saved_rtt is given",
    );
    for (setting, words) in [
        ("mtu = '60 B'", "stack.mtu: 60 B is no size of the largest packets; from 68 B (RFC 791) to 65535 B"),
        ("send_buffer = '2 GB'", "stack.send_buffer: 2000000000 B is too large for a window; at most 1073741824 B"),
    ] {
        assert_complaint(&[("stack", &format!("{{ kind = 'smoltcp', {setting} }}"))], words);
    }
    for (kind, words) in [
        ("smoltcp", "stack.mtu: 9 B is no size of the largest packets; from 68 B (RFC 791) to 65535 B"),
        ("outside", "stack.mtu: 9 B is no size of the largest packets; from 1280 B (RFC 8200 section 5) to 65535 B"),
    ] {
        // Less than headers take, and so nothing that a packet could carry.
        assert_complaint(&[("stack", &format!("{{ kind = '{kind}', mtu = '9 B' }}"))], words);
    }
    for (setting, words) in [
        ("streams = 0", "stack.streams: expected a whole number from 1"),
        (
            "packet_size = '1000 B'",
            "stack.packet_size: 1000 B is no size of a packet; from 1200 B (RFC 9000 section 14) to 16383 B",
        ),
        (
            "zero_round_trip = true, opened_by = 'receiver'",
            "stack.zero_round_trip: true, but the receiver opens the connection and only the client sends early data",
        ),
        (
            "initial_window = '2000 B'",
            "stack.initial_window: 2000 B is no window; at least 2 packets, 2400 B (RFC 9002 section 7.2)",
        ),
        ("client_hello = '10 B'", "stack.client_hello: 10 B is no size for a handshake; from 100 B to 16000 B"),
        ("stream_window = '2000000000 GB'", "stack.stream_window: 2000000000000000000 B is no window; at most 2^60 B"),
        ("flavor = 'cubik'", "stack.flavor: unknown TCP flavor \"cubik\""),
        ("as = 'linux'", "stack.as: unknown choice \"linux\"; known: \"rfc-9002\", \"quinn\""),
    ] {
        assert_complaint(&[("stack", &format!("{{ kind = 'quic', {setting} }}"))], words);
    }
    assert_complaint(
        &[("connections", "[{ stack = { kind = 'quinn', initial_mtu = '1 B' } }]")],
        "connections[0].stack.initial_mtu: 1 B is no size of the first packets",
    );
}

#[test]
fn settings_of_tcp_beside_a_stack_are_refused() {
    for (key, value, words) in [
        ("flavor", "'reno'", "does not read; stack = { kind = \"quic\", flavor = ... }"),
        (
            "tcp",
            "{ mss = '1000 B' }",
            "leave it out, or write what stack \"quic\" has (`longfat models stack`) into its table",
        ),
        ("ecn", "'classic'", "leave it out"),
    ] {
        let expected = format!("connections[0].{key}: a setting of the engine's TCP, which stack \"quic\"");
        let beside = format!("[{{ stack = 'quic', {key} = {value} }}, {{}}]");
        assert_complaint(&[("connections", &beside)], &expected);
        assert_complaint(&[("connections", &beside)], words);
        assert_complaint(&[("stack", "quic"), ("connections", &format!("[{{ {key} = {value} }}]"))], words);
    }
}

#[test]
fn all_connections_ask_or_none_whatever_their_stack() {
    assert_complaint(
        &[("connections", "[{ stack = 'quinn', traffic = 'www' }, {}]")],
        "with \"www\" the receiving ends make requests, with \"infinite\" they do not; all must, or none",
    );
}

#[test]
fn packets_of_a_stack_must_fit_the_framing() {
    let large = "{ kind = 'quinn', initial_mtu = '5000 B', largest_mtu = '5000 B' }";
    assert_complaint(
        &[("framing", "{ kind = 'dvb-s2-gse' }"), ("port", "{ buffer = '100 packets' }"), ("stack", large)],
        "stack: a packet of 5000 B does not fit one of framing \"dvb-s2-gse\"; at most",
    );
}
