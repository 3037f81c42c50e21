//! Flavors: what congestion control must do to a window, whatever the flavor; and UBR+ section 2 by numbers.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::registry::Chosen;
use longfat_engine::transport::flavor::{FLAVORS, RECOVERIES};
use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::transport::recovery::Recovery;
use longfat_engine::transport::{TcpConfig, Window};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;

use crate::support::declared::any_table;
use crate::support::scenario;

const MSS: f64 = 512.0;

/// End systems with the given settings, as TOML; segments of 512 bytes.
#[track_caller]
fn end_systems(settings: &str) -> TcpConfig {
    let text = format!(
        "schema_version = 1
duration = \"1 s\"
topology = {{ kind = \"n-source\", sources = 1, access.delay = \"5 us\", bottleneck.delay = \"5 us\" }}
port.buffer = \"unlimited\"
tcp = {{ mss = \"512 B\", {settings} }}
"
    );
    scenario(&text).tcp
}

/// An acknowledgment of so many bytes, with a round trip of 30 ms, of a window that is full again.
fn progress(now: Time, acknowledged: u64, window: &Window) -> Progress {
    let round_trip = Some(Span::from_microseconds(30_000));
    Progress {
        now,
        acknowledged,
        sample: round_trip,
        smoothed_round_trip: round_trip,
        highest: window.usable(),
        window_is_used: true,
        ..Progress::default()
    }
}

fn connection(settings: &str) -> (Box<dyn WindowLaw>, Window) {
    let config = end_systems(settings);
    (config.flavor.build(&()).law(), Window::new(&config))
}

fn any_settings() -> impl Strategy<Value = String> {
    let left_out = [
        "preset",
        "flavor",
        "mss",
        "receiver_window",
        "timer_granularity",
        "retransmission_timeout",
        "out_of_order",
        "timestamps",
        "sack_blocks",
    ];
    let knobs = any_table(None, &TcpConfig::fields(), &left_out);
    let flavors: Vec<_> = FLAVORS.iter().map(|entry| entry.name).collect();
    (knobs, prop::sample::select(flavors), 1_u64..2_000).prop_map(|(knobs, flavor, segments)| {
        let knobs = knobs.trim_matches(['{', '}', ' ']).to_owned();
        format!("flavor = \"{flavor}\", receiver_window = \"{} B\", {knobs}", 512 * segments)
    })
}

/// The name of the flavor in such settings.
fn law_name(settings: &str) -> &str {
    settings.split('"').nth(1).expect("a name")
}

/// By how many times of what is acknowledged a window of so many bytes may grow over a round trip of 30 ms.
fn fastest(flavor: &str, window: f64) -> f64 {
    match flavor {
        // rho = 30 / 25 = 1.2: 2^1.2 - 1 in slow start and 1.2^2 at one segment beyond it, and a fifth of the window once, with the first.
        "hybla" => 1.44 + 0.2 * window / MSS,
        _ => 1.0,
    }
}

/// What share of a window of at most two thousand segments a timeout leaves at most in the threshold.
fn most_left(flavor: &str) -> f64 {
    match flavor {
        // RFC 9438 section 4.8, where it is given no other share.
        "cubic" => 0.7,
        // RFC 3649: 1 - b(2076) is 0.71.
        "high-speed" => 0.71,
        // Leith and Shorten 2004.
        "h-tcp" => 0.8,
        // Kelly 2003.
        "scalable" => 0.875,
        // Xu, Harfoush and Rhee 2004, as Linux has it.
        "bic" => 0.8,
        // Liu, Basar and Srikant 2008.
        "illinois" => 0.875,
        _ => 0.5,
    }
}

proptest! {
    #[test]
    fn a_window_never_falls_below_a_segment_and_grows_by_what_was_acknowledged_at_most(
        settings in any_settings(),
        history in prop::collection::vec(prop::option::weighted(0.95, 1_u64..40), 0..300),
    ) {
        let period = end_systems(&settings).acknowledgments_per_increment.0;
        let (mut law, mut window) = connection(&settings);
        let mut now = Time::ZERO;
        let mut is_timed_out = false;
        for step in history {
            let (before, threshold) = (window.cwnd, window.ssthresh);
            let is_again = std::mem::replace(&mut is_timed_out, step.is_none()) && step.is_none();
            now += Span::from_microseconds(30_000);
            match step {
                Some(segments) => {
                    let progress = progress(now, 512 * segments, &window);
                    law.on_acknowledgment(&mut window, &progress);
                    #[expect(clippy::cast_precision_loss, reason = "at most 40")]
                    let most = fastest(law_name(&settings), before) * MSS * (segments * period) as f64;
                    // LEDBAT alone cuts a window to what was in flight and a segment (RFC 6817 section 2.4.2).
                    let is_cut = law_name(&settings) == "ledbat";
                    prop_assert!(
                        window.cwnd >= before || is_cut,
                        "an acknowledgment shrank {before} to {}",
                        window.cwnd
                    );
                    prop_assert!(window.cwnd - before <= most, "{segments} segments let {before} grow to {}", window.cwnd);
                }
                None => {
                    let flight = window.usable();
                    law.on_timeout(&mut window, flight);
                    prop_assert_eq!(window.cwnd, MSS, "a timeout leaves one segment (T-15)");
                    // A law that goes by deliveries has no use for the threshold, and leaves it.
                    if law.observes_deliveries() {
                        continue;
                    }
                    prop_assert!(window.ssthresh >= 2.0 * MSS, "at least two segments (T-05), not {}", window.ssthresh);
                    let share = most_left(law_name(&settings));
                    let most = (before * share).max(2.0 * MSS);
                    // And where the timer sends the same once more, CUBIC keeps the threshold (RFC 5681 section 3.1).
                    let is_kept = is_again && window.ssthresh == threshold;
                    prop_assert!(window.ssthresh <= most || is_kept, "{} after {before}", window.ssthresh);
                }
            }
            prop_assert!(window.usable() >= 512);
        }
    }
}

/// What is not asked for is not computed, and a rate goes before the rule of `pacing`.
#[test]
fn only_scalable_controls_ask_for_marks_and_only_bbr_for_deliveries_and_a_rate() {
    for entry in FLAVORS {
        let (mut law, window) = connection(&format!("flavor = {:?}", entry.name));
        let (is_scalable, is_bbr) = (["dctcp", "prague"].contains(&entry.name), ["bbr", "bbr3"].contains(&entry.name));
        assert_eq!(law.observes_marks(), is_scalable, "{}", entry.name);
        assert_eq!(law.observes_deliveries(), is_bbr, "{}", entry.name);
        assert_eq!(law.pacing_rate(&window).is_some(), is_bbr, "{}", entry.name);
        assert!(!law.sends_less_than_it_could(), "{}", entry.name);
    }
}

/// UBR+ section 2: ssthresh = max(2 MSS, min(cwnd / 2, receiver window)). The printed form and BSD's differ when the
/// window has grown to more than twice the receiver's.
#[test]
fn the_threshold_after_a_loss_follows_the_printed_form_or_bsd() {
    // (rule, cwnd in segments, ssthresh in segments), the receiver window being 20 segments.
    let cases = [
        ("as-printed", 15.0, 7.5),
        ("bsd", 15.0, 7.0),
        ("as-printed", 30.0, 15.0),
        ("bsd", 30.0, 10.0),
        ("as-printed", 50.0, 20.0),
        ("bsd", 50.0, 10.0),
        ("as-printed", 3.0, 2.0),
        ("bsd", 3.0, 2.0),
    ];
    for (rule, cwnd, ssthresh) in cases {
        let (_, mut window) = connection(&format!("receiver_window = \"10240 B\", ssthresh_rule = \"{rule}\""));
        window.cwnd = cwnd * MSS;
        window.halve_threshold(0);
        assert_eq!(window.ssthresh / MSS, ssthresh, "{rule} with {cwnd} segments");
    }
}

/// The integer window problem (T-40): an increment of MSS * MSS / cwnd is one byte from MSS * MSS / 2 on and nothing beyond
/// MSS * MSS = 262144 bytes, where the window of a long fat network stays.
#[test]
fn in_integers_linear_growth_stops_at_the_square_of_the_segment_size() {
    let grown = |arithmetic: &str, cwnd: f64| {
        let (_, mut window) =
            connection(&format!("receiver_window = \"600000 B\", window_arithmetic = \"{arithmetic}\""));
        window.cwnd = cwnd;
        window.grow_linearly(512);
        window.cwnd - cwnd
    };
    let by_hand = [(131_072.0, 2.0), (131_073.0, 1.0), (262_144.0, 1.0), (262_145.0, 0.0), (500_000.0, 0.0)];
    for (cwnd, increment) in by_hand {
        assert_eq!(grown("integer", cwnd), increment, "cwnd {cwnd}");
    }
    // 512 * 512 / 500000 bytes, exactly as long as fractions are kept (T-43).
    assert!((grown("floating-point", 500_000.0) - 0.524_288).abs() < 1e-9);
}

#[test]
fn slow_start_adds_a_segment_for_an_acknowledgment_or_for_each_segment_it_covers() {
    for (growth, segments) in [("per-acknowledgment", 2.0), ("per-segment", 6.0)] {
        let (_, mut window) = connection(&format!("receiver_window = \"10240 B\", slow_start_growth = \"{growth}\""));
        window.grow_exponentially(5 * 512);
        assert_eq!(window.cwnd / MSS, segments, "{growth}");
    }
}

/// RFC 3465 section 2.3: two segments at most, so that an acknowledgment of much lets no burst go; one after a timeout, when acknowledgments
/// jump over what had arrived before.
#[test]
fn appropriate_byte_counting_adds_two_segments_at_most_and_one_after_a_timeout() {
    let (_, mut window) =
        connection("receiver_window = \"51200 B\", slow_start_growth = \"appropriate-byte-counting\"");
    let grown = |window: &mut Window, bytes| {
        let before = window.cwnd;
        window.grow_exponentially(bytes);
        (window.cwnd - before) / MSS
    };
    assert_eq!([256, 512, 1024, 5 * 512].map(|bytes| grown(&mut window, bytes)), [0.5, 1.0, 2.0, 2.0]);
    window.collapse();
    assert_eq!([256, 512, 1024, 5 * 512].map(|bytes| grown(&mut window, bytes)), [0.5, 1.0, 1.0, 1.0]);
    // Slow start after a pause is none after a timeout.
    window.restart();
    assert_eq!(grown(&mut window, 1024), 2.0);
}

/// T-06: a window may grow up to the receiver window, up to what window scaling can express, or without end; what may be
/// under way never exceeds the receiver window.
#[test]
fn the_limit_of_the_window_is_not_the_limit_of_what_is_under_way() {
    // 100000 B need a scale of 1: 65535 << 1 = 131070 B.
    for (limit, largest) in
        [("receiver-window", 100_000.0), ("scaled-maximum", 131_070.0), ("unlimited", 103_424.0 + 51_200.0)]
    {
        let (_, mut window) = connection(&format!("receiver_window = \"100000 B\", cwnd_limit = \"{limit}\""));
        // 1 + 301 segments are 154624 bytes.
        (0..301).for_each(|_| window.grow_exponentially(512));
        assert_eq!(window.cwnd, largest, "{limit}");
        assert_eq!(window.usable(), 100_000, "{limit}");
    }
}

#[test]
fn flavors_whose_recovery_can_be_chosen_name_the_one_that_was() {
    let flavors = ["bbr", "cubic", "dctcp", "prague", "high-speed", "hybla", "scalable", "h-tcp", "westwood", "vegas"];
    for flavor in flavors.into_iter().chain(["bic", "illinois", "ledbat"]) {
        for recovery in ["sack-rfc6675", "rack-tlp"] {
            let marks = if matches!(flavor, "dctcp" | "prague") { ", ecn = \"accurate\"" } else { "" };
            let config = end_systems(&format!("flavor = {{ kind = {flavor:?}, recovery = {recovery:?} }}{marks}"));
            assert_eq!(config.flavor.build(&()).recovery_name(), recovery, "{flavor}");
        }
    }
}

/// Of all others nothing is asked while nothing is to be repaired, which is what makes them fast; and nothing is to be repaired at first.
#[test]
fn only_rack_tlp_is_told_of_everything_and_none_repairs_anything_at_first() {
    for entry in RECOVERIES {
        let fragment = parse_fragment(&format!("{{ kind = {:?} }}", entry.name));
        let chosen = Chosen::<dyn Recovery>::read(&fragment, &mut Reader::default()).expect("a recovery");
        let recovery = chosen.build(&());
        assert_eq!(recovery.is_told_of_everything(), entry.name == "rack-tlp", "{}", entry.name);
        assert!(!recovery.is_recovering(), "{}", entry.name);
    }
}
