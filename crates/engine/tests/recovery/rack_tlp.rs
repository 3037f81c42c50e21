//! RACK-TLP of RFC 8985, segment by segment. Acknowledgments arrive a millisecond apart, and segments are sent with them.

use longfat_engine::measure::SendLimit;
use longfat_engine::transport::{Acknowledgment, Connection, Piece, TcpConfig};
use longfat_engine::units::{Span, Time};

use super::bench::{Bench, clock, ms};
use crate::support::n_source;

const RACK: &str = "flavor = \"rack-tlp\"";

fn microseconds(number: u64) -> Span {
    Span::from_microseconds(number)
}

/// Section 6.2 step 4: without observed reordering, three segments beyond a hole indicate the loss at once. Then RFC 9937: `RecoverFS` 10,
/// ssthresh 5, half a segment per delivered one, the first of them 0 itself.
#[test]
fn three_segments_beyond_a_hole_begin_a_recovery_that_sends_one_for_two() {
    let mut bench = Bench::new(10, RACK);
    assert_eq!(bench.report(0, &[(1, 2)]), [10]);
    assert_eq!(bench.report(0, &[(1, 3)]), [11]);
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    assert_eq!(bench.window(), (5.0, 5.0));
    let sent: Vec<_> = (5..=9).map(|end| bench.report(0, &[(1, end)])).collect();
    assert_eq!(sent, [vec![], vec![], vec![12], vec![], vec![]]);
    let sent: Vec<_> = (10..=12).map(|end| bench.report(0, &[(1, end)])).collect();
    assert_eq!(sent, [[13], [14], [15]]);
    assert_eq!(bench.acknowledge(12), [16]);
    assert_eq!(bench.sender.statistics().fast_retransmits, 1);
}

/// RFC 9937 section 6.1: data delivered by the acknowledgment that indicates the loss counts as in flight, in order or not. Of twenty,
/// first four and then three are delivered at once: `RecoverFS` 20, ssthresh 8, and 7 * 8 / 20 = 2.8 segments may be sent.
#[test]
fn a_recovery_that_begins_with_data_in_order_counts_it_as_under_way() {
    let mut bench = Bench::new(20, RACK);
    assert_eq!(bench.report(4, &[(5, 8)]), [4, 20]);
    assert_eq!(bench.window(), (8.0, 8.0));
}

/// Section 6.2 step 5: one segment beyond the hole. 0 and 1 were sent at 0 ms, 1 arrived after 1 ms: 0 may be late by a quarter of that.
#[test]
fn fewer_than_three_show_a_loss_when_a_quarter_of_the_shortest_round_trip_has_passed() {
    let mut bench = Bench::new(10, RACK);
    assert_eq!(bench.report(0, &[(1, 2)]), [10]);
    assert_eq!(bench.sender.expires(), Some(ms(1) + microseconds(250)));
    assert!(!bench.sender.times_out_next());
    assert_eq!(bench.expire(), [0]);
    assert_eq!((bench.sender.statistics().fast_retransmits, bench.sender.statistics().timeouts), (1, 0));
}

/// A reordered segment: it arrives within the reordering window, and nothing is reduced.
#[test]
fn a_segment_that_is_overtaken_and_comes_within_the_window_is_not_sent_again() {
    let mut bench = Bench::new(10, RACK);
    bench.report(0, &[(1, 2)]);
    bench.wait_until(ms(0) + microseconds(200));
    assert_eq!(bench.acknowledge(2), [11, 12], "slow start goes on: a window of 11, of which 2 to 10 are under way");
    assert_eq!(bench.sender.statistics().segments_retransmitted, 0);
    // From now on three segments beyond a hole indicate a loss only when the window has passed.
    assert_eq!(bench.report(2, &[(3, 6)]), [13, 14, 15]);
    assert_eq!(bench.sender.statistics().fast_retransmits, 0);
}

/// RFC 6675 would need the timer. 0 is retransmitted at 3 ms; 12, sent at 6 ms, arrives at 12 ms: 0 was sent more than a round trip of 6 ms
/// before. Then 13, 14 and 15 are in the network, two less than ssthresh, and two may be sent.
#[test]
fn a_retransmission_that_is_lost_is_sent_again_without_the_timer() {
    let mut bench = Bench::new(10, RACK);
    (2..=12).for_each(|end| _ = bench.report(0, &[(1, end)]));
    assert_eq!(bench.sender.statistics().segments_retransmitted, 1);
    assert_eq!(bench.report(0, &[(1, 13)]), [0, 16]);
    assert_eq!((bench.sender.statistics().segments_retransmitted, bench.sender.statistics().timeouts), (2, 0));
    assert_eq!(bench.window(), (5.0, 5.0), "one recovery");
}

