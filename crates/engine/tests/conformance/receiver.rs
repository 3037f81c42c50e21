//! The receiving end by hand: selective acknowledgments (RFC 2018), delayed ones (RFC 1122, RFC 5681), timestamps (RFC 7323).

use longfat_engine::transport::{Acknowledgment, Receiver};
use longfat_engine::units::{Span, Time};

use crate::support::n_source;

fn receiver(settings: &str) -> Receiver {
    let rest = format!("port.buffer = \"unlimited\"\ntcp = {{ mss = \"500 B\", {settings} }}");
    Receiver::new(&n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp)
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

/// RFC 2018 section 5: segments of 500 bytes from 5000 on; this receiver already has all below. An acknowledgment and its
/// blocks, as the RFC's tables print them.
fn after_5000(arrivals: &[u64]) -> Vec<(u64, Vec<(u64, u64)>)> {
    let mut receiver = receiver("flavor = \"sack\", sack_blocks = 4");
    receiver.receive(ms(0), 0, 5000, ms(0));
    let answer = |sequence: &u64| {
        let acknowledgment = receiver.receive(ms(1), *sequence, 500, ms(0)).expect("at once");
        (acknowledgment.next, acknowledgment.blocks.as_slice().to_vec())
    };
    arrivals.iter().map(answer).collect()
}

#[test]
fn rfc_2018_case_1_the_first_four_segments_arrive_and_the_last_four_are_lost() {
    let by_rfc = [5500, 6000, 6500, 7000].map(|next| (next, vec![]));
    assert_eq!(after_5000(&[5000, 5500, 6000, 6500]), by_rfc);
}

#[test]
fn rfc_2018_case_2_the_first_segment_is_lost_and_the_other_seven_arrive() {
    let arrivals: Vec<u64> = (0..7).map(|n| 5500 + 500 * n).collect();
    let by_rfc: Vec<_> = (0..7).map(|n| (5000, vec![(5500, 6000 + 500 * n)])).collect();
    assert_eq!(after_5000(&arrivals), by_rfc);
}

#[test]
fn rfc_2018_case_3_the_second_fourth_sixth_and_eighth_segments_are_lost() {
    // The fourth segment comes late, then the second.
    let by_rfc = [
        (5500, vec![]),
        (5500, vec![(6000, 6500)]),
        (5500, vec![(7000, 7500), (6000, 6500)]),
        (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]),
        (5500, vec![(6000, 7500), (8000, 8500)]),
        (7500, vec![(8000, 8500)]),
    ];
    assert_eq!(after_5000(&[5000, 6000, 7000, 8000, 6500, 5500]), by_rfc);
}

/// RFC 2018 section 4: the first block holds the segment that has just arrived, though it had arrived before; the others
/// repeat those that were reported most recently.
#[test]
fn a_segment_that_arrives_again_is_reported_first_and_the_oldest_block_has_no_room() {
    let mut receiver = receiver("flavor = \"sack\", sack_blocks = 3");
    let mut blocks =
        |sequence: u64| receiver.receive(ms(1), sequence, 500, ms(0)).expect("at once").blocks.as_slice().to_vec();
    (1..5).for_each(|island| _ = blocks(1000 * island));
    assert_eq!(blocks(1000), [(1000, 1500), (4000, 4500), (3000, 3500)], "(2000, 2500) was reported longest ago");
    assert_eq!(blocks(2000), [(2000, 2500), (1000, 1500), (4000, 4500)]);
}

/// RFC 2883 section 4: what has arrived twice comes before all blocks, whether below the number or within one of them, and once.
#[test]
fn what_has_arrived_twice_is_reported_first_if_the_sender_wants_to_know() {
    let mut receiver = receiver("flavor = \"rack-tlp\", sack_blocks = 3");
    let mut answer = |sequence: u64| receiver.receive(ms(1), sequence, 500, ms(0)).expect("at once");
    let twice =
        |acknowledgment: Acknowledgment| (acknowledgment.duplicate(), acknowledgment.blocks.as_slice().to_vec());
    answer(0);
    assert_eq!(twice(answer(1000)), (None, vec![(1000, 1500)]));
    assert_eq!(twice(answer(0)), (Some((0, 500)), vec![(0, 500), (1000, 1500)]));
    assert_eq!(twice(answer(1500)), (None, vec![(1000, 2000)]));
    assert_eq!(twice(answer(1500)), (Some((1500, 2000)), vec![(1500, 2000), (1000, 2000)]));
    answer(3000);
    answer(4000);
    let full = twice(answer(1000));
    assert_eq!(full, (Some((1000, 1500)), vec![(1000, 1500), (1000, 2000), (4000, 4500)]), "three at most");
    let mut silent = self::receiver("flavor = \"sack-rfc6675\"");
    silent.receive(ms(1), 0, 500, ms(0));
    assert!(silent.receive(ms(2), 0, 500, ms(1)).expect("at once").blocks.as_slice().is_empty());
}

