//! Changing paths: rates, delays, interruptions and losses by schedule.

use longfat_engine::config::Parameter;
use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;

use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// One connection over 10 Mbit/s and 20 ms with windows that fill it, for `seconds` seconds.
fn network(seconds: u64, path: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"{seconds} s\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"8 ms\" }} }}
framing = \"packet\"
port.buffer = \"unlimited\"
path = {path}
tcp = {{ flavor = \"sack-rfc6675\", mss = \"1210 B\", receiver_window = \"60000 B\", timestamps = true, \
         timer_granularity = \"1 ms\", retransmission_timeout = \"rfc-6298\" }}
"
    ))
}

fn record(seconds: u64, path: &str) -> RunRecord {
    run(&network(seconds, path)).expect("conservation")
}

fn schedule(rows: &str) -> String {
    format!("{{ kind = \"schedule\", steps = \"\"\"\n{rows}\n\"\"\" }}")
}

#[test]
fn a_schedule_that_says_what_the_topology_says_changes_nothing() {
    let path = schedule("time_s,rate_bps,delay_s,loss\n0,10000000,0.008,0\n3,10000000,0.008,0");
    assert_eq!(record(10, &path).fingerprint, record(10, "\"fixed\"").fingerprint);
}

#[test]
fn efficiency_is_relative_to_what_the_path_carries_over_the_run() {
    // 10 Mbit/s for 10 s, 2 for 10 s, none for 5 s, 10 for 5 s: 170 Mbit in 30 s.
    let record = record(30, &schedule("time_s,rate_bps\n0,1e7\n10,2e6\n20,0\n25,1e7"));
    let most = 170e6 / 30.0 * 1210.0 / 1262.0;
    assert!((record.metrics.max_goodput_bps / most - 1.0).abs() < 1e-9, "{}", record.metrics.max_goodput_bps);
    assert!(record.metrics.efficiency > 0.97, "the window keeps it full: {}", record.metrics.efficiency);
}

#[test]
fn a_line_is_busy_for_as_long_as_it_sends_at_whatever_rate() {
    let utilization = |rows: &str| record(20, &schedule(&format!("time_s,rate_bps\n{rows}"))).ports[0].utilization;
    // A window of 49 segments fills the line at half its rate, but not at five times its rate.
    let slow = utilization("0,5e6");
    assert!((0.99..=1.0).contains(&slow), "{slow}");
    let fast = utilization("0,50e6");
    let segment = 1262.0 * 8.0 / 50e6;
    let most = 49.0 * segment / (0.020 + segment);
    assert!((0.97 * most..=most).contains(&fast), "{fast}, at most {most}");
    // Off for half of the time, and busy for the other half.
    let interrupted = utilization("0,1e7\n10,0");
    assert!((0.49..=0.5).contains(&interrupted), "{interrupted}");
}

#[test]
fn nothing_arrives_during_an_interruption_and_what_waits_goes_when_it_is_over() {
    let scenario = network(10, &schedule("time_s,rate_bps\n4,0\n4.5,1e7"));
    let (tape, _) = run_taped(&scenario);
    let arrivals: Vec<f64> = tape
        .iter()
        .filter(|entry| matches!(entry.what, Happening::Received { .. }))
        .map(|entry| entry.time.as_seconds())
        .collect();
    // Data on the line at 4 s arrives within the delays of 9 ms and a packet's transmission time.
    assert!(arrivals.iter().any(|time| (3.99..4.012).contains(time)));
    assert!(!arrivals.iter().any(|time| (4.012..4.508).contains(time)));
    assert!(arrivals.iter().any(|time| (4.508..4.512).contains(time)), "at once when it is over");
}

