use super::*;
use crate::transport::Echo;

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

fn span(milliseconds: u64) -> Span {
    Span::from_microseconds(1000 * milliseconds)
}

fn send(losses: &mut Losses, at: u64, number: u64) {
    losses.note_sent(ms(at), Piece { sequence: 100 * number, length: 100 });
}

fn report(losses: &mut Losses, at: u64, next: u64, blocks: &[(u64, u64)]) -> News {
    let blocks = blocks.iter().map(|&(begin, end)| (100 * begin, 100 * end)).collect();
    let acknowledgment = Acknowledgment { next: 100 * next, blocks, ..Acknowledgment::default() };
    losses.take_in(ms(at), &acknowledgment, 10_000)
}

fn first_lost(losses: &Losses) -> Option<u64> {
    losses.first_lost().map(|piece| piece.sequence / 100)
}

/// Segments are sent every 10 ms from 0 on; 1 arrives after 40 ms and 0 does not. With a reordering window of 10 ms, segment 0 is lost
/// at 0 + 40 + 10 ms, even though 1 was sent 10 ms later.
#[test]
fn a_segment_is_lost_a_round_trip_and_the_window_after_it_was_sent_if_a_later_one_has_arrived() {
    let mut losses = Losses::default();
    (0..4).for_each(|number| send(&mut losses, 10 * number, number));
    assert_eq!((losses.detect(ms(45), span(10)), losses.deadline()), (0, None), "nothing has arrived");
    report(&mut losses, 50, 0, &[(1, 2)]);
    assert_eq!(losses.detect(ms(50), span(11)), 0);
    assert_eq!(losses.deadline(), Some(ms(51)));
    assert_eq!((losses.detect(ms(51), span(11)), losses.deadline()), (100, None));
    assert_eq!((first_lost(&losses), losses.in_network(), losses.lost()), (Some(0), 200, 100));
}

/// Section 3.2: a loss that counting segments cannot detect. Segment 0 is retransmitted at 50 and lost again; 3, sent at 60, arrives at
/// 100.
#[test]
fn a_retransmission_that_is_lost_shows_by_what_was_sent_after_it() {
    let mut losses = Losses::default();
    (0..3).for_each(|number| send(&mut losses, 0, number));
    report(&mut losses, 40, 0, &[(1, 3)]);
    assert_eq!(losses.detect(ms(40), Span::ZERO), 100);
    send(&mut losses, 50, 0);
    assert_eq!((first_lost(&losses), losses.in_network()), (None, 100));
    send(&mut losses, 60, 3);
    report(&mut losses, 100, 0, &[(1, 4)]);
    assert_eq!(losses.detect(ms(100), Span::ZERO), 100);
    assert_eq!((first_lost(&losses), losses.in_network()), (Some(0), 0));
}

/// Step 2 of section 6.2: an acknowledgment 5 ms after a retransmission, with a minimum round trip of 40 ms, is for the first
/// transmission. Otherwise the round trip would be 5 ms, and segment 1 lost at once.
#[test]
fn an_acknowledgment_that_comes_too_soon_after_a_retransmission_is_not_taken_for_its() {
    let mut losses = Losses::default();
    send(&mut losses, 0, 0);
    report(&mut losses, 40, 1, &[]);
    (1..3).for_each(|number| send(&mut losses, 40, number));
    send(&mut losses, 75, 1);
    send(&mut losses, 76, 3);
    report(&mut losses, 80, 2, &[]);
    assert_eq!(losses.detect(ms(80), Span::ZERO), 0);
    assert_eq!(losses.deadline(), None, "nothing was sent before segment 0, the latest that is known to have arrived");
}

/// Step 2 of section 6.2: segments count in the order in which they were sent, not reported. Segment 1, retransmitted at 60, is
/// acknowledged at 101 with 3 and 4, sent at 30 and 70: the round trip is 31 ms, and 2, retransmitted at 65, is lost at 96 without a
/// reordering window.
#[test]
fn of_segments_that_one_acknowledgment_reports_the_one_sent_last_makes_the_round_trip() {
    let mut losses = Losses::default();
    (0..4).for_each(|number| send(&mut losses, 10 * number, number));
    report(&mut losses, 30, 1, &[]);
    send(&mut losses, 60, 1);
    send(&mut losses, 65, 2);
    send(&mut losses, 70, 4);
    report(&mut losses, 101, 2, &[(3, 5)]);
    assert_eq!((losses.detect(ms(101), Span::ZERO), first_lost(&losses)), (100, Some(2)));
}

#[test]
fn the_shortest_round_trip_is_forgotten_when_all_have_been_longer_for_more_than_five_minutes() {
    for (at, shortest) in [(300_040, 40), (300_041, 50)] {
        let mut losses = Losses::default();
        send(&mut losses, 0, 0);
        report(&mut losses, 40, 1, &[]);
        send(&mut losses, at - 50, 1);
        report(&mut losses, at, 2, &[]);
        assert_eq!(losses.shortest_round_trip(), Some(span(shortest)));
    }
}

