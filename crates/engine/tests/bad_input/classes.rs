//! Rejected service classes and promised rates.

use super::{assert_refused, complaints_with};

const VBR: (&str, &str) = ("background", "[{ kind = 'vbr-on-off', on = '5 ms', off = '5 ms' }]");
const STRICT: (&str, &str) = ("port.scheduler", "strict-priority");

/// Asserts that these overrides give exactly one error, which contains `words`.
#[track_caller]
fn assert_complaint(overrides: &[(&str, &str)], words: &str) {
    let problems = complaints_with(overrides);
    assert!(problems.len() == 1 && problems[0].contains(words), "{problems:?} does not say {words}");
}

#[test]
fn a_guaranteed_rate_is_a_share_of_the_line() {
    for kind in ["guaranteed-rate", "weighted-fair"] {
        for (value, found) in [("1.01", "1.01"), ("-0.1", "-0.1"), ("10", "10"), ("nan", "NaN")] {
            assert_complaint(
                &[("port.scheduler.kind", kind), ("port.scheduler.guaranteed_rate", value)],
                &format!("port.scheduler.guaranteed_rate: expected a number from 0 to 1, found the number {found}"),
            );
        }
        assert_complaint(&[("port.scheduler", kind)], "port.scheduler.guaranteed_rate: missing");
    }
    assert_refused("port.scheduler", "priority", &["unknown scheduler \"priority\"", "\"strict-priority\""]);
}

#[test]
fn traffic_of_a_class_needs_a_queue_for_it() {
    let words = "background[0]: \"vbr-on-off\" is of the class VBR, and scheduler \"fifo\" has no queue for it; port.scheduler may be \"strict-priority\"";
    assert_complaint(&[VBR], words);
}

#[test]
fn bursts_that_no_line_could_carry_are_refused_at_their_place_in_the_list() {
    for (path, value, words) in [
        ("phase", "10 ms", "background[0].phase: 10 ms is beyond the cycle of on and off, 10 ms; less than that"),
        ("phase", "-1 ms", "background[0].phase: expected a length of time"),
        (
            "rate",
            "155520001 bit/s",
            "background[0].rate: 155520001 bit/s is above the bottleneck's rate; at most 155520000 bit/s",
        ),
        ("rate", "fast", "background[0].rate: expected a rate"),
        ("on", "2 us", "background[0].on: 2 us is shorter than a cell at 155520000 bit/s; more than 2726337 ps"),
        ("on", "0 s", "background[0].on: must be more than zero"),
        ("starts", "up", "background[0].starts: unknown choice \"up\"; known: \"on\", \"off\""),
    ] {
        assert_complaint(&[STRICT, VBR, (&format!("background[0].{path}"), value)], words);
    }
    let always = ("background", "[{ kind = 'vbr-on-off', on = '5 ms', off = '0 s' }]");
    assert_complaint(&[STRICT, always], "port.scheduler: nothing is left: VBR takes all of the line");
}

#[test]
fn packets_that_travel_whole_have_no_slots_to_share_out_and_no_cells_to_mark() {
    let whole = [("framing", "packet"), ("port.buffer", "20 packets"), ("port.policy", "tail-drop")];
    let with = |more: &[(&'static str, &'static str)]| [&whole[..], more].concat();
    assert_complaint(
        &with(&[STRICT]),
        "port.scheduler.kind: shares out cell slots, and packets that travel whole have none",
    );
    assert_complaint(&with(&[VBR]), "background[0].kind: sends cells, and framing \"packet\" has none");
    let service = ("port.service", "{ kind = 'gfr', minimum_cell_rate = '1 Mbit/s' }");
    assert_complaint(&with(&[service]), "port.service.kind: marks cells, and packets that travel whole have none");
}

#[test]
fn promises_must_fit_the_connections_and_the_line() {
    for (rates, words) in [
        ("'155520001 bit/s'", "155520001 bit/s is above the bottleneck's rate; at most 155520000 bit/s"),
        ("'80 Mbit/s'", "together 160000000 bit/s are promised, more than the 155520000 bit/s of the bottleneck"),
        ("['80 Mbit/s']", "1 rates for 2 connections"),
        ("['8 Mbit/s', '8 Mbit/s', '8 Mbit/s']", "3 rates for 2 connections"),
        ("8", "expected a rate with its unit"),
        ("[]", "0 rates for 2 connections"),
    ] {
        let service = format!("{{ kind = 'gfr', minimum_cell_rate = {rates} }}");
        assert_complaint(&[("port.service", &service)], &format!("port.service.minimum_cell_rate: {words}"));
    }
    // VBR takes half of the line.
    let service = ("port.service", "{ kind = 'gfr', minimum_cell_rate = '40 Mbit/s' }");
    assert_complaint(
        &[VBR, STRICT, service],
        "together 80000000 bit/s are promised, more than the 77760000 bit/s that VBR leaves",
    );
    assert_complaint(&[("port.service", "gfr")], "port.service.minimum_cell_rate: missing");
    assert_complaint(&[("port.service.tagging", "network")], "port.service.tagging: unknown key");
}

