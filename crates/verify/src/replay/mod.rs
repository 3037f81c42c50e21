//! Replay of packet traces of ns-2: the same scenario must send, retransmit and acknowledge the same segments in the same order at the same
//! times.

mod recorded;
mod recorder;
mod settings;

use include_dir::{Dir, include_dir};
use longfat_engine::run_told;
use longfat_engine::scenario::Scenario;

use crate::check::{Check, Finding, Kind};
use crate::runs;
use recorded::{Event, Trace};
use recorder::Recorder;

static TRACES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/ns-2");

/// Tolerance of times: 0.1 ms.
const TOLERANCE_PS: u64 = 100_000_000;

/// One check per recorded trace.
pub fn checks() -> Vec<Check> {
    let check = |name: String| Check::new(format!("{PREFIX}{name}"), Kind::Trace, move || replay(&name));
    names().into_iter().map(check).collect()
}

/// Prefix of the names of these checks.
const PREFIX: &str = "ns-2 ";

fn names() -> Vec<String> {
    let mut names: Vec<_> = TRACES
        .files()
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "txt"))
        .filter_map(|file| file.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn replay(name: &str) -> Finding {
    let trace = read(name)?;
    let ours = run(&scenario(&trace)?)?;
    let worst = compare(&trace.events, &ours)?;
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let microseconds = worst as f64 / 1e6;
    Ok(format!("{} events in order, at most {microseconds:.1} us apart", trace.events.len()))
}

fn read(name: &str) -> Result<Trace, String> {
    let file = TRACES.get_file(format!("{name}.txt")).ok_or_else(|| format!("no trace {name}"))?;
    Trace::parse(file.contents_utf8().ok_or("not text")?)
}

/// Scenario of a trace, converted from ns-2's variables.
fn scenario(trace: &Trace) -> Result<Scenario, String> {
    runs::scenario(&settings::scenario_of(trace)?)
}

/// Scenario of the check of a recorded trace, as JSON.
///
/// # Errors
/// If the check has no trace.
pub fn scenario_json(check: &str) -> Result<String, String> {
    let name = check.strip_prefix(PREFIX).ok_or_else(|| format!("\"{check}\" replays no trace"))?;
    pretty(&read(name)?)
}

/// Scenario of a recorded trace, as JSON, not validated by the engine.
///
/// # Errors
/// If the text is no trace.
pub fn scenario_of_trace(text: &str) -> Result<String, String> {
    pretty(&Trace::parse(text)?)
}

fn pretty(trace: &Trace) -> Result<String, String> {
    serde_json::to_string_pretty(&settings::scenario_of(trace)?).map_err(|error| error.to_string())
}

fn run(scenario: &Scenario) -> Result<Vec<Event>, String> {
    let mut recorder = Recorder::new(scenario.tcp.mss.0);
    run_told(scenario, &mut recorder).map_err(|violation| violation.to_string())?;
    Ok(recorder.events)
}

/// Compares two traces; returns the largest difference in time, in picoseconds.
fn compare(theirs: &[Event], ours: &[Event]) -> Result<u64, String> {
    let mut worst = 0;
    for (row, (their, our)) in theirs.iter().zip(ours).enumerate() {
        let apart = their.time.0.abs_diff(our.time.0);
        worst = worst.max(apart);
        if their.what() != our.what() || apart > TOLERANCE_PS {
            return Err(format!("row {}: ns-2 has \"{their}\", longfat \"{our}\"", row + 1));
        }
    }
    match (theirs.get(ours.len()), ours.get(theirs.len())) {
        (Some(their), _) => Err(format!("ns-2 goes on with \"{their}\"")),
        (_, Some(our)) => Err(format!("longfat goes on with \"{our}\"")),
        _ => Ok(worst),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_tells_other_times_other_orders_and_missing_events_apart() {
        let trace = read("reno-two-losses").unwrap();
        let other_order: Vec<_> = trace.events.iter().rev().cloned().collect();
        assert!(compare(&trace.events, &trace.events).is_ok());
        assert!(compare(&trace.events, &other_order).is_err());
        assert!(compare(&trace.events, &trace.events[1..]).is_err());
        assert!(compare(&trace.events, &trace.events[..trace.events.len() - 1]).is_err());
        let mut late = trace.events.clone();
        late[5].time.0 += TOLERANCE_PS + 1;
        assert!(compare(&trace.events, &late).is_err());
    }

    #[test]
    fn another_flavor_does_not_replay_a_trace() {
        let trace = read("reno-two-losses").unwrap();
        let mut settings = settings::scenario_of(&trace).unwrap();
        settings["tcp"]["flavor"] = "newreno-rfc6582".into();
        let ours = run(&runs::scenario(&settings).unwrap()).unwrap();
        assert!(compare(&trace.events, &ours).is_err());
    }

    #[test]
    fn traces_of_what_only_ns_2_does_are_not_replayed_with_the_defaults() {
        let differences = [
            ("newreno-red-wait-between-drops", "/port/queue", "spacing", "uniform"),
            ("newreno-red-short-queue", "/port/queue", "short_queue", "may-be-dropped"),
            ("newreno-red-first-above-minimum", "/port/queue", "first_above_minimum", "may-be-dropped"),
            ("newreno-red-idle-time", "/port/queue", "samples_after_idle", "idle-time"),
            ("newreno-red-burst-at-duplicate", "/tcp/flavor", "new_segments_at_duplicate", "window"),
            ("sack-loss-in-small-window", "/tcp/flavor", "sent_at_entry", "what-fits"),
            ("sack-blocks-after-recovery", "/tcp/flavor", "blocks_after_phase", "kept"),
            ("reno-repetition-with-delayed-acknowledgments", "/tcp/acknowledgments", "answer_to_repetition", "at-once"),
        ];
        for (name, model, parameter, default) in differences {
            let trace = read(name).unwrap();
            let mut settings = settings::scenario_of(&trace).unwrap();
            let model = settings.pointer_mut(model).unwrap();
            assert_ne!(model[parameter], default, "{name}");
            model[parameter] = default.into();
            let ours = run(&runs::scenario(&settings).unwrap()).unwrap();
            assert!(compare(&trace.events, &ours).is_err(), "{name} is replayed with {parameter} = {default}");
        }
    }
}