#[test]
fn only_flavors_that_use_selective_acknowledgments_get_them() {
    for (flavor, count) in
        [("vanilla", 0), ("reno", 0), ("newreno", 0), ("sack", 1), ("sack-rfc6675", 1), ("rack-tlp", 1)]
    {
        let mut receiver = receiver(&format!("flavor = \"{flavor}\""));
        let acknowledgment = receiver.receive(ms(1), 1000, 500, ms(0)).expect("at once");
        assert_eq!(acknowledgment.blocks.as_slice().len(), count, "{flavor}");
    }
}

fn next(acknowledgment: Option<Acknowledgment>) -> Option<u64> {
    acknowledgment.map(|acknowledgment| acknowledgment.next)
}

/// RFC 1122 section 4.2.3.2 and RFC 5681 section 4.2: for every second segment, and within the delay.
#[test]
fn a_delayed_acknowledgment_answers_every_second_segment_or_comes_when_it_is_due() {
    let mut receiver = receiver("acknowledgments = { kind = \"delayed\", delay = \"200 ms\" }");
    assert_eq!(next(receiver.receive(ms(10), 0, 500, ms(0))), None);
    assert_eq!(receiver.due(), Some(ms(210)));
    assert_eq!(next(receiver.receive(ms(20), 500, 500, ms(0))), Some(1000));
    assert_eq!(receiver.due(), None);
    assert_eq!(next(receiver.receive(ms(30), 1000, 500, ms(0))), None);
    assert_eq!(receiver.due(), Some(ms(230)), "its own delay, not what was left of the last one");
    assert_eq!((receiver.acknowledge_late().next, receiver.due()), (1500, None));
}

/// RFC 8257 section 3.2: "set DCTCP.CE to true and send an immediate ACK", and back; what waited goes before, by itself.
#[test]
fn where_marks_are_echoed_a_segment_that_is_marked_unlike_the_one_before_is_acknowledged_at_once() {
    let mut receiver = receiver("ecn = \"per-segment\", acknowledgments = { kind = \"delayed\", delay = \"200 ms\" }");
    let mut arrive = |number: u64, is_marked: bool| {
        let waited = receiver.note_mark(500, is_marked, false).map(|waited| (waited.next, waited.marks));
        let answer = receiver.receive(ms(number), 500 * number, 500, ms(0));
        (waited, answer.map(|answer| (answer.next, answer.marks)))
    };
    assert_eq!(arrive(0, false), (None, None));
    assert_eq!(arrive(1, true), (Some((500, 0)), Some((1000, 1))));
    assert_eq!(arrive(2, true), (None, None), "like the one before");
    assert_eq!(arrive(3, true), (None, Some((2000, 1))), "every second one");
    assert_eq!(arrive(4, false), (None, Some((2500, 0))), "nothing waited");
}

/// RFC 5681 section 4.2: at once for what is out of order, and "when an incoming segment fills in all or part of a gap".
#[test]
fn what_is_out_of_order_or_fills_a_hole_is_acknowledged_at_once_with_what_waited() {
    let mut receiver = receiver("acknowledgments = \"delayed\"");
    assert_eq!(next(receiver.receive(ms(10), 0, 500, ms(0))), None);
    assert_eq!(next(receiver.receive(ms(11), 1500, 500, ms(0))), Some(500), "beyond a hole");
    assert_eq!(next(receiver.receive(ms(12), 500, 500, ms(0))), Some(1000), "a part of the hole");
    assert_eq!(next(receiver.receive(ms(13), 1000, 500, ms(0))), Some(2000), "the rest");
    assert_eq!(next(receiver.receive(ms(14), 2000, 500, ms(0))), None, "no hole is left");
    assert_eq!(next(receiver.receive(ms(15), 1000, 500, ms(0))), Some(2500), "what had arrived before");
}