#[test]
fn packets_arrive_in_the_order_in_which_they_were_sent_when_the_delay_becomes_shorter() {
    let scenario = network(10, &schedule("time_s,delay_s\n0,0.058\n5,0.008"));
    let (tape, record) = run_taped(&scenario);
    let mut expected = 0;
    for entry in &tape {
        if let Happening::Received { sequence, length, .. } = entry.what {
            assert_eq!(sequence, expected, "at {:?}", entry.time);
            expected = sequence + length;
        }
    }
    assert_eq!(record.flows[0].segments_retransmitted, 0);
    let between = |begin: u64, end: u64| {
        let second = |number: u64| Time(number * 1_000_000_000_000);
        let received = tape.iter().filter(|entry| (second(begin)..second(end)).contains(&entry.time));
        received.filter(|entry| matches!(entry.what, Happening::Received { .. })).count()
    };
    // 49 segments per round trip of 118 ms, or of 18 ms, when the line is the limit: 990 per second.
    assert!((400..425).contains(&between(3, 4)), "{}", between(3, 4));
    assert!((980..1000).contains(&between(7, 8)), "{}", between(7, 8));
}

/// Transit times of each segment and of its acknowledgment, in seconds, with only one in flight at a time.
fn crossings(path: &str) -> [Vec<f64>; 2] {
    let one_at_a_time = [("tcp.receiver_window".to_owned(), "1210 B".to_owned())];
    let text = network(60, path).canonical();
    let scenario = Scenario::parse(text.as_bytes(), "one.json", &one_at_a_time).expect("a scenario");
    let (tape, _) = run_taped(&scenario);
    let times = |is_wanted: fn(&Happening) -> bool| {
        tape.iter().filter(move |entry| is_wanted(&entry.what)).map(|entry| entry.time.as_seconds())
    };
    let is_received = |what: &Happening| matches!(what, Happening::Received { .. });
    let is_back = |what: &Happening| matches!(what, Happening::Acknowledged { .. });
    [is_received, is_back].map(|happens| {
        let sent = times(|what| matches!(what, Happening::Sent { .. }));
        sent.zip(times(happens)).map(|(sent, then)| then - sent).collect()
    })
}

#[expect(clippy::cast_precision_loss, reason = "some thousand segments")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean absolute difference between successive values.
fn mean_difference(values: &[f64]) -> f64 {
    mean(&values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect::<Vec<_>>())
}

#[test]
fn each_packet_is_held_up_by_its_own_share_of_the_jitter() {
    let [steady, _] = crossings(&schedule("time_s,jitter_s\n0,0"));
    let [jittered, round_trips] = crossings(&schedule("time_s,jitter_s\n0,0.015"));
    assert!(steady.iter().all(|crossing| (crossing - steady[0]).abs() < 1e-9), "{steady:?}");
    let held: Vec<f64> = jittered.iter().map(|crossing| crossing - steady[0]).collect();
    assert!(held.len() > 1000);
    assert!(held.iter().all(|held| (0.0..0.015).contains(held)));
    let near = |value: f64, expected: f64| (value - expected).abs() < 0.0005;
    assert!(near(mean(&held), 0.0075), "half of it on the mean: {}", mean(&held));
    assert!(near(mean_difference(&held), 0.005), "a third of it: {}", mean_difference(&held));
    // The mean difference between two sums of two uniform draws is 7/15 of the largest draw.
    assert!(near(mean_difference(&round_trips), 0.007), "7/15 of it: {}", mean_difference(&round_trips));
}

#[test]
fn packets_that_are_held_up_keep_their_order_and_lose_nothing() {
    let path = "{ kind = \"leo\", loss = 0.0, gap = \"0 s\", delay = \"8 ms\", jitter = \"20 ms\" }";
    let (tape, record) = run_taped(&network(20, path));
    let mut expected = 0;
    for entry in &tape {
        if let Happening::Received { sequence, length, .. } = entry.what {
            assert_eq!(sequence, expected, "at {:?}", entry.time);
            expected = sequence + length;
        }
    }
    assert_eq!((record.flows[0].segments_retransmitted, record.flows[0].duplicate_acknowledgments), (0, 0));
}

