//! Simultaneous events in a binary heap (`port.arrival_order = "heap"`).

use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, run, run_by};

use crate::support::n_source;
use crate::support::tape::{Happening, run_taped};

/// Three sources with a packet of two cells of 10 us each, all at once, and a port with room for two cells.
fn three_packets(order: &str) -> Scenario {
    let rest = format!(
        "port = {{ buffer = \"2 cells\", arrival_order = \"{order}\" }}
tcp = {{ mss = \"40 B\", receiver_window = \"40 B\" }}"
    );
    n_source(3, "42.4 Mbit/s", "100 us", "2 ms", &rest)
}

/// The drops: microsecond and source.
fn drops(order: &str) -> Vec<(u64, usize)> {
    let (tape, record) = run_taped(&three_packets(order));
    assert_eq!(record.work.driver, "events");
    let of = |entry: &crate::support::tape::Entry| match entry.what {
        Happening::Dropped { cell, .. } => Some((entry.time.0 / 1_000_000, cell.circuit() / 2 + 1)),
        _ => None,
    };
    tape.iter().filter_map(of).collect()
}

/// A and B are the cells of a packet, at the switch after 110 and 120 us; T a timer, P the port, C a cell behind it, S the next start. After
/// the starts the heap is A1 A2 A3 B3 T2 B2 B1 T1 T3.
///
/// 110 us: A1 leaves, A2 rises to the root over T3. A1 has the port idle: P, at 110 us too, rises above B3 to stand beside A3. A2 leaves, and both
/// have room. P is the left child: it leaves before A3 and sends A1, so that A3 has room.
///
/// 120 us: the root is B3, then comes P, both children of what was A3: B3 is dropped, P sends A2. B1 is the last of the array: it becomes the
/// root, stays there beside B2, and has room. B2 is dropped.
#[test]
fn a_heap_drops_which_cells_its_array_says() {
    assert_eq!(drops("heap"), [(120, 3), (120, 2)]);
    assert_eq!(drops("first-come-first-served"), [(120, 2), (120, 3)], "a port sends first, then the first has room");
}

/// On lines that are exact, on lines with ticks, and beside VBR.
#[test]
fn only_events_order_things_by_a_heap_and_the_same_run_is_the_same() {
    let vbr =
        "background = [{ kind = \"vbr-on-off\", on = \"5 ms\", off = \"5 ms\" }]\nport.scheduler = \"strict-priority\"";
    for (clock, rest) in [("exact", ""), ("1 ps", ""), ("10 ns", ""), ("10 ns", vbr)] {
        let rest =
            format!("framing.clock = \"{clock}\"\nport.arrival_order = \"heap\"\nport.buffer = \"300 cells\"\n{rest}");
        let scenario = n_source(5, "155.52 Mbit/s", "5 us", "500 ms", &rest);
        let record = run(&scenario).unwrap();
        assert_eq!(record.work.driver, "events", "{clock}");
        assert!(
            record.ports[0].cells_dropped > 0 && record.flows.iter().all(|flow| flow.bytes_delivered > 0),
            "{clock}"
        );
        assert_eq!(record.fingerprint, run_by(Driver::Events, &scenario).unwrap().fingerprint);
    }
}

/// With a line that sends a cell every 2.72 us and no loss, the port sends a cell every 2.72 us.
#[test]
fn a_clock_of_ten_nanoseconds_drops_no_time_between_cells() {
    let rest = "framing.clock = \"10 ns\"\nport.buffer = \"unlimited\"\ntcp.receiver_window = \"65535 B\"";
    let record = run(&n_source(5, "155.882353 Mbit/s", "5 us", "2 s", rest)).unwrap();
    assert_eq!((record.work.driver, record.metrics.timeouts), ("events", 0));
    assert!(record.metrics.efficiency > 0.99 && record.metrics.efficiency < 1.0, "{}", record.metrics.efficiency);
}
