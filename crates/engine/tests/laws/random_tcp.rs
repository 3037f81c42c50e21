//! Random end systems of TCP: every registered flavor, resumption and estimator and every knob, drawn from the declarations.

use longfat_engine::config::Parameter;
use longfat_engine::registry::Entry;
use longfat_engine::transport::TcpConfig;
use longfat_engine::transport::flavor::FLAVORS;
use longfat_engine::transport::resume::RESUMPTIONS;
use longfat_engine::transport::rto::{ESTIMATORS, TimeoutEstimator};
use longfat_engine::units::Span;
use proptest::prelude::*;

use crate::support::declared::any_table;

/// Longest retransmission timeout of random networks: milliseconds, so that short runs have timeouts and backoffs.
pub const LONGEST_TIMEOUT_MS: u64 = 30;

/// An estimator with timeouts of a few ticks, at most [`LONGEST_TIMEOUT_MS`].
fn estimator(entry: &Entry<dyn TimeoutEstimator>) -> String {
    let limits = [
        ("minimum_ticks", "2".to_owned()),
        ("minimum", "\"5 ms\"".to_owned()),
        ("maximum", format!("\"{LONGEST_TIMEOUT_MS} ms\"")),
        ("initial", "\"20 ms\"".to_owned()),
    ];
    let declared = (entry.parameters)();
    let limits = limits.iter().filter(|(name, _)| declared.iter().any(|field| field.name == *name));
    let limits: Vec<_> = limits.map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{{ kind = \"{}\", {} }}", entry.name, limits.join(", "))
}

/// Longest retransmission timeout of a random end system. Timeouts count in ticks: the longest is rounded up to whole ticks, and is at
/// least the minimum of two.
pub fn longest_timeout(tcp: &TcpConfig) -> Span {
    let granularity = tcp.timer_granularity.0.0;
    // For RFC 6298, a tick in progress when a timer starts does not count.
    let ticks = (LONGEST_TIMEOUT_MS * 1_000_000_000).div_ceil(granularity).max(2) + 1;
    Span(ticks * granularity)
}

/// True if segments are paced.
pub fn is_paced(tcp: &TcpConfig) -> bool {
    !tcp.pacing.is_absent() || !tcp.resume.is_absent() || tcp.flavor.build(&()).law().is_paced()
}

/// A flavor, each with the same probability, with any parameters.
pub fn any_flavor() -> impl Strategy<Value = String> {
    // Parameters of HighSpeed TCP depend on each other, and so do some of Illinois', and of those that know when the path changes.
    let left_out = [
        "period",
        "lead",
        "inhibited_for",
        "high_window",
        "high_loss_rate",
        "high_decrease",
        "least_increase",
        "least_decrease",
        "empty_delay",
        "long_delay",
    ];
    let tables = FLAVORS.iter().map(|entry| {
        let (table, parameters) = (any_table(Some(entry.name), &(entry.parameters)(), &left_out), (entry.parameters)());
        let about = parameters.iter().map(|field| field.name).find(|name| ["lead", "inhibited_for"].contains(name));
        (table, 1_u64..200, 1_u64..500).prop_map(move |(table, length, more)| match about {
            Some(about) => {
                let inner = table.strip_suffix(" }").expect("a table");
                format!("{inner}, {about} = \"{length} ms\", period = \"{} ms\" }}", length + more)
            }
            None => table,
        })
    });
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

/// Mostly no resumption, otherwise from a window of a few bytes to a megabyte and any round trip, or from what earlier connections observe.
fn any_resumption() -> impl Strategy<Value = String> {
    let careful = RESUMPTIONS.iter().find(|entry| entry.name == "careful-resume").expect("a registered rule");
    let knobs =
        any_table(Some(careful.name), &(careful.parameters)(), &["saved_cwnd", "saved_rtt", "least_saved", "beta"]);
    let saved = prop_oneof![
        (10_u64..20, 1_u64..200).prop_map(|(size, round_trip)| {
            format!("saved_cwnd = \"{} B\", saved_rtt = \"{round_trip} ms\"", 1 << size)
        }),
        (1_u32..60).prop_map(|least| format!("least_saved = {:?}", f64::from(least) / 10.0)),
    ];
    let known = (knobs, saved, 500_u32..=1000).prop_map(|(knobs, saved, beta)| {
        knobs.replace(" }", &format!(", {saved}, beta = {:?} }}", f64::from(beta) / 1e3))
    });
    prop_oneof![2 => Just("\"none\"".to_owned()), 1 => known]
}

/// End systems with any flavor and any knobs; segment sizes are drawn from `mss`.
pub fn any_tcp(mss: std::ops::Range<u64>) -> impl Strategy<Value = String> {
    let left_out = [
        "preset",
        "flavor",
        "mss",
        "receiver_window",
        "window_scale",
        "initial_window",
        "timer_granularity",
        "retransmission_timeout",
        "resume",
    ];
    let knobs = any_table(None, &TcpConfig::fields(), &left_out);
    let estimators: Vec<_> = ESTIMATORS.iter().map(estimator).collect();
    let largest = mss.end;
    let sizes = (mss, 1_u64..60, 0..largest, 0..largest);
    let granularity = prop::sample::select(vec!["1 ms", "2500 us", "10 ms"]);
    let scale = prop_oneof![7 => Just("\"automatic\"".to_owned()), 1 => (0_u64..5).prop_map(|shift| shift.to_string())];
    let initial = prop::option::of(1_u64..12);
    (any_flavor(), any_resumption(), knobs, prop::sample::select(estimators), sizes, granularity, scale, initial).prop_map(
        |(flavor, resume, knobs, estimator, (mss, segments, rest, more), granularity, scale, initial)| {
            let window = mss * segments + rest.min(mss - 1);
            let initial = initial.map_or_else(|| format!("{} B", mss + more), |segments| format!("{segments} MSS"));
            let knobs = knobs.trim_start_matches('{');
            format!(
                "{{ flavor = {flavor}, resume = {resume}, mss = \"{mss} B\", receiver_window = \"{window} B\", window_scale = {scale}, initial_window = \
                 \"{initial}\", timer_granularity = \"{granularity}\", retransmission_timeout = {estimator},{knobs}"
            )
        },
    )
}