#[test]
fn a_path_without_jitter_keeps_the_name_of_its_scenario() {
    let name = |path: &str| network(10, path).hash();
    assert_eq!(name("{ kind = \"leo\", jitter = \"0 s\" }"), name("\"leo\""));
    assert_ne!(name("{ kind = \"leo\", jitter = \"1 ms\" }"), name("\"leo\""));
}

#[test]
fn packets_are_lost_as_often_as_the_schedule_says_in_both_directions() {
    let path = schedule("time_s,loss\n0,0.02");
    let record = record(60, &path);
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    let (lost, sent) = (record.metrics.packets_lost as f64, record.flows[0].segments_sent as f64);
    // Nearly one acknowledgment per segment: as many packets each way.
    let expected = 0.02 * 2.0 * sent;
    assert!((lost - expected).abs() < 5.0 * expected.sqrt(), "{lost} of {sent} there and back");
}

#[test]
fn a_satellite_has_a_share_of_the_rate_that_is_drawn_from_the_least_one_on() {
    let path = "{ kind = \"leo\", loss = 0.0, gap = \"0 s\", least_rate_share = 0.5 }";
    let scenario = network(600, path);
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let rate = |second: u64| conditions.at(Time(second * 1_000_000_000_000)).rate.expect("nothing interrupts it").0;
    let whole = rate(600);
    let mut rates: Vec<u64> = (0..40).map(|interval| rate(15 * interval + 1)).collect();
    rates.sort_unstable();
    assert!(rates[0] >= whole / 2 && rates[39] <= whole, "{rates:?} of {whole}");
    assert!(rates[0] < whole * 6 / 10 && rates[39] > whole * 9 / 10, "forty draws leave little out: {rates:?}");
    rates.dedup();
    assert_eq!(rates.len(), 40, "each satellite has its own");
}

#[test]
fn a_constellation_changes_every_15_s_within_its_limits_and_as_its_seed_says() {
    let path = "{ kind = \"leo\", loss = 0.0 }";
    let scenario = network(60, path);
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let at = |seconds: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a minute")]
        conditions.at(Time((seconds * 1e12) as u64))
    };
    let delays = [1.0, 16.0, 31.0, 46.0].map(|seconds| at(seconds).delay);
    for (index, (delay, end)) in delays.iter().zip([15.0, 30.0, 45.0, 60.0]).enumerate() {
        assert!((0.015..0.040).contains(&delay.as_seconds()), "{delay:?}");
        assert!(!delays[..index].contains(delay), "another satellite, another delay");
        assert_eq!(at(end - 0.001).delay, *delay, "the same to its end");
    }
    for change in [15.0, 30.0, 45.0] {
        assert_eq!(at(change + 0.029).rate, None, "at least 30 ms");
        assert!(at(change + 0.050).rate.is_some(), "at most 50 ms");
    }
    let other = Scenario::parse(scenario.canonical().as_bytes(), "other.json", &[("seed".into(), "2".into())]);
    let other = other.expect("a scenario");
    let conditions = other.conditions(&other.graph()).expect("it changes");
    assert_ne!(conditions.at(Time(1)).delay, delays[0]);
}

#[test]
fn a_fade_leaves_a_tenth_of_the_rate_for_ten_seconds() {
    let record = record(30, "\"geo-fade\"");
    let most = (20.0 * 10e6 + 10.0 * 1e6) / 30.0 * 1210.0 / 1262.0;
    assert!((record.metrics.max_goodput_bps / most - 1.0).abs() < 1e-9);
    assert!(record.metrics.efficiency > 0.97, "{}", record.metrics.efficiency);
}