/// Section 3.4, the example: of four segments the last three are lost, and the first retransmission of 1 as well.
#[test]
fn a_probe_finds_the_loss_of_the_last_segments_and_a_lost_retransmission_is_found_by_the_next() {
    let mut bench = Bench::with_data(4, 4, RACK);
    // 2: the round trip is 1 ms. 3a and 3b: after two of them, at 3 ms, the last segment again.
    assert_eq!(bench.acknowledge(1), [0; 0]);
    assert_eq!(bench.expire(), [3]);
    assert_eq!(bench.now(), ms(3));
    // 5: the probe has arrived, and 1 and 2 were sent long before. ssthresh is 2: the first is forced, the second follows the next
    // delivery.
    assert_eq!(bench.report(1, &[(3, 4)]), [1]);
    assert_eq!(bench.window(), (2.0, 2.0));
    assert_eq!(bench.sender.statistics().timeouts, 0);
}

/// Section 7.3: new data, if there is any, even with a full window; and only one probe.
#[test]
fn a_probe_is_new_data_if_there_is_any_whatever_the_window() {
    let mut bench = Bench::new(4, RACK);
    assert_eq!(bench.acknowledge(1), [4, 5]);
    assert_eq!(bench.window().0, 5.0);
    assert_eq!(bench.expire(), [6], "the sixth under way");
    assert_eq!(bench.now(), ms(3));
    assert!(bench.sender.times_out_next(), "the timer comes next, and has begun anew");
    assert_eq!(bench.expire(), [1]);
    assert_eq!(bench.sender.statistics().timeouts, 1);
}

/// Section 7.2: for a single segment 200 ms more than two round trips; the timer is earlier here, and the probe replaces it.
#[test]
fn a_probe_goes_in_the_place_of_a_timer_that_expires_first() {
    let mut bench = Bench::with_data(2, 2, &format!("{RACK}, timer_granularity = \"10 ms\""));
    bench.acknowledge(1);
    let timer = bench.sender.expires().expect("a timer runs");
    assert!(timer < ms(200) && !bench.sender.times_out_next());
    assert_eq!(bench.expire(), [1]);
    assert_eq!((bench.now(), bench.sender.statistics().timeouts), (timer, 0));
    assert!(bench.sender.expires() > Some(timer) && bench.sender.times_out_next());
}

/// Section 7.3: a probe must not prevent round trips from being measured.
#[test]
fn before_a_round_trip_is_measured_the_timer_expires_and_no_probe_goes() {
    let mut bench = Bench::with_data(4, 4, RACK);
    assert!(bench.sender.times_out_next());
    assert_eq!(bench.expire(), [0]);
    assert_eq!(bench.sender.statistics().timeouts, 1);
}

#[test]
fn without_probes_the_timer_is_all_that_is_left_for_the_last_segments() {
    let mut bench = Bench::with_data(4, 4, "flavor = { kind = \"rack-tlp\", tail_loss_probe = false }");
    bench.acknowledge(1);
    assert!(bench.sender.times_out_next());
    assert_eq!(bench.expire(), [1]);
    // After the timeout, acknowledgments drive the repair: 2 and 3 are overdue too, and are sent as the window grows.
    assert_eq!(bench.acknowledge(2), [2, 3]);
    assert_eq!(bench.sender.statistics().timeouts, 1);
}

/// Section 6.3: data reported to have arrived before a timeout is not retransmitted.
#[test]
fn after_a_timeout_only_what_is_lost_is_sent_again() {
    let mut bench = Bench::with_data(10, 10, "flavor = { kind = \"rack-tlp\", tail_loss_probe = false }");
    bench.report(0, &[(4, 6)]);
    bench.wait_until(ms(0));
    while !bench.sender.times_out_next() {
        bench.expire();
    }
    bench.expire();
    let mut sent = Vec::new();
    for next in 1..=4 {
        let blocks: &[(u64, u64)] = if next < 4 { &[(4, 6)] } else { &[] };
        sent.extend(bench.report(if next < 4 { next } else { 6 }, blocks));
    }
    assert!(!sent.contains(&4) && !sent.contains(&5), "{sent:?}");
    assert!(sent.contains(&6), "{sent:?}");
}

/// Sections 7.3 and 7.4.2: the last segment is lost, and its second transmission arrives. The only indication is that no duplicate was
/// reported when more is acknowledged: then the window is halved, once, and that acknowledgment does not make it grow.
#[test]
fn a_loss_that_a_probe_has_repaired_halves_the_window_as_any_other() {
    let mut bench = Bench::with_data(10, 10, RACK);
    assert_eq!(bench.acknowledge(9), [0; 0]);
    let window = bench.window().0;
    assert_eq!(bench.expire(), [9]);
    assert_eq!(bench.acknowledge(10), [0; 0]);
    assert!(bench.window().0 >= window, "which of the two transmissions has arrived?");
    let before = bench.window().0;
    assert_eq!(bench.offer(4), [10, 11, 12, 13]);
    bench.acknowledge(11);
    assert_eq!(bench.window(), (2.0, 2.0), "half of the four under way");
    assert!(before > 2.0);
    bench.acknowledge(12);
    assert_eq!((bench.window().1, bench.sender.statistics().timeouts), (2.0, 0), "once");
}

