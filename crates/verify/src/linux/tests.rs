use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// All recordings by the names of their files.
fn recordings() -> BTreeMap<String, Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("linux/recordings");
    let files = std::fs::read_dir(folder).expect("the folder of recordings");
    files
        .map(|file| {
            let path = file.expect("a recording").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            let recording = Recording::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            (name, recording)
        })
        .collect()
}

/// Name, kind and whether it is held out, of each experiment that is declared.
fn declared() -> Vec<(String, String, bool)> {
    let text = include_str!("../../linux/experiments.toml");
    let experiments = text.split("[[experiment]]").skip(1);
    let of = |experiment: &str, key: &str| {
        let line = experiment.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
        line.unwrap_or_else(|| panic!("no {key} in {experiment}")).trim_matches('"').to_owned()
    };
    experiments.map(|each| (of(each, "name"), of(each, "kind"), of(each, "held_out") == "true")).collect()
}

#[test]
fn every_recording_is_complete() {
    for (name, recording) in recordings() {
        let seconds = recording.experiment["seconds"].as_f64().expect("a duration");
        for key in ["kernel", "qemu", "iproute2", "sysctls", "discipline_at_end", "offset_ms"] {
            assert!(recording.get(key).is_ok_and(|value| !value.is_empty()), "{name}: {key}");
        }
        assert!(!recording.connections.is_empty(), "{name}");
        assert_eq!(recording.steps.len(), recording.experiment["steps"].as_array().map_or(0, Vec::len), "{name}");
        let last = recording.queue.last().expect("samples of the queue");
        assert!(recording.queue.len() >= 40 && last.time as f64 > 900.0 * seconds, "{name}: the queue");
        assert!(!recording.waits.is_empty(), "{name}: times in the queue");
        for connection in &recording.connections {
            assert!(
                connection.established > connection.began && connection.received_bytes > 0,
                "{name}: {connection:?}"
            );
            assert!(!connection.windows.is_empty() || connection.samples.is_empty(), "{name}: windows");
        }
        let flows = recording.experiment["flows"].as_array().expect("flows");
        if flows[0]["count"].is_null() {
            // Ten a second while the connection is open, which takes seconds where SYNs are lost.
            let first = &recording.connections[0];
            let open = seconds - first.established;
            assert!(first.samples.len() as f64 > 5.0 * open * 0.9, "{name}: samples of tcp_info");
        }
    }
}

#[test]
fn the_guest_was_never_the_limit() {
    for (name, recording) in recordings() {
        let busy: f64 = recording.get("busy").expect("busy").parse().expect("a share");
        assert!(busy < 0.7, "{name}: the guest's processor was busy for {busy} of the time");
    }
}

#[test]
fn acknowledged_bytes_are_the_received_ones() {
    for (name, recording) in recordings() {
        for connection in recording.connections.iter().filter(|each| !each.samples.is_empty()) {
            // Linux counts the SYN, and at the end what is under way was not received or not yet acknowledged.
            let acknowledged: u64 = connection.samples.iter().map(|sample| sample.acknowledged).sum();
            let under_way =
                2 * connection.segment_bytes * connection.samples.iter().map(|sample| sample.flight).max().unwrap_or(0);
            assert!(
                acknowledged.abs_diff(connection.received_bytes) <= under_way + 2,
                "{name}: {acknowledged} {}",
                connection.received_bytes
            );
        }
    }
}

#[test]
fn what_is_recorded_is_declared_and_a_part_of_each_kind_is_held_out() {
    let declared = declared();
    let recordings = recordings();
    for (name, recording) in &recordings {
        let declaration = declared.iter().find(|(other, ..)| recording.get("name") == Ok(other));
        let (_, kind, held_out) = declaration.unwrap_or_else(|| panic!("{name} is not declared"));
        assert_eq!(recording.get("kind"), Ok(kind.as_str()), "{name}");
        assert_eq!(recording.held_out(), Ok(*held_out), "{name}");
    }
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (_, kind, held_out) in &declared {
        let count = kinds.entry(kind).or_default();
        count.0 += 1;
        count.1 += usize::from(*held_out);
    }
    for (kind, (all, held_out)) in kinds {
        assert!(held_out >= 1 && 2 * held_out <= all, "{kind}: {held_out} of {all} are held out");
    }
}

#[test]
fn a_text_that_is_no_recording_is_refused_with_its_line() {
    let header = "# longfat recording of Linux, version 1\n# experiment: {}\n";
    let refused = |rest: &str| Recording::parse(&format!("{header}{rest}")).expect_err(rest);
    assert_eq!(
        Recording::parse("").expect_err("an empty text"),
        "line 1: expected \"# longfat recording of Linux, version 1\""
    );
    assert_eq!(refused("0 1\n"), "line 3: a row before the first section");
    assert_eq!(refused("[queue]\ncolumns\n0 1\n"), "line 5: expected 5 values");
    assert_eq!(refused("[queue]\ncolumns\n0 1 x 3 4\n"), "line 5: cannot read \"x\"");
    assert!(refused("[connections]\ncolumns\n7 1 reno 0 0 0 0 0\n").starts_with("line 5: cannot read the connection"));
}
