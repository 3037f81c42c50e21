//! Comparison of two runs: they diverge where the first does something that the other does not.

use longfat_engine::divergence::{Comparison, Happening, compare};
use longfat_engine::run;
use longfat_engine::scenario::Scenario;

use crate::support::n_source;
use crate::support::tape::{Entry, Happening as Taped, run_taped};

fn network(buffer: &str, rest: &str) -> Scenario {
    let rest = format!("port = {{ buffer = \"{buffer}\", policy = \"tail-drop\" }}\n{rest}");
    n_source(3, "42.4 Mbit/s", "100 us", "500 ms", &rest)
}

fn compared(first: &Scenario, second: &Scenario) -> Comparison {
    compare([first, second], |_| false).expect("nobody stops it")
}

fn first(tape: &[Entry], which: impl Fn(&Taped) -> bool) -> &Entry {
    tape.iter().find(|entry| which(&entry.what)).expect("it happens")
}

#[test]
fn a_run_never_parts_from_itself() {
    let scenario = network("100 cells", "seed = 3");
    let comparison = compared(&scenario, &scenario);
    assert!(comparison.divergence.is_none());
    assert_eq!(comparison.compared_until_ps, scenario.duration.0.0);
    let record = run(&scenario).expect("nothing is violated");
    let sent: u64 = record.flows.iter().map(|flow| flow.segments_sent).sum();
    assert!(comparison.events_alike > 3 * sent, "{} events of {sent} segments", comparison.events_alike);
}

#[test]
fn runs_with_unlike_buffers_part_when_the_smaller_drops_its_first_cell() {
    let (small, large) = (network("100 cells", ""), network("300 cells", ""));
    let (tape, _) = run_taped(&small);
    let drop = first(&tape, |what| matches!(what, Taped::Dropped { .. }));
    let divergence = compared(&small, &large).divergence.expect("they part");
    assert_eq!((divergence.time_ps, divergence.flow), (drop.time.0, drop.flow + 1));
    let [in_small, in_large] = &divergence.after;
    assert!(matches!(in_small[0].happening, Happening::CellDropped { port: 1, reason: "no room in the buffer" }));
    assert!(in_large.first().is_none_or(|event| event.time_ps > drop.time.0));
    assert_eq!(divergence.before.len(), 5);
    assert!(divergence.before.iter().all(|event| event.time_ps <= drop.time.0));
    // Symmetric: the same divergence in reverse order.
    let reverse = compared(&large, &small).divergence.expect("they part");
    assert_eq!((reverse.time_ps, reverse.flow), (divergence.time_ps, divergence.flow));
}

#[test]
fn a_loss_in_one_connection_is_found_in_that_one() {
    let plain = network("unlimited", "");
    let lossy = network("unlimited", "loss = { kind = \"list\", drops = [[], [7], []] }");
    let (tape, _) = run_taped(&lossy);
    let loss = first(&tape, |what| matches!(what, Taped::Lost { .. }));
    let divergence = compared(&plain, &lossy).divergence.expect("they part");
    assert_eq!((divergence.time_ps, divergence.flow), (loss.time.0, 2));
    assert_eq!(divergence.after[1][0].happening, Happening::PacketLost);
}

#[test]
fn one_connection_more_is_where_runs_part_from_the_start() {
    let two = n_source(2, "42.4 Mbit/s", "100 us", "50 ms", "port.buffer = \"unlimited\"");
    let three = n_source(3, "42.4 Mbit/s", "100 us", "50 ms", "port.buffer = \"unlimited\"");
    let divergence = compared(&two, &three).divergence.expect("they part");
    assert_eq!((divergence.time_ps, divergence.flow), (0, 3));
    assert!(divergence.after[0].is_empty());
}

#[test]
fn a_comparison_can_be_stopped() {
    let scenario = network("100 cells", "");
    let mut asked = 0;
    let is_stopped = |_| {
        asked += 1;
        asked > 10
    };
    assert!(compare([&scenario, &scenario], is_stopped).is_none());
}

#[test]
fn what_is_told_of_a_parting_does_not_depend_on_how_long_the_runs_go_on() {
    let shortened = |buffer: &str, duration: &str| {
        let rest = format!("port = {{ buffer = \"{buffer}\", policy = \"tail-drop\" }}\n");
        n_source(3, "42.4 Mbit/s", "100 us", duration, &rest)
    };
    let told = ["100 ms", "500 ms", "20 s"].map(|duration| {
        let comparison = compared(&shortened("100 cells", duration), &shortened("300 cells", duration));
        serde_json::to_string(&comparison).expect("a comparison is JSON")
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[1], told[2]);
    let both = compared(&network("100 cells", ""), &network("300 cells", "")).divergence.expect("they part").after;
    assert!(both.iter().all(|events| events.len() == 5), "both go on");
}
