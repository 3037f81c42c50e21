//! Packet traces of ns-2, replayed: the same scenario must send, resend and acknowledge the same segments in the same order
//! at the same times.

mod recorded;
mod recorder;
mod settings;

use include_dir::{Dir, include_dir};
use longfat_engine::Simulation;
use longfat_engine::scenario::Scenario;

use crate::check::{Check, Kind};
use recorded::{Event, Trace};
use recorder::Recorder;

static TRACES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/ns-2");

/// How far times may differ: a tenth of a millisecond.
const TOLERANCE_PS: u64 = 100_000_000;

/// The names of all recorded traces.
#[must_use]
pub fn names() -> Vec<String> {
    let mut names: Vec<_> = TRACES
        .files()
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "txt"))
        .filter_map(|file| file.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Replays every recorded trace.
#[must_use]
pub fn checks() -> Vec<Check> {
    names().iter().map(|name| check(name)).collect()
}

/// Replays one trace.
#[must_use]
pub fn check(name: &str) -> Check {
    let outcome = read(name).and_then(|trace| {
        let scenario = scenario(&trace)?;
        let ours = run(&scenario)?;
        compare(&trace.events, &ours).map(|worst| (trace.events.len(), worst))
    });
    let title = format!("ns-2 {name}");
    match outcome {
        Ok((events, worst)) => {
            #[expect(clippy::cast_precision_loss, reason = "a report")]
            let microseconds = worst as f64 / 1e6;
            Check::passed(title, Kind::Trace, format!("{events} events in order, at most {microseconds:.1} us apart"))
        }
        Err(difference) => Check::failed(title, Kind::Trace, difference),
    }
}

fn read(name: &str) -> Result<Trace, String> {
    let file = TRACES.get_file(format!("{name}.txt")).ok_or_else(|| format!("no trace {name}"))?;
    Trace::parse(file.contents_utf8().ok_or("not text")?)
}

/// The scenario of a trace, as longfat's: what ns-2's variables say, in its own words.
fn scenario(trace: &Trace) -> Result<Scenario, String> {
    let text = settings::scenario_of(trace)?.to_string();
    Scenario::parse(text.as_bytes(), "trace.json", &[]).map_err(|problems| problems.join("; "))
}

/// The scenario of a recorded trace as canonical JSON, to be run by itself.
///
/// # Errors
/// If there is no such trace, or it cannot be expressed.
pub fn scenario_json(name: &str) -> Result<String, String> {
    scenario(&read(name)?).map(|scenario| scenario.canonical())
}

fn run(scenario: &Scenario) -> Result<Vec<Event>, String> {
    let mut simulation = Simulation::new(scenario, Recorder::new(scenario.tcp.mss.0));
    simulation.advance(simulation.end());
    simulation.audit().map_err(|violation| violation.to_string())?;
    Ok(simulation.into_observer().events)
}

/// The largest difference in time, in picoseconds.
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
    fn every_trace_is_replayed_in_the_same_order_and_at_the_same_times() {
        let failed: Vec<_> = checks().into_iter().filter(|check| !check.passed).collect();
        let lines: Vec<_> = failed.iter().map(|check| format!("{}: {}", check.name, check.detail)).collect();
        assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), names().len(), lines.join("\n"));
    }

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
        let scenario = Scenario::parse(settings.to_string().as_bytes(), "other.json", &[]).unwrap();
        assert!(compare(&trace.events, &run(&scenario).unwrap()).is_err());
    }
}
