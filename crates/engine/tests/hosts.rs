//! Window rules of hosts beyond congestion control (start, growth, pauses, timeouts), against numbers worked by hand.

use longfat_engine::run;
use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::transport::{TimeoutKind, Window};
use longfat_engine::units::Span;

use crate::support::scenario;

const MSS: f64 = 1000.0;

/// One connection over 100 ms whose end systems are like this; segments of 1000 bytes.
fn host(tcp: &str, more: &str) -> longfat_engine::scenario::Scenario {
    scenario(&format!(
        "schema_version = 1\nduration = \"20 s\"\nframing = \"packet\"\nport.buffer = \"1 BDP\"\n\
         topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"50 Mbit/s\", delay = \"48 ms\" }} }}\ntcp = {{ mss = \"1000 B\", {tcp} }}\n{more}\n"
    ))
}

fn law_and_window(tcp: &str) -> (Box<dyn WindowLaw>, Window) {
    let tcp = host(tcp, "").tcp;
    (tcp.flavor.build(&()).law(), Window::new(&tcp))
}

/// RFC 5681 equation 2: what is acknowledged, and no more than a segment: many acknowledgments of little data open no window.
#[test]
fn a_window_of_the_rfcs_grows_by_no_more_than_was_acknowledged() {
    let (_, mut window) = law_and_window("preset = \"rfc\"");
    (0..40).for_each(|_| window.grow_classically(100));
    assert_eq!(window.cwnd / MSS, 3.0 + 4.0);
    window.grow_classically(5000);
    assert_eq!(window.cwnd / MSS, 8.0);
}

/// Linux, `tcp_slow_start`: of 559 segments 390 lead from one to a threshold of 391, and 169 count for linear growth.
#[test]
fn a_jump_in_slow_start_ends_at_the_threshold_and_the_rest_is_growth_beyond_it() {
    let (_, mut window) = law_and_window("preset = \"linux-like\", flavor = \"newreno\"");
    (window.cwnd, window.ssthresh) = (MSS, 391.0 * MSS);
    window.grow_classically(559_000);
    assert!((window.cwnd / MSS - (391.0 + 169.0 / 391.0)).abs() < 1e-9, "{}", window.cwnd);
    // A control of one's own may ask for slow start beyond the threshold: there is none.
    let beyond = window.cwnd;
    window.grow_exponentially(1000);
    assert_eq!(window.cwnd, beyond);
}

/// Delayed or not, a window of acknowledged bytes is a segment more (RFC 3465 section 2.1); by acknowledgments of two segments it is half
/// of one (RFC 5681 equation 3).
#[test]
fn linear_growth_goes_by_bytes_or_by_acknowledgments() {
    for (growth, period, segments) in
        [("acknowledged-bytes", 1, 1.0), ("acknowledged-bytes", 10, 1.0), ("per-acknowledgment", 1, 0.5)]
    {
        let (_, mut window) = law_and_window(&format!(
            "linear_growth = \"{growth}\", acknowledgments_per_increment = {period}, receiver_window = \"1 MB\""
        ));
        (window.cwnd, window.ssthresh) = (100.0 * MSS, 50.0 * MSS);
        (0..50).for_each(|_| window.grow_classically(2000));
        assert!((window.cwnd / MSS - 100.0 - segments).abs() < 0.01, "{growth}: {}", window.cwnd);
    }
}

/// RFC 7661 section 1: what the application does not use tells nothing of the path.
#[test]
fn a_window_that_is_not_used_does_not_grow_where_hosts_look() {
    let grown = |limit: &str| {
        let (mut law, mut window) =
            law_and_window(&format!("flavor = \"newreno\", receiver_window = \"1 MB\", cwnd_limit = \"{limit}\""));
        let before = window.cwnd;
        let progress = |window_is_used| Progress { acknowledged: 1000, window_is_used, ..Progress::default() };
        law.on_acknowledgment(&mut window, &progress(false));
        let unused = window.cwnd - before;
        law.on_acknowledgment(&mut window, &progress(true));
        (unused / MSS, (window.cwnd - before) / MSS)
    };
    assert_eq!(grown("used"), (0.0, 1.0));
    assert_eq!(grown("unlimited"), (1.0, 2.0));
}

/// Ten segments every quarter of a second: after slow start has doubled ten there is nothing to learn.
#[test]
fn an_application_that_sends_little_leaves_a_linux_like_window_small_whatever_its_law() {
    let messages = "traffic = { kind = \"messages\", size = \"10 kB\", interval = \"250 ms\", count = 70 }";
    for flavor in ["newreno", "sack-rfc6675", "rack-tlp", "cubic", "dctcp"] {
        let record =
            run(&host(&format!("preset = \"linux-like\", flavor = \"{flavor}\""), messages)).expect("conservation");
        let most = record.flows[0].max_cwnd_bytes;
        assert!(most <= 20_000.0, "{flavor}: {most} B");
    }
}

/// RFC 2861 section 3: a halving for each timeout of the pause, not below what a new connection has; three quarters stay in the threshold.
#[test]
fn a_pause_halves_a_window_timeout_by_timeout() {
    let after = |pause_ms: u64| {
        let (_, mut window) = law_and_window("initial_window = \"10 MSS\", receiver_window = \"1 MB\"");
        (window.cwnd, window.ssthresh) = (617.0 * MSS, 100.0 * MSS);
        window.decay(Span::from_microseconds(1000 * pause_ms), Span::from_microseconds(312_000));
        assert_eq!(window.ssthresh / MSS, 462.75);
        window.cwnd / MSS
    };
    assert_eq!([312, 539, 625, 10_000].map(after), [617.0, 308.5, 154.25, 10.0]);
}

