//! Queue disciplines in a network: 10 Mbit/s and a round trip of 60 ms, which hold 50 packets, and a buffer of ten bandwidth-delay
//! products.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;

use crate::support::{n_source, scenario};

fn network(sources: u64, port: &str) -> Scenario {
    let rest = format!(
        "framing = \"packet\"\nport = {{ {port} }}\ntcp = {{ flavor = \"sack-rfc6675\", mss = \"1460 B\", receiver_window = \"1 MB\", \
         timer_granularity = \"1 ms\", retransmission_timeout = \"rfc-6298\" }}\n"
    );
    n_source(sources, "10 Mbit/s", "10 ms", "30 s", &rest)
}

fn record(sources: u64, port: &str) -> RunRecord {
    run(&network(sources, port)).expect("nothing is lost from the books")
}

#[test]
fn a_queue_of_its_own_without_management_is_the_drop_policy_of_the_same_name() {
    let (policy, queue) =
        (record(4, "buffer = \"40 packets\""), record(4, "buffer = \"40 packets\", queue = \"tail-drop\""));
    assert_eq!(serde_json::to_value(&policy.flows).unwrap(), serde_json::to_value(&queue.flows).unwrap());
    assert_eq!(policy.ports[0].mean_queue_cells, queue.ports[0].mean_queue_cells);
    assert_eq!(policy.ports[0].cells_dropped, queue.ports[0].cells_dropped);
}

#[test]
fn by_littles_law_the_mean_delay_is_the_mean_queue_over_the_rate_at_which_packets_are_sent() {
    for queue in
        ["tail-drop", "ack-filter", "red", "codel", "pie", "fq-codel", "fq-pie", "fq", "sfq", "cake", "dualpi2"]
    {
        let record = record(4, &format!("buffer = \"10 BDP\", queue = \"{queue}\""));
        let port = &record.ports[0];
        #[expect(clippy::cast_precision_loss, reason = "few packets")]
        let sent_per_second = port.cells_out as f64 / 30.0;
        let delay = record.metrics.mean_queueing_delay_s.expect("a discipline measures it");
        // Dropped packets were queued too, and times count in whole microseconds.
        let by_law = port.mean_queue_cells / sent_per_second;
        assert!((by_law / delay - 1.0).abs() < 0.05, "{queue}: {by_law} s by the law, {delay} s measured");
    }
}

#[test]
fn managed_queues_keep_the_line_busy_with_a_fraction_of_the_delay_of_a_full_buffer() {
    let full = record(4, "buffer = \"10 BDP\", queue = \"tail-drop\"");
    let full_delay = full.metrics.mean_queueing_delay_s.expect("measured");
    assert!(full_delay > 0.2, "{full_delay}");
    // All four connections overshoot slow start at once. RED's average lags behind and drops long after the queue has drained.
    for (queue, busy) in [
        ("red", 0.5),
        ("codel", 0.9),
        ("pie", 0.85),
        ("fq-codel", 0.9),
        ("fq-pie", 0.85),
        ("cake", 0.9),
        ("dualpi2", 0.9),
    ] {
        let record = record(4, &format!("buffer = \"10 BDP\", queue = \"{queue}\""));
        let delay = record.metrics.mean_queueing_delay_s.expect("measured");
        assert!(record.ports[0].utilization > busy, "{queue}: {}", record.ports[0].utilization);
        assert!(delay < full_delay / 5.0, "{queue}: {delay} s of {full_delay} s");
    }
}

#[test]
fn a_buffer_in_bytes_holds_more_of_the_smaller_packets() {
    let most = |mss: u64| {
        let scenario =
            network(4, "buffer = \"30 kB\", queue = \"tail-drop\"").canonical().replace("1460", &mss.to_string());
        let scenario = Scenario::parse(scenario.as_bytes(), "scenario.json", &[]).expect("valid");
        run(&scenario).expect("nothing is lost").metrics.max_queue_cells
    };
    // Packets of 1500 and of 750 bytes.
    assert_eq!((most(1460), most(710)), (20, 40));
}