#[test]
fn policies_that_go_by_minimum_cell_rates_need_some() {
    for policy in ["double-threshold", "per-vc-double-threshold", "weighted-fba", "dfba"] {
        let words = "port.policy.kind: goes by minimum cell rates, and there are none; give port.service";
        assert_complaint(&[("port.policy", policy)], words);
    }
    let service = ("port.service", "{ kind = 'gfr', minimum_cell_rate = '1 Mbit/s' }");
    for policy in ["double-threshold", "per-vc-double-threshold", "dfba"] {
        let upside_down = format!("{{ kind = '{policy}', low = 0.9, high = '800 cells' }}");
        assert_complaint(&[service, ("port.policy", &upside_down)], "port.policy.low: 0.9 is above high, 800 cells");
        let too_high = format!("{{ kind = '{policy}', high = '1001 cells' }}");
        assert_complaint(&[service, ("port.policy", &too_high)], "port.policy.high: 1001 cells is above the buffer");
    }
}

#[test]
fn a_queue_discipline_keeps_packets_and_takes_the_place_of_policy_and_scheduler() {
    let packets = [("framing", "packet"), ("port.buffer", "20 packets"), ("port.policy", "tail-drop")];
    let with = |more: &[(&'static str, &'static str)]| [&packets[..], more].concat();
    assert_complaint(
        &[("port.queue", "codel")],
        "port.queue: \"codel\" keeps packets that travel whole, and framing \"aal5\" has cells",
    );
    let codel = ("port.queue", "codel");
    assert_complaint(&with(&[codel, ("port.policy", "epd")]), "port.policy: queue \"codel\" takes the place of");
    assert_complaint(
        &with(&[codel, ("port.counts_cell_in_service", "true")]),
        "queue \"codel\" counts packets that wait",
    );
    let low = "{ kind = 'red', minimum = '15 packets' }";
    assert_complaint(&with(&[("port.queue", low)]), "port.queue.minimum: must be below maximum");
    let mixed = "{ kind = 'red', minimum = '5 kB' }";
    assert_complaint(&with(&[("port.queue", mixed)]), "port.queue.maximum: counts in another unit than minimum");
    let share =
        [packets[0], packets[2], ("port.buffer", "unlimited"), ("port.queue", "{ kind = 'red', minimum = 0.1 }")];
    assert_complaint(&share, "port.queue.minimum: a share of a buffer without limit");
    let ramp = "{ kind = 'dualpi2', ramp_begin = '2 ms' }";
    assert_complaint(&with(&[("port.queue", ramp)]), "port.queue.ramp_begin: must be below ramp_end");
    assert_complaint(&with(&[("port.queue", "fqcodel")]), "did you mean \"fq-codel\"?");
}

#[test]
fn a_buffer_in_bytes_is_for_packets_that_a_queue_discipline_keeps() {
    assert_complaint(&[("port.buffer", "150 kB")], "port.buffer: 150000 B under framing \"aal5\", which counts cells");
    let packets = |buffer| [("framing", "packet"), ("port.policy", "tail-drop"), ("port.buffer", buffer)];
    assert_complaint(
        &packets("150 kB"),
        "port.buffer: bytes are counted by queue disciplines only; add port.queue = \"tail-drop\"",
    );
    let small = [&packets("500 B")[..], &[("port.queue", "tail-drop")]].concat();
    assert_complaint(&small, "port.buffer: 500 B cannot hold one packet with a segment of 512 B");
}

#[test]
fn parameters_whose_work_within_one_event_would_have_no_bound_are_refused() {
    let whole =
        [("framing", "packet"), ("port.buffer", "20 packets"), ("port.policy", "tail-drop"), ("duration", "20 s")];
    let with = |queue: &'static str| [&whole[..], &[("port.queue", queue)]].concat();
    for queue in ["{ kind = 'pie', update_period = '199 ns' }", "{ kind = 'dualpi2', update_period = '1 ps' }"] {
        let words = "port.queue.update_period: more than 100000000 updates in a run of 20 s; must be at least 200 ns";
        assert_complaint(&with(queue), words);
    }
    for kind in ["{ kind = 'fq-codel', quantum = '255 B' }", "{ kind = 'cake', quantum = '1 B' }"] {
        assert_complaint(&with(kind), "port.queue.quantum: must be at least 256 B");
    }
    assert_complaint(&with("{ kind = 'cake', queues = 8193 }"), "port.queue.queues: must be at most 8192");
}