/// Likewise, but the first transmission was only late: the receiver reports the duplicate (RFC 2883), and nothing is reduced.
#[test]
fn a_probe_that_repaired_nothing_halves_nothing() {
    let mut bench = Bench::with_data(10, 10, RACK);
    bench.acknowledge(9);
    assert_eq!(bench.expire(), [9]);
    bench.acknowledge(10);
    bench.report(10, &[(9, 10)]);
    assert_eq!(bench.offer(4), [10, 11, 12, 13]);
    let before = bench.window();
    bench.acknowledge(11);
    assert!(bench.window().0 > before.0 && bench.window().1 == before.1, "{:?}", bench.window());
}

/// After a timeout all data has been sent once; with a larger window, the sender would retransmit the lost segments.
#[test]
fn a_sender_whose_lost_segments_wait_for_the_window_lacks_window_and_not_data() {
    let mut bench = Bench::with_data(4, 4, "flavor = { kind = \"rack-tlp\", tail_loss_probe = false }");
    bench.acknowledge(1);
    assert_eq!(bench.sender.send_limit(), SendLimit::NoData);
    assert_eq!(bench.expire(), [1]);
    assert_eq!(bench.sender.send_limit(), SendLimit::SlowStart);
    assert_eq!(bench.acknowledge(2), [2, 3]);
    assert_eq!(bench.sender.send_limit(), SendLimit::NoData);
}

fn config(settings: &str) -> TcpConfig {
    let rest = format!("port.buffer = \"unlimited\"\ntcp = {{ mss = \"100 B\", {settings} }}");
    n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp
}

#[test]
fn receivers_report_what_came_twice_unless_the_scenario_says_that_they_do_not() {
    let asks = |settings| config(settings).flavor.build(&()).recovery().build(&()).reports_duplicates();
    assert!(asks(RACK));
    assert!(!asks("flavor = { kind = \"rack-tlp\", duplicate_reports = false }"));
}

#[test]
fn an_acknowledgment_that_tells_nothing_new_is_no_duplicate() {
    let config = config(RACK);
    let flavor = config.flavor.build(&());
    let (mut recovery, mut connection) =
        (flavor.recovery().build(&()), Connection::new(&config, clock(&config), flavor.law()));
    connection.offer(400);
    for number in 0..4 {
        let piece = Piece { sequence: 100 * number, length: 100 };
        recovery.on_send(ms(0), &mut connection, piece);
        connection.send(ms(0), piece);
    }
    let acknowledgment = Acknowledgment { blocks: [(100, 200)].into_iter().collect(), ..Acknowledgment::default() };
    assert!(recovery.take_in(ms(1), &mut connection, &acknowledgment));
    assert!(!recovery.take_in(ms(2), &mut connection, &acknowledgment));
}

/// Before the timer, nothing indicates that 0 is lost: 1 arrives after four fifths of the timeout, and both deadlines have passed a quarter of that
/// later.
#[test]
fn a_timer_that_expires_when_a_late_segment_counts_as_lost_goes_first() {
    let mut bench = Bench::with_data(4, 4, "flavor = { kind = \"rack-tlp\", tail_loss_probe = false }");
    let timer = bench.sender.expires().expect("a timer runs");
    bench.wait_until(Time::ZERO + Span((timer - Time::ZERO).0 / 5 * 4 - microseconds(1000).0));
    assert_eq!(bench.report(0, &[(1, 2)]), [0; 0]);
    assert_eq!(bench.sender.expires(), Some(timer));
    assert_eq!(bench.expire(), [0]);
    assert_eq!((bench.sender.statistics().fast_retransmits, bench.sender.statistics().timeouts), (0, 1));
}

/// RFC 8985 section 7.3: a probe is new data "of up to SMSS" if there is any, and Nagle's rule does not hold it back.
#[test]
fn a_probe_is_the_small_rest_of_the_data_that_nagle_holds_back() {
    let mut bench = Bench::with_data(10, 3, &format!("{RACK}, nagle = true"));
    let mut out = Vec::new();
    bench.sender.offer(bench.now(), 50, &mut out);
    assert!(out.is_empty(), "Nagle's rule: three segments are under way");
    bench.acknowledge(1);
    bench.wait_until(bench.sender.expires().expect("a probe is due"));
    let now = bench.now();
    bench.sender.expire(now, &mut out);
    assert_eq!(out.iter().map(|segment| (segment.sequence, segment.length)).collect::<Vec<_>>(), [(300, 50)]);
}