#[test]
fn flow_queueing_gives_a_lone_newcomer_its_share_at_once_where_one_queue_makes_it_wait() {
    // Beside the full windows of four others, a fifth connection with little to send is hardly delayed.
    let waits = |queue: &str| {
        let delay = record(4, &format!("buffer = \"10 BDP\", queue = {queue}")).metrics.queueing_delay_p99_s;
        delay.expect("measured")
    };
    assert!(waits("\"fq-codel\"") < waits("\"tail-drop\"") / 3.0);
}

/// Throughput of a host's only connection, relative to that of another host's eight together, on a line that both saturate.
fn one_beside_eight(queue: &str) -> f64 {
    let scenario = scenario(&format!(
        r#"schema_version = 1
        duration = "60 s"
        framing = "packet"
        connections = [{{ from = "busy", to = "there", count = 8 }}, {{ from = "quiet", to = "elsewhere" }}]
        port = {{ buffer = "10 BDP", queue = {queue} }}
        tcp = {{ preset = "linux-like", receiver_window = "1 MB" }}
        [topology]
        kind = "graph"
        hosts = ["busy", "quiet", "there", "elsewhere"]
        switches = ["a", "b"]
        links = [
            {{ from = "a", to = "b", rate = "20 Mbit/s", delay = "10 ms", managed = "there" }},
            {{ from = "busy", to = "a", rate = "1 Gbit/s", delay = "1 ms" }},
            {{ from = "quiet", to = "a", rate = "1 Gbit/s", delay = "1 ms" }},
            {{ from = "b", to = "there", rate = "1 Gbit/s", delay = "1 ms" }},
            {{ from = "b", to = "elsewhere", rate = "1 Gbit/s", delay = "1 ms" }},
        ]"#
    ));
    let flows = run(&scenario).expect("nothing is lost from the books").flows;
    let (eight, one) = flows.split_at(8);
    one[0].goodput_bps / eight.iter().map(|flow| flow.goodput_bps).sum::<f64>()
}

/// "Piece of CAKE", section III: isolation of hosts above that of flows.
#[test]
fn under_cake_a_host_with_eight_flows_has_what_a_host_with_one_has_and_under_fq_codel_eight_times_that() {
    let fair = one_beside_eight("\"cake\"");
    assert!((0.95..1.05).contains(&fair), "{fair}");
    for flows_only in ["\"fq-codel\"", "\"fq\"", "\"sfq\"", "{ kind = \"cake\", isolation = \"flows\" }"] {
        let ratio = 8.0 * one_beside_eight(flows_only);
        assert!((0.95..1.05).contains(&ratio), "{flows_only}: {ratio}");
    }
}

/// Two downloads share 20 Mbit/s, for which one acknowledgment per second segment takes 350 kbit/s, and the way back has 100.
fn over_a_narrow_way_back(queue: &str, acknowledgments: &str) -> RunRecord {
    let scenario = scenario(
        &format!(
            r#"schema_version = 1
        duration = "30 s"
        framing = "packet"
        connections = [{{ from = "server", to = "client", count = 2 }}]
        port = {{ buffer = "100 packets", queue = {queue} }}
        tcp = {{ preset = "linux-like", receiver_window = "1 MB", acknowledgments = {acknowledgments} }}
        [topology]
        kind = "graph"
        hosts = ["server", "client"]
        switches = ["a", "b", "c"]
        bottleneck = "back"
        links = [
            {{ from = "server", to = "a", rate = "20 Mbit/s", delay = "10 ms" }},
            {{ from = "a", to = "b", rate = "20 Mbit/s", delay = "10 ms", managed = "there" }},
            {{ from = "b", to = "client", rate = "1 Gbit/s", delay = "1 ms" }},
            {{ from = "client", to = "c", rate = "1 Gbit/s", delay = "1 ms" }},
            {{ name = "back", from = "c", to = "a", rate = "100 kbit/s", delay = "10 ms", managed = "there" }},
        ]"#
        )
        .replace("count = 2 }", "count = 2, route_back = [\"c\", \"a\"] }"),
    );
    run(&scenario).expect("nothing is lost from the books")
}

