//! Packets that overtake others, by RFC 4737: share, extent, and what senders make of it.

use std::collections::BTreeMap;

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;

use crate::support::scenario;
use crate::support::tape::{Entry, Happening, run_taped};

/// Connections over 10 Mbit/s and 10 ms each way, with a packet of 1250 bytes, one millisecond, for each segment.
fn network(sources: u64, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
framing = \"packet\"
port.buffer = \"unlimited\"
topology = {{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }} }}
{rest}
"
    ))
}

/// [`network`] of one connection whose window keeps the line full, with this on the bottleneck.
fn full(flavor: &str, line: &str) -> Scenario {
    network(
        1,
        &format!(
            "duration = \"20 s\"
tcp = {{ flavor = \"{flavor}\", mss = \"1210 B\", receiver_window = \"60000 B\", timer_granularity = \"1 ms\", \
         retransmission_timeout = \"rfc-6298\" }}
lines = [{{ at = \"bottleneck\", {line} }}]"
        ),
    )
}

fn record(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// First bytes of the segments of a flow in the order in which they arrive for the first time.
fn arrivals(tape: &[Entry], flow: usize) -> Vec<u64> {
    let mut seen = std::collections::BTreeSet::new();
    let of_flow = tape.iter().filter(|entry| entry.flow == flow);
    let received = of_flow.filter_map(|entry| match entry.what {
        Happening::Received { sequence, .. } => Some(sequence),
        _ => None,
    });
    received.filter(|sequence| seen.insert(*sequence)).collect()
}

/// The extent of each packet that is reordered: of those before which a later one has arrived (RFC 4737 section 3.3), the packets since
/// the first such one (section 4.2.1).
fn extents(arrivals: &[u64]) -> Vec<usize> {
    let mut highest = 0;
    let mut extents = Vec::new();
    for (place, number) in arrivals.iter().enumerate() {
        if *number < highest {
            let first = arrivals[..place].iter().position(|before| before > number).expect("the highest is later");
            extents.push(place - first);
        }
        highest = highest.max(*number);
    }
    extents
}

#[test]
fn jitter_that_is_always_the_same_is_a_longer_line() {
    let far = full("sack", "jitter = \"5 ms\"");
    let mut longer: serde_json::Value =
        serde_json::from_str(&full("sack", "order = \"fifo\"").canonical()).expect("JSON");
    longer["topology"]["bottleneck"]["delay_ps"] = 13_000_000_000_u64.into();
    longer["topology"]["bottleneck"]["delay_back_ps"] = 8_000_000_000_u64.into();
    let longer =
        Scenario::parse(longer.to_string().as_bytes(), "longer.json", &[]).unwrap_or_else(|all| panic!("{all:?}"));
    let [far, longer] = [&far, &longer].map(|scenario| record(scenario).flows[0].clone());
    assert_eq!(far.bytes_delivered, longer.bytes_delivered);
    assert_eq!(far.round_trips, longer.round_trips);
}

/// Seconds by which each segment is later than without jitter, with only one under way at a time.
fn held(jitter: &str) -> Vec<f64> {
    let one_at_a_time = "duration = \"60 s\"\ntcp = { mss = \"1210 B\", receiver_window = \"1210 B\" }";
    let crossings = |line: &str| -> Vec<f64> {
        let (tape, _) =
            run_taped(&network(1, &format!("{one_at_a_time}\nlines = [{{ at = \"bottleneck\", {line} }}]")));
        let times = |is_wanted: fn(&Happening) -> bool| {
            let wanted = tape.iter().filter(move |entry| is_wanted(&entry.what));
            wanted.map(|entry| entry.time.as_seconds()).collect::<Vec<_>>()
        };
        let received = times(|what| matches!(what, Happening::Received { .. }));
        times(|what| matches!(what, Happening::Sent { .. }))
            .iter()
            .zip(received)
            .map(|(sent, then)| then - sent)
            .collect()
    };
    let steady = crossings("order = \"fifo\"")[0];
    crossings(&format!("jitter = \"{jitter}\"")).iter().map(|crossing| crossing - steady).collect()
}

/// Mean and standard deviation in milliseconds of each distribution, worked out by hand.
#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn packets_are_held_up_as_the_distribution_says() {
    for (jitter, mean, deviation) in [
        ("uniform(2 ms, 8 ms)", 5.0, 6.0 / 12_f64.sqrt()),
        ("normal(20 ms, 2 ms)", 20.0, 2.0),
        ("exponential(4 ms)", 4.0, 4.0),
        // Mean 4 / 3 of the smallest; variance a / ((a - 1)^2 (a - 2)) = 4 / (9 * 2) of its square.
        ("pareto(6 ms, 4)", 8.0, 6.0 * (4.0_f64 / 18.0).sqrt()),
        ("measured(1 ms, 1 ms, 7 ms)", 3.0, 8_f64.sqrt()),
    ] {
        let held = held(jitter);
        let number = held.len() as f64;
        let of_mean = held.iter().sum::<f64>() / number * 1e3;
        let spread = (held.iter().map(|held| (held * 1e3 - of_mean).powi(2)).sum::<f64>() / number).sqrt();
        assert!(number > 1_000.0, "{jitter}: {number} packets");
        assert!((of_mean - mean).abs() < 4.0 * deviation / number.sqrt(), "{jitter}: mean {of_mean} ms, not {mean}");
        assert!((spread / deviation - 1.0).abs() < 0.15, "{jitter}: deviation {spread} ms, not {deviation}");
    }
}

#[test]
fn jitter_lets_packets_pass_only_where_their_order_is_free() {
    let reordered = |order: &str| {
        let line = format!("jitter = \"uniform(0 ms, 5 ms)\", order = \"{order}\"");
        let (tape, record) = run_taped(&full("sack", &line));
        (extents(&arrivals(&tape, 0)).len(), record.flows[0].duplicate_acknowledgments)
    };
    assert_eq!(reordered("fifo"), (0, 0));
    let (reordered, duplicates) = reordered("free");
    assert!(reordered > 2_000 && duplicates > 2_000, "{reordered} packets, {duplicates} duplicates");
}

/// Arrival of each segment, by its first byte.
fn times(tape: &[Entry]) -> BTreeMap<u64, u64> {
    let received = tape.iter().filter_map(|entry| match entry.what {
        Happening::Received { sequence, .. } => Some((sequence, entry.time.0)),
        _ => None,
    });
    // Of repetitions the first counts.
    received.rev().collect()
}

#[test]
fn a_delay_that_becomes_shorter_lets_later_packets_pass_those_that_are_under_way() {
    let run = |rows: &str, order: &str| {
        let path =
            format!("path = {{ kind = \"schedule\", steps = \"time_s,delay_s\\n{rows}\" }}, order = \"{order}\"");
        run_taped(&full("sack", &path)).0
    };
    let [constant, free, fifo] = [("0,0.058", "fifo"), ("0,0.058\\n5,0.008", "free"), ("0,0.058\\n5,0.008", "fifo")]
        .map(|(rows, order)| run(rows, order));
    assert!(extents(&arrivals(&fifo, 0)).is_empty());
    let reordered = extents(&arrivals(&free, 0)).len();
    // 49 segments in each 78 ms; those of the last 50 ms before the step are passed, if any leaves right after it.
    assert!((15..=49).contains(&reordered), "{reordered}");
    let [constant, free, fifo] = [constant, free, fifo].map(|tape| times(&tape));
    let before = 5_000_000_000_000;
    let under_way: Vec<_> = constant.iter().filter(|(_, time)| **time < before + 50_000_000_000).collect();
    assert!(
        under_way.iter().all(|(sequence, time)| free.get(sequence) == Some(time)),
        "those before arrive as if nothing had changed"
    );
    let earlier = free.iter().filter(|(sequence, time)| fifo.get(sequence).is_some_and(|fifo| *time < fifo)).count();
    assert!(earlier >= 15, "{earlier} arrive earlier than in order");
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn late_packets_are_as_many_as_their_share_and_three_duplicates_do_not_mind_an_extent_below_three() {
    // A packet every millisecond. One that is 2.5 ms late is passed by the next two, unless both are late too.
    let share: f64 = 0.05;
    let line = format!("reordering = {{ kind = \"random\", share = {share}, extra = \"2500 us\" }}");
    let (tape, record) = run_taped(&full("sack", &line));
    let arrivals = arrivals(&tape, 0);
    let extents = extents(&arrivals);
    let expected = share * (1.0 - share * share) * arrivals.len() as f64;
    assert!(arrivals.len() > 19_000);
    assert!((extents.len() as f64 - expected).abs() < 4.0 * expected.sqrt(), "{} and not {expected}", extents.len());
    assert!(extents.iter().all(|extent| (1..=3).contains(extent)));
    assert_eq!((record.flows[0].segments_retransmitted, record.flows[0].timeouts), (0, 0));
}

#[test]
fn acknowledgments_that_overtake_each_other_cost_nothing() {
    let line = "jitter = \"uniform(0 ms, 10 ms)\", order = \"free\"";
    let back = full("sack", "order = \"fifo\"")
        .canonical()
        .replace("\"bottleneck\",\"order\"", "\"bottleneck back\",\"order\"");
    let overrides = [("lines".to_owned(), format!("[{{ at = 'bottleneck back', {} }}]", line.replace('"', "'")))];
    let disturbed = Scenario::parse(back.as_bytes(), "back.json", &overrides).unwrap_or_else(|all| panic!("{all:?}"));
    let (tape, disturbed) = run_taped(&disturbed);
    let numbers: Vec<u64> = tape
        .iter()
        .filter_map(|entry| match entry.what {
            Happening::Acknowledged { next, .. } => Some(next),
            _ => None,
        })
        .collect();
    assert!(extents(&numbers).len() > 5_000, "{} come late", extents(&numbers).len());
    let flow = &disturbed.flows[0];
    assert_eq!((flow.segments_retransmitted, flow.timeouts, flow.duplicate_acknowledgments), (0, 0, 0));
    assert!(disturbed.metrics.efficiency > 0.99, "{}", disturbed.metrics.efficiency);
}

#[test]
fn lanes_reorder_the_packets_of_a_flow_unless_it_keeps_its_lane() {
    let reordered = |choice: &str| {
        let lanes = format!(
            "duration = \"5 s\"\ntcp = {{ flavor = \"sack\", mss = \"1210 B\", receiver_window = \"60000 B\" }}\n\
             lines = [{{ at = \"bottleneck\", reordering = {{ kind = \"lanes\", delays = [\"0 ms\", \"4 ms\"], choice = \"{choice}\" }} }}]"
        );
        let (tape, _) = run_taped(&network(2, &lanes));
        [0, 1].map(|flow| extents(&arrivals(&tape, flow)).len())
    };
    assert_eq!(reordered("by-flow"), [0, 0]);
    assert!(reordered("round-robin").iter().sum::<usize>() > 1_000, "{:?}", reordered("round-robin"));
    assert!(reordered("random").iter().all(|packets| *packets > 100), "{:?}", reordered("random"));
}

#[test]
fn packets_that_are_still_held_up_at_the_end_are_under_way() {
    // A run whose packets do not add up fails.
    let record = record(&full("sack", "jitter = \"50 s\""));
    assert_eq!((record.flows[0].bytes_delivered, record.metrics.packets_lost), (0, 0));
    assert!(record.flows[0].segments_sent > 1);
}

/// Segments sent again although nothing is lost, and efficiency, with 2 % of packets 12 ms late: passed by twelve others, and less than a
/// quarter of the round trip of 60 ms.
fn reordered(flavor: &str) -> (u64, f64) {
    let record = record(&network(
        1,
        &format!(
            "duration = \"60 s\"
tcp = {{ flavor = \"{flavor}\", mss = \"1210 B\", receiver_window = \"200000 B\", timer_granularity = \"1 ms\", \
         retransmission_timeout = \"rfc-6298\" }}
lines = [{{ at = \"bottleneck\", jitter = \"20 ms\", reordering = {{ kind = \"random\", share = 0.02, extra = \"12 ms\" }} }}, \
         {{ at = \"bottleneck back\", jitter = \"20 ms\" }}]"
        ),
    ));
    assert_eq!((record.metrics.packets_lost, record.ports[0].packets_dropped), (0, 0), "nothing is lost");
    (record.flows[0].segments_retransmitted, record.metrics.efficiency)
}

#[test]
fn rack_waits_for_late_packets_where_three_duplicates_send_them_again() {
    let counting = ["newreno", "sack", "sack-rfc6675"].map(reordered);
    let (again, efficiency) = reordered("rack-tlp");
    for (by_duplicates, of_duplicates) in counting {
        assert!(20 * again < by_duplicates, "{again} are sent again, by duplicates {by_duplicates}");
        assert!(efficiency > of_duplicates + 0.1, "{efficiency}, by duplicates {of_duplicates}");
    }
}
