//! Flavors: what congestion control must do to a window, whatever the flavor; and UBR+ section 2 by numbers.

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::registry::{Chosen, Entry};
use longfat_engine::transport::flavor::{FLAVORS, Flavor, RECOVERIES};
use longfat_engine::transport::law::{Progress, SlowStart, WindowLaw};
use longfat_engine::transport::recovery::Recovery;
use longfat_engine::transport::{TcpConfig, Window};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;

use crate::support::declared::any_table;
use crate::support::scenario;

const MSS: f64 = 512.0;
const ROUND_TRIP: Span = Span::from_microseconds(30_000);

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

/// An acknowledgment of so many bytes, with a round-trip sample, of a window that is full again.
fn progress(now: Time, acknowledged: u64, window: &Window) -> Progress {
    Progress {
        now,
        acknowledged,
        sample: Some(ROUND_TRIP),
        smoothed_round_trip: Some(ROUND_TRIP),
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
        "slow_start_exit",
        "resume",
    ];
    let knobs = any_table(None, &TcpConfig::fields(), &left_out);
    let flavors: Vec<_> = FLAVORS.iter().map(|entry| entry.name).collect();
    (knobs, prop::sample::select(flavors), 1_u64..2_000).prop_map(|(knobs, flavor, segments)| {
        let knobs = knobs.trim_matches(['{', '}', ' ']).to_owned();
        format!("flavor = \"{flavor}\", receiver_window = \"{} B\", {knobs}", 512 * segments)
    })
}

proptest! {
    #[test]
    fn a_window_never_falls_below_a_segment_and_grows_by_what_was_acknowledged_at_most(
        settings in any_settings(),
        history in prop::collection::vec(prop::option::weighted(0.95, 1_u64..40), 0..300),
    ) {
        let period = end_systems(&settings).acknowledgments_per_increment.0;
        let flavor = end_systems(&settings).flavor.build(&());
        let facts = flavor.facts();
        let (mut law, mut window) = connection(&settings);
        let mut now = Time::ZERO;
        let mut is_timed_out = false;
        for step in history {
            let (before, threshold) = (window.cwnd, window.ssthresh);
            let is_again = std::mem::replace(&mut is_timed_out, step.is_none()) && step.is_none();
            now += ROUND_TRIP;
            match step {
                Some(segments) => {
                    let progress = progress(now, 512 * segments, &window);
                    law.on_acknowledgment(&mut window, &progress);
                    #[expect(clippy::cast_precision_loss, reason = "at most 40")]
                    let most = MSS * (segments * period) as f64;
                    let (may_shrink, may_leap) = (facts.shrinks_without_loss, facts.slow_start == SlowStart::Faster);
                    let cwnd = window.cwnd;
                    // Laws that count whole segments, as the kernel does, have no use for the rest of a limit that is none.
                    let is_no_less = (cwnd / MSS).floor() >= (before / MSS).floor();
                    prop_assert!(is_no_less || may_shrink, "an acknowledgment shrank {before} to {cwnd}");
                    prop_assert!(cwnd - before <= most || may_leap, "{segments} segments let {before} grow to {cwnd}");
                }
                None => {
                    let flight = window.usable();
                    law.on_timeout(&mut window, flight);
                    prop_assert_eq!(window.cwnd, MSS, "a timeout leaves one segment (T-15)");
                    // Laws that use delivery rates have no threshold.
                    if facts.observes_deliveries {
                        continue;
                    }
                    prop_assert!(window.ssthresh >= 2.0 * MSS, "at least two segments (T-05), not {}", window.ssthresh);
                    let share = flavor.after_loss(before / MSS, ROUND_TRIP.as_seconds()).left_after_timeout;
                    let most = (before * share).max(2.0 * MSS);
                    // A second timeout of the same segment may keep the threshold (RFC 5681 section 3.1).
                    let is_kept = is_again && window.ssthresh == threshold;
                    prop_assert!(window.ssthresh <= most || is_kept, "{} after {before}", window.ssthresh);
                }
            }
            prop_assert!(window.usable() >= 512);
        }
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
    let has_recovery = |entry: &&Entry<dyn Flavor>| (entry.parameters)().iter().any(|field| field.name == "recovery");
    for Entry { name: flavor, .. } in FLAVORS.iter().filter(has_recovery) {
        for recovery in ["sack-rfc6675", "rack-tlp", "rack-tlp-linux"] {
            // The echo of marks that is enough for every law.
            let settings = format!("flavor = {{ kind = {flavor:?}, recovery = {recovery:?} }}, ecn = \"accurate\"");
            assert_eq!(end_systems(&settings).flavor.build(&()).recovery().name(), recovery, "{flavor}");
        }
    }
}

/// Of all others nothing is asked while nothing is to be repaired, which is what makes them fast; and nothing is to be repaired at first.
#[test]
fn only_recoveries_by_time_are_told_of_everything_and_none_repairs_anything_at_first() {
    for entry in RECOVERIES {
        let fragment = parse_fragment(&format!("{{ kind = {:?} }}", entry.name));
        let chosen = Chosen::<dyn Recovery>::read(&fragment, &mut Reader::default()).expect("a recovery");
        let recovery = chosen.build(&());
        assert_eq!(recovery.is_told_of_everything(), entry.name.starts_with("rack-tlp"), "{}", entry.name);
        assert!(!recovery.is_recovering(), "{}", entry.name);
    }
}
