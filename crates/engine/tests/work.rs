//! Cost of runs in counts that are the same on every machine: events, acts of the calendar, allocations.
//!
//! `tests/work.txt` keeps the counts for the scenarios of `benchmarks/scenarios`. A change that makes a run dearer shows here, in
//! the difference of that file, before anybody measures a second. `LONGFAT_BLESS=1 cargo test` writes it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;

use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation};

/// Counts the allocations of each thread, and the bytes that it holds.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

fn hold(more: usize, less: usize) {
    BYTES.set(BYTES.get() + more.cast_signed() as i64 - less.cast_signed() as i64);
}

// SAFETY: hands everything to the system's allocator; counters without destructors are all there is besides.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        hold(layout.size(), 0);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        hold(0, layout.size());
        // SAFETY: the caller's promise is the system's.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        hold(size, layout.size());
        // SAFETY: the caller's promise is the system's.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Tolerance for other compilers and libraries, as a share.
const TOLERANCE: f64 = 0.02;

/// The counts of one run.
struct Counts {
    driver: &'static str,
    events: u64,
    packet_hops: u64,
    calendar: u64,
    /// Before the first event, from then to the end of the run, and for its record.
    allocations: [u64; 3],
}

fn count(driver: Driver, scenario: &Scenario) -> Counts {
    let at_start = ALLOCATIONS.get();
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
    let built = ALLOCATIONS.get();
    simulation.advance(simulation.end());
    let over = ALLOCATIONS.get();
    let calendar = simulation.calendar_acts();
    let record = simulation.finish().unwrap_or_else(|violation| panic!("{violation}"));
    Counts {
        driver: record.work.driver,
        events: record.work.events,
        packet_hops: record.work.packet_hops,
        calendar,
        allocations: [built - at_start, over - built, ALLOCATIONS.get() - over],
    }
}

fn scenarios() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/scenarios");
    let mut files: Vec<_> =
        folder.read_dir().expect("the folder is there").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = std::fs::read(file).expect("a readable file");
        let scenario = Scenario::parse(&text, &name, &[]);
        (name, scenario.unwrap_or_else(|problems| panic!("{}", problems.join("\n"))))
    };
    files.iter().map(read).collect()
}

fn table() -> String {
    let mut text = String::from(
        "What runs of the scenarios in benchmarks/scenarios cost, by each driver. Events and packet-hops are the model's own and\n\
         exact; the others may differ by 2 %. LONGFAT_BLESS=1 cargo test writes this file.\n\n\
         scenario                  driver      events  packet-hops  acts of the  allocations  while the  for the\n\
         \x20                                                            calendar     at set-up   run goes   record\n",
    );
    for (name, scenario) in scenarios() {
        for driver in [Driver::Events, Driver::Fast] {
            let Counts { driver, events, packet_hops, calendar, allocations: [built, run, finished] } =
                count(driver, &scenario);
            writeln!(
                text,
                "{name:24}  {driver:6}  {events:>10}  {packet_hops:>11}  {calendar:>11}  {built:>11}  {run:>9}  {finished:>7}"
            )
            .expect("a string takes all");
        }
    }
    text
}

/// Whether two lines are the same but for numbers from the fifth word on that differ by no more than the tolerance.
fn agree(expected: &str, actual: &str) -> bool {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (expected, actual) = (words(expected), words(actual));
    let near = |(index, (old, new)): (usize, (&String, &String))| match (old.parse::<f64>(), new.parse::<f64>()) {
        (Ok(old), Ok(new)) if index >= 4 => (old - new).abs() <= (TOLERANCE * old).max(2.0),
        _ => old == new,
    };
    expected.len() == actual.len() && expected.iter().zip(&actual).enumerate().all(near)
}

#[test]
fn runs_cost_what_they_did() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/work.txt");
    let actual = table();
    if std::env::var_os("LONGFAT_BLESS").is_some() {
        std::fs::write(&path, actual).expect("a writable file");
        return;
    }
    let expected = std::fs::read_to_string(&path).expect("LONGFAT_BLESS=1 writes it");
    assert_eq!(expected.lines().count(), actual.lines().count(), "the scenarios are not those of tests/work.txt");
    for (line, (old, new)) in expected.lines().zip(actual.lines()).enumerate() {
        assert!(
            agree(old, new),
            "tests/work.txt:{} differs by more than {TOLERANCE}\n  expected: {old}\n  happened: {new}\nLONGFAT_BLESS=1 rewrites the file",
            line + 1
        );
    }
}

