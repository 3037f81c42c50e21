//! Service classes: the capacity that VBR takes, and the rest for UBR.

use longfat_engine::background::BACKGROUNDS;
use longfat_engine::framing::Class;
use longfat_engine::measure::{Cause, ClassRecord, RunRecord};
use longfat_engine::observer::Observer;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;
use longfat_engine::{run, run_told};

use crate::support::n_source;

/// Transmission time of a cell: 10 us.
const RATE: &str = "42.4 Mbit/s";
const CELL: u64 = 10_000_000;

/// Three connections that keep the line busy from soon after the start to the end, with VBR background.
fn network(scheduler: &str, background: &str, duration: &str) -> Scenario {
    let rest = format!(
        "port = {{ buffer = \"unlimited\", scheduler = {scheduler} }}\ntcp.receiver_window = \"60000 B\"\n\
         background = [{{ kind = \"vbr-on-off\", {background} }}]"
    );
    n_source(3, RATE, "5 us", duration, &rest)
}

fn guaranteed(kind: &str, share: &str) -> String {
    format!("{{ kind = \"{kind}\", guaranteed_rate = {share} }}")
}

#[track_caller]
fn run_whole(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

fn classes(record: &RunRecord) -> (&ClassRecord, &ClassRecord) {
    let classes = &record.ports[0].classes;
    assert_eq!(classes.iter().map(|class| class.name).collect::<Vec<_>>(), ["ubr", "vbr"]);
    (&classes[0], &classes[1])
}

#[derive(Default)]
struct Served(Vec<(Time, Class)>);

impl Observer for Served {
    fn cell_served(&mut self, now: Time, _port: usize, class: Class, _bits: u64) {
        self.0.push((now, class));
    }
}

/// Time and class of every cell sent.
fn served(scenario: &Scenario) -> Vec<(Time, Class)> {
    let mut served = Served::default();
    run_told(scenario, &mut served).unwrap_or_else(|violation| panic!("{violation}"));
    served.0
}

fn cells_of(class: Class, served: &[(Time, Class)]) -> u64 {
    served.iter().filter(|(_, sent)| *sent == class).count() as u64
}

#[test]
fn vbr_with_strict_priority_never_waits_and_takes_all_of_every_burst() {
    let record = run_whole(&network("\"strict-priority\"", "on = '30 ms', off = '20 ms'", "200 ms"));
    let (ubr, vbr) = classes(&record);
    // Four bursts of 3000 cells; every cell is sent at the end of its slot.
    assert_eq!((vbr.cells_in, vbr.cells_out, vbr.cells_dropped), (12_000, 12_000, 0));
    assert_eq!((vbr.max_queue_cells, vbr.mean_queue_cells), (1, 0.0));
    assert!(ubr.mean_queue_cells > 100.0, "{ubr:?}");
    assert_eq!((ubr.cells_in, ubr.cells_out), (record.ports[0].cells_in, record.ports[0].cells_out));
}

#[test]
fn with_strict_priority_ubr_has_the_pauses_and_nothing_else() {
    for (line, class) in served(&network("\"strict-priority\"", "on = '30 ms', off = '20 ms'", "200 ms")) {
        // A cell that arrives in a slot is sent in the next.
        let in_burst = (line.0 - CELL) % (5000 * CELL) < 3000 * CELL;
        assert_eq!(class, if in_burst { Class::Vbr } else { Class::Ubr }, "at {} s", line.as_seconds());
    }
}

#[test]
fn while_anybody_waits_the_line_is_never_idle_whatever_the_scheduler() {
    for scheduler in
        ["\"strict-priority\"".into(), guaranteed("guaranteed-rate", "0.3"), guaranteed("weighted-fair", "0.3")]
    {
        let all = served(&network(&scheduler, "on = '7 ms', off = '11 ms'", "300 ms"));
        // From the first window on UBR is always backlogged: a cell starts every 10 us, to the picosecond.
        let steady: Vec<_> = all.iter().filter(|(time, _)| time.0 > 100_000 * 1_000_000).collect();
        assert_eq!(steady.len() as u64, (300_000 - 100_000) / 10 - 1, "{scheduler}");
        assert!(steady.windows(2).all(|pair| pair[1].0.0 - pair[0].0.0 == CELL), "{scheduler}");
    }
}

#[test]
fn both_classes_together_fill_the_line_to_the_cell() {
    let record = run_whole(&network(&guaranteed("guaranteed-rate", "0.1"), "on = '1 s', off = '0 s'", "1 s"));
    let (ubr, vbr) = classes(&record);
    // VBR comes from slot 0 on: every slot but the first is used.
    assert_eq!(ubr.cells_out + vbr.cells_out, 100_000 - 1);
    assert!((record.ports[0].utilization - 0.99999).abs() < 1e-9, "{}", record.ports[0].utilization);
}

/// 97-0424 figure 2: at GR = 0.5, VBR with a duty cycle of one half becomes a constant half.
#[test]
fn a_guarantee_of_one_half_is_every_second_cell_while_vbr_waits() {
    for kind in ["guaranteed-rate", "weighted-fair"] {
        let all = served(&network(&guaranteed(kind, "0.5"), "on = '1 s', off = '0 s'", "300 ms"));
        let steady: Vec<_> = all.iter().filter(|(time, _)| time.0 > 100_000 * 1_000_000).collect();
        assert!(steady.len() > 19_000);
        assert!(steady.windows(2).all(|pair| pair[0].1 != pair[1].1), "{kind}: one class sends twice in a row");
    }
}

/// In every interval in which UBR is backlogged, it gets its share of the cells sent, less one. (Start-time fair queueing may owe it the
/// share of a cell more: Goyal, Vin and Cheng 1996, theorem 2.)
#[test]
fn ubr_gets_its_guaranteed_rate_in_every_interval_less_one_cell() {
    for (kind, owed_share) in [("guaranteed-rate", 0.0), ("weighted-fair", 1.0)] {
        for (share, background) in [
            (0.1, "on = '1 s', off = '0 s'"),
            (0.3, "on = '20 ms', off = '10 ms'"),
            (0.7, "on = '50 ms', off = '1 ms', rate = '30 Mbit/s'"),
        ] {
            let all = served(&network(&guaranteed(kind, &share.to_string()), background, "300 ms"));
            let steady: Vec<_> = all.into_iter().filter(|(time, _)| time.0 > 100_000 * 1_000_000).collect();
            // Largest drop of (UBR cells) - GR (cells) from any point to a later one.
            let (mut level, mut highest, mut deepest) = (0.0_f64, 0.0_f64, 0.0_f64);
            for (_, class) in &steady {
                level += if *class == Class::Ubr { 1.0 - share } else { -share };
                highest = highest.max(level);
                deepest = deepest.max(highest - level);
            }
            assert!(deepest <= 1.0 + owed_share * share + 1e-6, "{kind}, {share}: {deepest} cells short");
        }
    }
}

/// 97-0424 section 3: VBR has a peak rate of 1 - GR, whether UBR uses the rest or not.
#[test]
fn vbr_never_has_what_is_kept_for_ubr() {
    for share in [0.1, 0.3, 0.5] {
        let kept = format!("{{ kind = \"guaranteed-rate\", guaranteed_rate = {share}, unused_guarantee = \"kept\" }}");
        let all = served(&network(&kept, "on = '70 ms', off = '30 ms'", "300 ms"));
        assert!(cells_of(Class::Ubr, &all) > 1000 && cells_of(Class::Vbr, &all) > 10_000, "{share}");
        // Largest rise of (VBR cells) - (1 - GR) (slots) from any cell to a later one.
        let (mut lowest, mut highest, mut cells) = (f64::MAX, 0.0_f64, 0.0);
        for (time, _) in all.iter().filter(|(_, class)| *class == Class::Vbr) {
            let own = (1.0 - share) * time.as_seconds() / 10e-6;
            lowest = lowest.min(cells - own);
            cells += 1.0;
            highest = highest.max(cells - own - lowest);
        }
        assert!(highest <= 2.0, "{share}: {highest} cells more than its share");
    }
}

#[test]
fn a_slot_that_is_kept_and_not_used_is_an_idle_one() {
    let with = |unused: &str| {
        // Two connections whose windows are far too small for the line.
        let rest = format!(
            "port = {{ buffer = \"unlimited\", scheduler = {{ kind = \"guaranteed-rate\", guaranteed_rate = 0.4, unused_guarantee = \"{unused}\" }} }}\n\
             tcp.receiver_window = \"1024 B\"\nbackground = [{{ kind = \"vbr-on-off\", on = '1 s', off = '0 s' }}]"
        );
        run_whole(&n_source(2, RATE, "5 ms", "500 ms", &rest))
    };
    let (lent, kept) = (with("lent"), with("kept"));
    assert!(lent.ports[0].utilization > 0.999, "{}", lent.ports[0].utilization);
    let (ubr, vbr) = classes(&kept);
    assert!((vbr.cells_out as f64 / 50_000.0 - 0.6).abs() < 1e-4, "{vbr:?}");
    let used = (ubr.cells_out + vbr.cells_out) as f64 / 50_000.0;
    assert!(used < 0.7 && (kept.ports[0].utilization - used).abs() < 1e-4, "{used}, {}", kept.ports[0].utilization);
    let (of_vbr, idle) = (kept.ledger.share(Cause::Vbr), kept.ledger.share(Cause::IdleReceiverWindow));
    assert!((of_vbr - 0.6).abs() < 1e-4 && idle > 0.35, "{:?}", kept.ledger);
}

#[test]
fn a_guarantee_of_nothing_is_strict_priority() {
    let strict = served(&network("\"strict-priority\"", "on = '7 ms', off = '11 ms'", "100 ms"));
    assert!(cells_of(Class::Vbr, &strict) > 3000 && cells_of(Class::Ubr, &strict) > 3000);
    for kind in ["guaranteed-rate", "weighted-fair"] {
        assert_eq!(served(&network(&guaranteed(kind, "0"), "on = '7 ms', off = '11 ms'", "100 ms")), strict, "{kind}");
    }
}

/// A burst of 3000 cells that may send 9 cells in 10 builds a queue of 300, which drains in another 300 / 0.9 cells.
#[test]
fn with_a_guarantee_bursts_wait_in_a_queue_that_the_pauses_empty() {
    let record = run_whole(&network(&guaranteed("guaranteed-rate", "0.1"), "on = '30 ms', off = '30 ms'", "600 ms"));
    let (_, vbr) = classes(&record);
    assert_eq!((vbr.cells_in, vbr.cells_dropped), (30_000, 0));
    assert!((299..=301).contains(&vbr.max_queue_cells), "{vbr:?}");
    // A triangle: 300 cells high, 3000 + 333 cells wide, of 6000; the first burst ends before UBR has sent its first windows.
    let expected = 0.5 * 300.0 * 3333.0 / 6000.0;
    assert!((vbr.mean_queue_cells / expected - 1.0).abs() < 0.05, "{vbr:?}, not {expected}");
}

/// M-02: with VBR for half of the time, full use is half of the line, even if the run ends within a cycle.
#[test]
fn efficiency_is_relative_to_what_vbr_leaves_in_the_mean() {
    for (background, scheduler, left) in [
        ("on = '30 ms', off = '30 ms'", "\"strict-priority\"".to_owned(), 0.5),
        ("on = '30 ms', off = '30 ms'", guaranteed("guaranteed-rate", "0.1"), 0.5),
        ("on = '30 ms', off = '10 ms', rate = '21.2 Mbit/s'", "\"strict-priority\"".to_owned(), 0.625),
        ("on = '1 s', off = '0 s'", guaranteed("guaranteed-rate", "0.3"), 0.3),
    ] {
        for duration in ["600 ms", "650 ms"] {
            let record = run_whole(&network(&scheduler, background, duration));
            // 512 bytes in 12 cells of 53.
            let expected = 42.4e6 * 512.0 / (12.0 * 53.0) * left;
            assert!(
                (record.metrics.max_goodput_bps / expected - 1.0).abs() < 1e-9,
                "{background}: {:?}",
                record.metrics
            );
            assert!((0.85..1.1).contains(&record.metrics.efficiency), "{background}: {:?}", record.metrics);
        }
    }
}

/// M-02, 97-0424 section 4.2: 80.5 % of 155.52 Mbit/s, 125.2 Mbit/s, even though segments of 9180 bytes would make it 9180 in 193 cells.
#[test]
fn efficiency_may_be_relative_to_segments_of_another_size() {
    let with = |reference: &str| {
        let rest = format!(
            "port.buffer = \"unlimited\"\ntcp = {{ mss = \"9180 B\", receiver_window = \"60000 B\" }}\n\
             background = [{{ kind = \"vbr-on-off\", on = '30 ms', off = '30 ms' }}]\n\
             port.scheduler = \"strict-priority\"\nmeasure.reference_segment = \"{reference}\""
        );
        run_whole(&n_source(3, RATE, "5 us", "600 ms", &rest)).metrics
    };
    let (full, printed) = (with("full"), with("512 B"));
    assert!((full.max_goodput_bps / (0.5 * 42.4e6 * 9180.0 / (193.0 * 53.0)) - 1.0).abs() < 1e-9, "{full:?}");
    assert!((printed.max_goodput_bps / (0.5 * 42.4e6 * 512.0 / (12.0 * 53.0)) - 1.0).abs() < 1e-9, "{printed:?}");
    assert!((printed.efficiency / full.efficiency * 512.0 * 193.0 / (9180.0 * 12.0) - 1.0).abs() < 1e-9);
    // The rest of the run is unchanged.
    assert_eq!((full.goodput_bps, full.fairness), (printed.goodput_bps, printed.fairness));
}

#[test]
fn two_vbr_sources_share_the_queue_of_their_class() {
    let two = "on = '20 ms', off = '20 ms', rate = '21.2 Mbit/s' }, { kind = \"vbr-on-off\", on = '20 ms', off = '20 ms', starts = 'off', rate = '21.2 Mbit/s'";
    let record = run_whole(&network("\"strict-priority\"", two, "400 ms"));
    let (_, vbr) = classes(&record);
    // One of the classes always sends every second cell; the slot of the last one has not ended.
    assert_eq!((vbr.cells_in, vbr.max_queue_cells), (20_000, 1));
}

#[test]
fn first_come_first_served_ports_have_classes_too() {
    let rest = "port = { buffer = \"unlimited\", scheduler = \"strict-priority\", arrival_order = \"first-come-first-served\" }
tcp.receiver_window = \"60000 B\"\nbackground = [{ kind = \"vbr-on-off\", on = '30 ms', off = '20 ms' }]";
    let record = run_whole(&n_source(3, RATE, "5 us", "200 ms", rest));
    let (_, vbr) = classes(&record);
    // An arriving cell may find a UBR cell in service, and the next still find it there.
    assert_eq!(vbr.cells_in, 12_000);
    assert!((1..=2).contains(&vbr.max_queue_cells) && vbr.mean_queue_cells < 1.0, "{vbr:?}");
}

/// With one class only: the same cells at the same times as in a single queue.
#[test]
fn every_background_of_the_class_ubr_waits_in_the_buffer_of_ubr() {
    assert!(BACKGROUNDS.len() > 1);
    let with = |scheduler: &str| {
        let rest = format!(
            "port = {{ buffer = \"500 cells\", scheduler = \"{scheduler}\" }}\nbackground = [{{ kind = \"poisson\", load = 0.3 }}]"
        );
        run_whole(&n_source(3, RATE, "5 us", "300 ms", &rest))
    };
    let (one_queue, classes) = (with("fifo"), with("strict-priority"));
    assert!(one_queue.ports[0].cells_dropped > 0 && one_queue.ports[0].classes.is_empty());
    assert_eq!(serde_json::to_string(&classes.flows).unwrap(), serde_json::to_string(&one_queue.flows).unwrap());
    assert_eq!(classes.ports[0].cells_out, one_queue.ports[0].cells_out);
    assert_eq!(classes.ports[0].mean_queue_cells, one_queue.ports[0].mean_queue_cells);
}