/// RFC 9293 section 3.10.7.4 answers what has arrived before; the sinks of ns-2 delay the answer to the last segment in order.
#[test]
fn the_last_segment_in_order_may_be_acknowledged_late_when_it_comes_again() {
    for (answer, at_once) in [("at-once", Some(1000)), ("delayed", None)] {
        let mut receiver =
            receiver(&format!("acknowledgments = {{ kind = \"delayed\", answer_to_repetition = {answer:?} }}"));
        receiver.receive(ms(10), 0, 500, ms(0));
        assert_eq!(next(receiver.receive(ms(11), 500, 500, ms(0))), Some(1000));
        assert_eq!(next(receiver.receive(ms(12), 500, 500, ms(0))), at_once, "{answer}");
        assert_eq!(receiver.due(), at_once.is_none().then_some(ms(212)), "{answer}");
        assert_eq!(next(receiver.receive(ms(13), 500, 500, ms(0))), Some(1000), "{answer}: the second time");
        assert_eq!(next(receiver.receive(ms(14), 0, 500, ms(0))), Some(1000), "{answer}: not the last");
        receiver.receive(ms(15), 2000, 500, ms(0));
        assert_eq!(
            next(receiver.receive(ms(16), 500, 500, ms(0))),
            Some(1000),
            "{answer}: something is held beyond it"
        );
    }
}

/// RFC 3449 section 4.1: d segments for each acknowledgment, but not before slow start has got going.
#[test]
fn a_thinned_acknowledgment_answers_many_segments_once_a_connection_has_got_going() {
    let settings = "acknowledgments = { kind = \"thinned\", delay = \"25 ms\", segments = 4, from = 6 }";
    let mut receiver = receiver(settings);
    let mut answers = Vec::new();
    for segment in 0..14 {
        answers.extend(next(receiver.receive(ms(segment), 500 * segment, 500, ms(0))));
    }
    assert_eq!(answers, [1000, 2000, 3000, 5000, 7000], "every second one of six, then every fourth");
    receiver.receive(ms(20), 7000, 500, ms(0));
    assert_eq!(receiver.due(), Some(ms(45)));
    assert_eq!(next(receiver.receive(ms(21), 8000, 500, ms(0))), Some(7500), "beyond a hole");
}

#[test]
fn thinned_acknowledgments_of_every_segment_are_immediate_ones() {
    let mut receiver = receiver("acknowledgments = { kind = \"thinned\", segments = 1 }");
    (0..200).for_each(|segment| {
        assert_eq!(next(receiver.receive(ms(segment), 500 * segment, 500, ms(0))), Some(500 * segment + 500));
    });
}

#[test]
fn bsds_fast_timer_ends_the_wait_at_the_next_multiple_of_the_delay() {
    let mut receiver = receiver("acknowledgments = { kind = \"delayed\", delay = \"200 ms\", timer = \"heartbeat\" }");
    receiver.receive(ms(390), 0, 500, ms(0));
    assert_eq!(receiver.due(), Some(ms(400)));
    receiver.acknowledge_late();
    receiver.receive(ms(400), 500, 500, ms(0));
    assert_eq!(receiver.due(), Some(ms(600)));
}

/// In whole microseconds; of several that were sent at once, that of the one that is answered.
#[test]
fn an_acknowledgment_tells_how_long_the_segment_took_that_it_echoes() {
    let mut receiver = receiver("timestamps = true");
    let mut delay = |sequence: u64, sent: Time, now: Time| {
        let echo = receiver.receive(now, sequence, 500, sent).expect("at once").echo.expect("timestamps");
        echo.one_way_delay().map(|delay| delay.0)
    };
    assert_eq!(delay(0, ms(1), Time(ms(21).0 + 1_999_999)), Some(20_001_000_000));
    assert_eq!(delay(500, ms(1), ms(31)), Some(30_000_000_000));
    assert_eq!(delay(1500, ms(1), ms(51)), Some(30_000_000_000), "beyond a hole");
    assert_eq!(delay(1000, ms(2), ms(2) + Span::from_microseconds(1 << 32)), None, "more than an hour");
}

/// RFC 7323 section 4.3: (A) delayed acknowledgments echo the first segment that they answer; (B) a hole leaves the echo as it
/// is; (C) what fills the hole is echoed.
#[test]
fn the_earliest_segment_that_an_acknowledgment_answers_is_echoed() {
    let mut receiver = receiver("timestamps = true, acknowledgments = \"delayed\"");
    let mut echo = |sequence: u64, sent: u64| {
        receiver.receive(ms(100 + sent), sequence, 500, ms(sent)).map(|acknowledgment| acknowledgment.echoed())
    };
    assert_eq!(echo(0, 1), None);
    assert_eq!(echo(500, 2), Some(Some(ms(1))), "(A)");
    assert_eq!(echo(1500, 4), Some(Some(ms(1))), "(B)");
    assert_eq!(echo(2000, 5), Some(Some(ms(1))), "(B)");
    assert_eq!(echo(1000, 6), Some(Some(ms(6))), "(C)");
    // Section 4.3, rule (2): a segment that was sent before the one echoed is not.
    assert_eq!(echo(1000, 3), Some(Some(ms(6))));
}