#[test]
fn a_fade_may_be_drawn_by_replication_within_its_limits() {
    let path = "{ kind = \"geo-fade\", begin = \"uniform(5 s, 15 s)\", lasting = \"uniform(1 s, 4 s)\" }";
    let text = network(30, path).canonical();
    let fade = |replication: u64| {
        let overrides = [("replication".to_owned(), replication.to_string())];
        let scenario = Scenario::parse(text.as_bytes(), "text.json", &overrides).expect("a scenario");
        let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
        let millisecond = |number: u64| conditions.at(Time(number * 1_000_000_000)).rate.expect("no interruption").0;
        let faded: Vec<u64> = (0..30_000).filter(|number| millisecond(*number) == 1_000_000).collect();
        (faded[0], faded.len())
    };
    let mut fades: Vec<_> = (0..20).map(fade).collect();
    assert_eq!(fade(7), fades[7], "the same each time");
    for (begin, lasting) in &fades {
        assert!((5_000..=15_000).contains(begin) && (999..=4_000).contains(lasting), "{begin} ms, for {lasting} ms");
    }
    fades.sort_unstable();
    fades.dedup_by_key(|(begin, _)| *begin);
    assert_eq!(fades.len(), 20, "each replication has its own");
    assert!(fades[0].0 < 7_000 && fades[19].0 > 13_000, "twenty draws leave little out: {fades:?}");
}

/// Written before fades could be random.
#[test]
fn a_fade_that_is_fixed_keeps_the_name_of_its_scenario() {
    let resolved = Parameter::resolved(&network(30, "{ kind = \"geo-fade\", begin = \"5 s\" }"));
    let expected = "{\"begin_ps\":5000000000000,\"kind\":\"geo-fade\",\"lasting_ps\":10000000000000,\"loss\":0.0,\"rate_share\":0.1}";
    assert_eq!(resolved["path"].to_string(), expected);
}

/// Rate in kbit/s that a shower leaves of 10 Mbit/s, at each tenth of a second; 0 while everything is lost.
fn rain(parameters: &str) -> Vec<u64> {
    let scenario = network(100, &format!("{{ kind = \"rain\", {parameters} }}"));
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let at = |number: u64| conditions.at(Time(number * 100_000_000_000 + 1));
    let kept = |number: u64| if at(number).loss > 0.0 { 0 } else { at(number).rate.map_or(0, |rate| rate.0 / 1000) };
    (0..1000).map(kept).collect()
}

#[test]
fn rain_goes_down_the_ladder_of_codes_and_up_again() {
    // 15 dB less a margin of 1: 32APSK 4/5 (13.64 dB, 3.951571 bits a symbol). 12 dB less: QPSK 1/2 (1.00 dB, 0.988858).
    let rates = rain("begin = '10 s', rise = '20 s', lasting = '30 s', reaction = '0 s'");
    let worst = 10_000 * 988_858 / 3_951_571;
    assert_eq!((rates[99], rates[400], rates[850]), (10_000, worst, 10_000));
    // 8PSK 2/3 withstands 6.62 dB, or 7.38 dB of rain: for 7.38 / 12 of the rise, 12.3 s. Then QPSK 9/10 is used.
    let (least, below) = (10_000 * 1_980_636 / 3_951_571, 10_000 * 1_788_612 / 3_951_571);
    assert_eq!((rates[222], rates[224]), (least, below));
    assert!(rates[100..300].is_sorted_by(|one, next| one >= next), "it only falls: {:?}", &rates[100..300]);
    let mut levels = rates;
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(levels.len(), 16, "every code from the one to the other that no other is better than: {levels:?}");
}

#[test]
fn rain_goes_as_it_came() {
    let scenario = network(100, "{ kind = \"rain\", lasting = \"30 s\", reaction = \"0 s\" }");
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let rate = |milliseconds: u64| conditions.at(Time(milliseconds * 1_000_000_000)).rate;
    // From 10 s to 80 s; no code changes at these milliseconds, which are no multiples of a sixtieth of a second.
    let times = (0..250).map(|tenths| 7 + 100 * tenths);
    times.for_each(|time| assert_eq!(rate(10_000 + time), rate(80_000 - time), "{time} ms"));
}

#[test]
fn codes_follow_the_rain_with_their_reaction() {
    let at_once = rain("reaction = '0 s'");
    let later = rain("reaction = '500 ms'");
    assert_eq!(at_once[..995], later[5..]);
}