fn goodput_bps(record: &RunRecord) -> f64 {
    record.flows.iter().map(|flow| flow.goodput_bps).sum()
}

/// RFC 3449 sections 3.1 and 5.2.1: on a narrow way back acknowledgments queue, most of them needlessly.
#[test]
fn newer_acknowledgments_drive_out_older_ones_that_would_wait_before_them() {
    let delayed = "\"delayed\"";
    let full = over_a_narrow_way_back("\"tail-drop\"", delayed);
    let wait = |record: &RunRecord| record.metrics.mean_queueing_delay_s.expect("measured");
    for queue in [
        "\"ack-filter\"",
        "{ kind = \"ack-filter\", superseded_acknowledgments = \"conservative\" }",
        "{ kind = \"cake\", superseded_acknowledgments = \"aggressive\" }",
        "{ kind = \"cake\", superseded_acknowledgments = \"conservative\" }",
    ] {
        let filtered = over_a_narrow_way_back(queue, delayed);
        let back = filtered.ports.iter().find(|port| port.name == "back").and_then(|port| port.queue.as_ref());
        assert!(back.is_some_and(|back| back.acknowledgments_superseded > 1000), "{queue}: {back:?}");
        assert!(wait(&filtered) < wait(&full) / 5.0, "{queue}: {} and {} s", wait(&filtered), wait(&full));
        assert!(goodput_bps(&filtered) > goodput_bps(&full), "{queue}");
    }
    assert!(
        full.ports.iter().all(|port| port.queue.as_ref().is_some_and(|queue| queue.acknowledgments_superseded == 0))
    );
}

#[test]
fn thinned_acknowledgments_leave_room_on_a_narrow_way_back() {
    let packets_back = |rule: &str| {
        let record = over_a_narrow_way_back("\"tail-drop\"", rule);
        let back = record.ports.iter().find(|port| port.name == "back").expect("a managed port");
        (back.cells_dropped, goodput_bps(&record))
    };
    let (dropped, slow) = packets_back("\"delayed\"");
    let (none, fast) = packets_back("{ kind = \"thinned\", segments = 16 }");
    assert!(
        dropped > 1000 && none < dropped / 10 && fast > slow,
        "{dropped} and {none} dropped, {slow} and {fast} bit/s"
    );
}

/// Except PIE: while its probability is above a limit it drops regardless of the codepoint.
#[test]
fn connections_that_understand_marks_lose_nothing_and_send_nothing_twice() {
    for queue in ["codel", "fq-codel", "cake", "dualpi2"] {
        for ecn in ["classic", "per-segment", "accurate", "accurate-ace"] {
            let scenario = network(4, &format!("buffer = \"100 BDP\", queue = \"{queue}\"")).canonical();
            let scenario = scenario.replace("\"tcp\":{", &format!("\"tcp\":{{\"ecn\":\"{ecn}\","));
            let scenario = Scenario::parse(scenario.as_bytes(), "scenario.json", &[]).expect("valid");
            let record = run(&scenario).expect("nothing is lost from the books");
            let port = &record.ports[0];
            assert_eq!(port.cells_dropped, 0, "{queue} {ecn}");
            assert!(port.queue.as_ref().is_some_and(|queue| queue.packets_marked > 0), "{queue} {ecn}");
            let again: u64 = record.flows.iter().map(|flow| flow.segments_retransmitted).sum();
            assert_eq!(again, 0, "{queue} {ecn}");
            assert!(record.flows.iter().all(|flow| flow.reductions_for_marks > Some(0)), "{queue} {ecn}");
            // The low-latency queue marks above a delay of 1 ms, and these connections halve their windows in response.
            assert!(port.utilization > 0.7, "{queue} {ecn}: {}", port.utilization);
        }
    }
}