#[test]
fn a_number_that_grows_by_more_than_the_tolerance_is_noticed() {
    assert!(agree("lan fast 10 20 1000", "lan  fast 10 20 1020"));
    assert!(!agree("lan fast 10 20 1000", "lan fast 10 20 1021"));
    assert!(!agree("lan fast 1000 20 1000", "lan fast 1001 20 1000"), "events are exact");
    assert!(!agree("lan fast 10 20 1000", "lan fast 10 20"));
}

#[test]
fn a_run_under_way_does_not_allocate_for_each_packet() {
    for (name, scenario) in scenarios() {
        let Counts { packet_hops, allocations: [_, run, _], .. } = count(Driver::Fast, &scenario);
        assert!(run * 20 < packet_hops, "{name}: {run} allocations for {packet_hops} packet-hops");
    }
}

/// Bytes for each of so many connections at two times of a run with that traffic.
fn bytes_of_connections(
    connections: u32,
    sources: u32,
    framing: &str,
    traffic: &str,
    driver: Driver,
    until: [Time; 2],
) -> [f64; 2] {
    let unit = if framing == "aal5" { "cells" } else { "packets" };
    let text = format!(
        "schema_version = 1\nduration = \"30 s\"\nframing = \"{framing}\"\ntopology = {{ kind = \"n-source\", sources = {sources}, \
         access = {{ delay = \"5 ms\" }}, bottleneck = {{ delay = \"5 ms\" }} }}\nport = {{ buffer = \"1000 {unit}\" }}\n\
         traffic = {traffic}\n"
    );
    let scenario = Scenario::parse(text.as_bytes(), "many", &[]);
    let scenario = scenario.unwrap_or_else(|problems| panic!("{}", problems.join("\n")));
    let before = BYTES.get();
    let mut simulation = Simulation::driven_by(driver, &scenario, Unobserved);
    assert_eq!(simulation.driver(), driver);
    until.map(|until| {
        simulation.advance(until);
        (BYTES.get() - before) as f64 / f64::from(connections)
    })
}

const SECOND: u64 = 1_000_000_000_000;

#[test]
fn a_connection_that_waits_takes_less_than_a_kilobyte_and_one_that_was_busy_less_than_four() {
    // A segment of each is acknowledged, and another comes when the run is over.
    let traffic =
        "{ kind = \"messages\", size = \"512 B\", interval = \"60 s\", start = \"1 s\", stagger = \"100 us\" }";
    for (framing, driver, most_idle, most_active) in [
        ("aal5", Driver::Fast, 1024.0, 4096.0),
        ("packet", Driver::Fast, 1024.0, 4096.0),
        // Each line and each timer has a place in the calendar.
        ("aal5", Driver::Events, 1536.0, 4864.0),
        ("packet", Driver::Events, 1536.0, 4864.0),
    ] {
        let times = [Time(SECOND / 2), Time(30 * SECOND)];
        let [idle, active] = bytes_of_connections(5000, 5000, framing, traffic, driver, times);
        assert!(idle < most_idle && active < most_active, "{framing}, {}: {idle:.0} B, {active:.0} B", driver.name());
    }
}

#[test]
fn a_flow_that_is_over_takes_less_than_a_kilobyte_however_many_came_before() {
    let traffic = "{ kind = \"flows\", size = { kind = \"fixed\", size = \"20 kB\" }, interval = \"10 ms\", \
                   arrivals = \"evenly-spaced\", count = 1000 }";
    for driver in [Driver::Fast, Driver::Events] {
        let times = [Time(SECOND), Time(20 * SECOND)];
        let [begun, over] = bytes_of_connections(5000, 5, "packet", traffic, driver, times);
        assert!(over < 1024.0 && over < begun + 320.0, "{}: {begun:.0} B, then {over:.0} B", driver.name());
    }
}