#[test]
fn rain_that_grows_by_more_than_the_margin_before_codes_follow_loses_everything() {
    // 0.6 dB/s for 2 s is 1.2 dB: beyond a margin of 1 dB while it rises, never while it falls.
    let rates = rain("begin = '10 s', rise = '20 s', lasting = '20 s', reaction = '2 s'");
    let lost = |range: std::ops::Range<usize>| rates[range].iter().filter(|rate| **rate == 0).count();
    assert!(lost(100..320) > 20, "{:?}", &rates[100..320]);
    assert_eq!((lost(0..100), lost(320..1000)), (0, 0));
    let wide = rain("begin = '10 s', rise = '20 s', lasting = '20 s', reaction = '2 s', margin = '1.21 dB'");
    assert_eq!(wide.iter().filter(|rate| **rate == 0).count(), 0);
}

#[test]
fn nothing_passes_while_no_code_stands_the_rain() {
    // The most robust code withstands 15 + 2.35 - 1 = 16.35 of 20 dB: 16.35 s of the rise.
    let scenario = network(100, "{ kind = \"rain\", depth = \"20 dB\", reaction = \"0 s\" }");
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let rate = |milliseconds: u64| conditions.at(Time(milliseconds * 1_000_000_000)).rate;
    assert!(rate(26_349).is_some() && rate(26_351).is_none());
    assert!(rate(53_649).is_none() && rate(53_651).is_some());
    let record = run(&scenario).expect("conservation");
    assert!(record.metrics.efficiency > 0.7, "it goes on after the rain: {}", record.metrics.efficiency);
}

#[test]
fn what_is_under_way_when_no_code_stands_the_rain_any_more_is_lost_with_the_rest() {
    // 30 dB in 20 s; the most robust code withstands 17.35 dB, 11.57 s of the rise. Its sender stops a quarter of a second later.
    let scenario = network(
        100,
        "{ kind = \"rain\", begin = \"10 s\", rise = \"20 s\", depth = \"30 dB\", reaction = \"248 ms\" }",
    );
    let conditions = scenario.conditions(&scenario.graph()).expect("it changes");
    let loss = |milliseconds: u64| conditions.at(Time(milliseconds * 1_000_000_000)).loss;
    assert_eq!([21_560, 21_570, 22_000, 35_000].map(loss), [0.0, 1.0, 1.0, 1.0]);
}

#[test]
fn what_is_wrong_with_a_path_is_told() {
    let problem = |path: &str, framing: &str| {
        let text = network(10, "\"fixed\"").canonical();
        let overrides = [("path".to_owned(), path.to_owned()), ("framing".to_owned(), framing.to_owned())];
        Scenario::parse(text.as_bytes(), "text.json", &overrides).expect_err("a problem").join("; ")
    };
    let cells = problem("leo", "aal5");
    assert!(cells.contains("is for packets that travel whole"), "{cells}");
    assert!(
        problem("{ kind = 'leo', gap = '20 s' }", "packet").contains("path.gap: must be shorter than the interval")
    );
    assert!(
        problem("{ kind = 'geo-fade', lasting = '0 s' }", "packet").contains("path.lasting: must be more than zero")
    );
    assert!(
        problem("{ kind = 'geo-fade', begin = 'uniform(25 s, 15 s)' }", "packet")
            .contains("path.begin: the lower bound")
    );
    for (rain, expected) in [
        (
            "clear_sky = '0 dB', margin = '3 dB'",
            "path.clear_sky: no code withstands even a clear sky with this margin; raise it, or lower the margin",
        ),
        ("depth = '0 dB'", "path.depth: must be more than zero"),
        ("depth = '12'", "12 has no unit; expected a number of decibels with its unit (dB), such as \"12 dB\""),
        ("depth = '-3 dB'", "expected a number of decibels"),
        ("depth = '12 db'", "did you mean \"dB\"?"),
    ] {
        let told = problem(&format!("{{ kind = 'rain', {rain} }}"), "packet");
        assert!(told.contains(expected), "{told}");
    }
    assert!(problem("{ kind = 'schedule', steps = 'time_s,loss' }", "packet").contains("no rows"));
}