const PRAGUE: &str = "flavor = \"prague\", ecn = \"accurate\"";
const CUBIC: &str = "flavor = \"cubic\", ecn = \"classic\"";

/// Two connections over a dual queue with the given settings, of the first or of both: 40 Mbit/s, 24 ms.
fn over_dual_queue(first: &str, all: &str) -> RunRecord {
    over_dual_queue_with(first, all, "")
}

/// [`over_dual_queue`], with more settings of the scenario.
fn over_dual_queue_with(first: &str, all: &str, more: &str) -> RunRecord {
    let rest = format!(
        "framing = \"packet\"\nport = {{ buffer = \"10 BDP\", queue = \"dualpi2\" }}\n\
         connections = [{{ count = 1, {first} }}]\n\
         tcp = {{ {all}, sack_blocks = 2, mss = \"1448 B\", receiver_window = \"4 MB\", timestamps = true, timer_granularity = \"1 ms\", \
         retransmission_timeout = \"rfc-6298\" }}\n{more}\n"
    );
    run(&n_source(2, "40 Mbit/s", "4 ms", "30 s", &rest)).expect("nothing is lost from the books")
}

fn p99(record: &RunRecord) -> f64 {
    record.metrics.queueing_delay_p99_s.expect("measured")
}

/// Purpose of RFC 9332: low latency beside classic traffic on one line, with about the same rates.
#[test]
fn prague_and_cubic_share_a_dual_queue_and_prague_alone_hardly_waits() {
    let mixed = over_dual_queue(PRAGUE, CUBIC);
    let share = mixed.metrics.first_group_share.expect("a group");
    assert!((0.25..0.75).contains(&share), "Prague has {share}");
    assert!(mixed.ports[0].utilization > 0.95, "{}", mixed.ports[0].utilization);
    let (scalable, classic) = (over_dual_queue(PRAGUE, PRAGUE), over_dual_queue(CUBIC, CUBIC));
    assert!(scalable.ports[0].utilization > 0.9, "{}", scalable.ports[0].utilization);
    assert!(p99(&scalable) < 0.005, "99 % of packets wait less than 5 ms: {}", p99(&scalable));
    assert!(p99(&scalable) < p99(&classic) / 3.0, "{} and {}", p99(&scalable), p99(&classic));
}

/// Three bits are sufficient unless a run of lost acknowledgments could hide eight marks; then the sender overestimates them.
#[test]
fn prague_does_with_three_bits_what_it_does_with_the_option() {
    let of = |ecn: &str, losses: &str| {
        let all = format!("flavor = \"prague\", ecn = \"{ecn}\", acknowledgments = \"delayed\"");
        over_dual_queue_with(&format!("ecn = \"{ecn}\""), &all, losses)
    };
    let (option, bits) = (of("accurate", ""), of("accurate-ace", ""));
    assert!((option.ports[0].utilization - bits.ports[0].utilization).abs() < 0.01);
    assert!((p99(&option) / p99(&bits) - 1.0).abs() < 0.1, "{} and {}", p99(&option), p99(&bits));
    let lossy = |ecn: &str, probability: f64| {
        of(ecn, &format!("acknowledgment_loss = {{ kind = \"random\", probability = {probability} }}"))
    };
    let utilization =
        |probability| ["accurate", "accurate-ace"].map(|ecn| lossy(ecn, probability).ports[0].utilization);
    let [option, bits] = utilization(0.05);
    assert!((option - bits).abs() < 0.03, "{option} and {bits}");
    // With half of them lost, runs often hide eight segments, which the sender counts as eight marks (appendix A.2.1: "overly
    // conservative").
    let [option, bits] = utilization(0.5);
    assert!(bits < option, "{option} and {bits}");
}