/// RFC 5681 section 3.1, of which the rule of what is under way is: held constant; BSD's halves what is left each time.
#[test]
fn what_is_lost_again_and_again_leaves_the_threshold_of_the_rfcs_where_the_first_timeout_has_put_it() {
    for (rule, thresholds) in [("flight-size", [50.0, 50.0, 50.0]), ("bsd", [50.0, 2.0, 2.0])] {
        let (mut law, mut window) =
            law_and_window(&format!("flavor = \"newreno\", ssthresh_rule = \"{rule}\", receiver_window = \"1 MB\""));
        window.cwnd = 100.0 * MSS;
        let expire = |(kind, flight): (TimeoutKind, u64)| {
            window.note_timeout(kind);
            law.on_timeout(&mut window, flight);
            window.ssthresh / MSS
        };
        assert_eq!(
            [(TimeoutKind::First, 100_000), (TimeoutKind::Again, 1000), (TimeoutKind::Again, 1000)].map(expire),
            thresholds,
            "{rule}"
        );
    }
}

/// A satellite that is gone for five seconds: the timer expires again and again, and the window is back at half of what it was soon after.
#[test]
fn an_interruption_costs_a_host_of_the_rfcs_its_window_once() {
    let path = "path = { kind = \"schedule\", steps = \"time_s,rate_bps\\n0,50e6\\n8,0\\n13,50e6\" }";
    let threshold = |rule: &str| {
        let text = format!("preset = \"linux-like\", flavor = \"sack-rfc6675\", ssthresh_rule = \"{rule}\"");
        let record = run(&host(&text, path)).expect("conservation");
        assert!(record.flows[0].timeouts >= 3, "{}", record.flows[0].timeouts);
        record.metrics.goodput_bps
    };
    let (kept, halved) = (threshold("flight-size"), threshold("bsd"));
    assert!(kept > 1.2 * halved, "{kept} and {halved}");
}

/// Linux, `tcp_ecn_send`: what marks alone tell of congestion must not be dropped in place of being marked, also when it is sent again.
#[test]
fn a_queue_that_marks_drops_nothing_that_a_law_of_marks_sends_again() {
    let step = "port.queue = { kind = \"red\", minimum = \"20 packets\", maximum = \"21 packets\", weight = 1.0, gentle = false, hard_drop = false }\n\
                topology.sources = 24\nloss = { kind = \"random\", probability = 0.001 }";
    let dropped = |flavor: &str, echo: &str| {
        let text = host("preset = \"linux-like\"", "").canonical();
        let mut settings: Vec<(String, String)> = step
            .lines()
            .filter_map(|line| line.trim().split_once(" = "))
            .map(|(path, value)| (path.to_owned(), value.to_owned()))
            .collect();
        settings.push(("tcp.flavor".into(), flavor.into()));
        settings.push(("tcp.ecn".into(), echo.into()));
        settings.push(("tcp.handshake".into(), "false".into())); // Openings are not capable either.
        let scenario =
            longfat_engine::scenario::Scenario::parse(text.as_bytes(), "text.json", &settings).expect("a scenario");
        let record = run(&scenario).expect("conservation");
        let again: u64 = record.flows.iter().map(|flow| flow.segments_retransmitted).sum();
        assert!(again > 0 && record.ports[0].queue.as_ref().is_some_and(|queue| queue.packets_marked > 0), "{flavor}");
        record.ports[0].packets_dropped
    };
    assert_eq!(dropped("dctcp", "per-segment"), 0);
    assert!(dropped("newreno", "classic") > 0, "RFC 3168 section 6.1.5");
}

/// `reductions_for_marks` counts reductions only: BBR ignores marks.
#[test]
fn marks_that_change_nothing_are_no_reductions() {
    let text = "port.queue = { kind = \"codel\", target = \"1 ms\", interval = \"10 ms\" }";
    for (flavor, reduces) in [("bbr", false), ("cubic", true)] {
        let tcp = format!("preset = \"linux-like\", flavor = \"{flavor}\", ecn = \"classic\"");
        let record = run(&host(&tcp, text)).expect("conservation");
        assert!(record.metrics.packet_mark_ratio > Some(0.0), "{flavor}");
        assert_eq!(record.flows[0].reductions_for_marks > Some(0), reduces, "{flavor}");
    }
}

/// After a timeout an acknowledgment can jump over hundreds of segments that the receiver had kept. Counted as growth they would be let go
/// at once, and lost again, time after time.
#[test]
fn what_had_arrived_before_a_timeout_opens_no_window_after_it() {
    let pie = "port.queue = \"pie\"";
    for flavor in ["sack-rfc6675", "rack-tlp", "cubic"] {
        let text = host(&format!("preset = \"linux-like\", flavor = \"{flavor}\""), pie).canonical();
        let settings =
            [("port.buffer", "4 BDP"), ("duration", "60 s")].map(|(path, value)| (path.into(), value.into()));
        let scenario =
            longfat_engine::scenario::Scenario::parse(text.as_bytes(), "text.json", &settings).expect("a scenario");
        let record = run(&scenario).expect("conservation");
        let flow = &record.flows[0];
        assert!(20 * flow.segments_retransmitted < flow.segments_sent, "{flavor}: {}", flow.segments_retransmitted);
        assert!(record.metrics.efficiency > 0.8, "{flavor}: {}", record.metrics.efficiency);
    }
}