/// The last two of three segments are lost, and the third is retransmitted as a probe. With timestamps its selective acknowledgment
/// echoes the timestamp of segment 0, and shows that segment 1 is lost.
#[test]
fn the_selective_acknowledgment_of_a_probe_is_believed_whatever_time_it_echoes() {
    let mut losses = Losses::default();
    losses.note_round_trip(ms(0), span(40));
    (0..3).for_each(|number| send(&mut losses, number, number));
    report(&mut losses, 41, 1, &[]);
    send(&mut losses, 121, 2);
    let blocks = [(200, 300)].into_iter().collect();
    let acknowledgment =
        Acknowledgment { next: 100, blocks, echo: Some(Echo::new(ms(0), ms(20))), ..Acknowledgment::default() };
    losses.take_in(ms(161), &acknowledgment, 10_000);
    assert_eq!((losses.detect(ms(161), span(10)), first_lost(&losses)), (100, Some(1)));
}

#[test]
fn a_segment_that_is_lost_stays_lost_until_it_is_sent_again_or_comes_after_all() {
    let mut losses = Losses::default();
    (0..5).for_each(|number| send(&mut losses, 0, number));
    report(&mut losses, 40, 0, &[(2, 5)]);
    assert_eq!(losses.detect(ms(40), Span::ZERO), 200);
    send(&mut losses, 41, 5);
    assert_eq!((first_lost(&losses), losses.lost(), losses.in_network()), (Some(0), 200, 100), "new data has gone");
    report(&mut losses, 42, 1, &[(2, 5)]);
    assert_eq!((first_lost(&losses), losses.lost(), losses.in_network()), (Some(1), 100, 100), "0 was only late");
    send(&mut losses, 43, 1);
    assert_eq!((first_lost(&losses), losses.lost(), losses.in_network()), (None, 0, 200));
}

#[test]
fn bytes_are_found_to_be_lost_once() {
    let mut losses = Losses::default();
    (0..5).for_each(|number| send(&mut losses, 0, number));
    report(&mut losses, 40, 0, &[(2, 3)]);
    assert_eq!(losses.detect(ms(40), Span::ZERO), 200, "0 and 1");
    send(&mut losses, 41, 5);
    report(&mut losses, 81, 0, &[(5, 6), (2, 3)]);
    assert_eq!(losses.detect(ms(81), Span::ZERO), 200, "3 and 4");
    assert_eq!(losses.lost(), 400);
}

#[test]
fn overtaking_shows_only_if_what_was_overtaken_was_sent_once_and_is_reported_later() {
    let mut losses = Losses::default();
    (0..4).for_each(|number| send(&mut losses, 0, number));
    assert!(!report(&mut losses, 40, 1, &[(2, 3)]).shows_reordering, "both in one acknowledgment");
    assert!(report(&mut losses, 41, 3, &[]).shows_reordering, "1 after 2");
    send(&mut losses, 50, 4);
    report(&mut losses, 60, 3, &[(4, 5)]);
    send(&mut losses, 61, 3);
    assert!(!report(&mut losses, 99, 5, &[]).shows_reordering, "3 was sent again");
}

/// Part of a segment is retransmitted, and that part is acknowledged: only the rest stays lost or in flight.
#[test]
fn of_a_segment_that_is_acknowledged_in_part_the_rest_is_left() {
    let mut losses = Losses::default();
    (0..3).for_each(|number| send(&mut losses, 0, number));
    report(&mut losses, 40, 0, &[(1, 3)]);
    assert_eq!(losses.detect(ms(40), Span::ZERO), 100);
    losses.note_sent(ms(50), Piece { sequence: 0, length: 60 });
    losses.take_in(ms(90), &Acknowledgment { next: 60, ..Acknowledgment::default() }, 10_000);
    assert_eq!((losses.in_network(), losses.lost()), (40, 0));
    send(&mut losses, 91, 3);
    report(&mut losses, 140, 0, &[(3, 4)]);
    assert_eq!(losses.detect(ms(140), Span::ZERO), 40);
    assert_eq!(losses.first_lost(), Some(Piece { sequence: 60, length: 40 }));
}

#[test]
fn a_timeout_loses_the_first_segment_and_those_that_are_overdue() {
    let mut losses = Losses::default();
    send(&mut losses, 0, 0);
    report(&mut losses, 40, 1, &[]);
    send(&mut losses, 50, 1);
    send(&mut losses, 60, 2);
    send(&mut losses, 250, 3);
    losses.time_out(ms(250), span(10));
    assert_eq!((losses.lost(), losses.in_network()), (200, 100), "3 was sent just now");
    send(&mut losses, 250, 1);
    assert_eq!(first_lost(&losses), Some(2));
}
