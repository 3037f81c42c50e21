//! SACK with the PIPE of 98-0876R1 section 3.2 (T-30 to T-36).

use longfat_engine::random::Chance;
use longfat_engine::transport::{Acknowledgment, Sender, TickClock};

use super::bench::{Bench, ms};
use crate::support::n_source;

/// Ten segments in flight, 0 and 4 lost, third duplicate. PIPE = 10 - 3, plus 1 for the retransmission; the window is 5.
fn with_two_holes(settings: &str) -> Bench {
    let mut bench = Bench::new(10, settings);
    assert_eq!(bench.report(0, &[(1, 2)]), [0; 0]);
    assert_eq!(bench.report(0, &[(1, 3)]), [0; 0]);
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    assert_eq!(bench.window(), (5.0, 5.0));
    bench
}

/// T-32, T-33: each duplicate takes one from PIPE, each segment sent adds one; holes before new data; a partial
/// acknowledgment takes two; RECOVER ends it.
#[test]
fn pipe_counts_from_the_window_less_three_and_lets_holes_go_before_new_data() {
    let mut bench = with_two_holes("flavor = \"sack\"");
    // PIPE 8 → 7, 6, 5, 4: the fourth duplicate finds room for one, and the hole at 4 comes first.
    assert_eq!(bench.report(0, &[(5, 6), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 7), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 8), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 9), (1, 4)]), [4]);
    // PIPE 5 → 4: no hole is left, so new data.
    assert_eq!(bench.report(0, &[(5, 10), (1, 4)]), [10]);
    // The retransmission of 0 has arrived: PIPE 5 - 2 = 3, room for two.
    assert_eq!(bench.report(4, &[(5, 10)]), [11, 12]);
    assert_eq!(bench.window(), (5.0, 5.0), "the window stands still meanwhile");
    // The retransmission of 4 has arrived: all below RECOVER = 10. In flight: 10 to 12; the window is five.
    assert_eq!(bench.acknowledge(10), [13, 14]);
    assert_eq!(bench.window(), (5.0, 5.0), "T-35: congestion avoidance from the threshold on");
    let statistics = bench.sender.statistics();
    assert_eq!((statistics.segments_retransmitted, statistics.fast_retransmits, statistics.timeouts), (2, 1, 0));
}

#[test]
fn the_first_retransmission_may_be_left_out_of_pipe() {
    let mut bench = with_two_holes("flavor = { kind = \"sack\", counts_first_retransmission = false }");
    // PIPE 7 → 6, 5, 4: one duplicate less.
    let sent = [(5, 6), (5, 7), (5, 8)].map(|block| bench.report(0, &[block, (1, 4)]));
    assert_eq!(sent, [vec![], vec![], vec![4]]);
}

/// T-32: of four segments one is lost. PIPE is 4 - 3, the window is 2, and ns-2 sends the second segment at the next acknowledgment.
#[test]
fn the_third_duplicate_may_send_the_retransmission_alone() {
    for (sent_at_entry, sent) in [("what-fits", vec![0, 4]), ("retransmission-alone", vec![0])] {
        let settings = format!("counts_first_retransmission = false, sent_at_entry = {sent_at_entry:?}");
        let mut bench = Bench::new(4, &format!("flavor = {{ kind = \"sack\", {settings} }}"));
        bench.report(0, &[(1, 2)]);
        bench.report(0, &[(1, 3)]);
        assert_eq!(bench.report(0, &[(1, 4)]), sent);
        let under_way = if sent.len() == 2 { vec![5] } else { vec![4, 5] };
        assert_eq!(bench.acknowledge(4), under_way, "{sent_at_entry}");
    }
}

/// T-31: twenty segments in flight, 0 lost. The acknowledgment that ends the phase reports 21, and later ones only what is above 22.
#[test]
fn the_blocks_may_be_forgotten_when_the_phase_ends() {
    for (blocks, next_hole) in [("kept", 22), ("forgotten", 21)] {
        let mut bench = Bench::new(20, &format!("flavor = {{ kind = \"sack\", blocks_after_phase = {blocks:?} }}"));
        let sent: Vec<u64> = (2..=20).flat_map(|end| bench.report(0, &[(1, end)])).collect();
        // PIPE 20 - 3 + 1, less the 16 duplicates after the third; the window is 10.
        assert_eq!(sent, [0, 20, 21, 22, 23, 24, 25, 26, 27]);
        assert_eq!(bench.report(20, &[(21, 22)]), [28, 29]);
        let sent: Vec<u64> = (24..=29).flat_map(|end| bench.report(20, &[(23, end)])).collect();
        // PIPE 10 - 3 + 1, less 3; the window is 5. One more finds room for the next hole.
        assert_eq!(sent, [20], "{blocks}");
        assert_eq!(bench.report(20, &[(23, 30)]), [next_hole], "{blocks}");
    }
}

/// T-31: so are those of the acknowledgment of new data outside the phase, and what they say again is news.
#[test]
fn the_blocks_may_be_forgotten_with_each_acknowledgment_of_new_data() {
    for (blocks, sent) in [("kept", vec![]), ("forgotten", vec![1])] {
        let settings = format!("duplicates_need_news = true, blocks_after_phase = {blocks:?}");
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"sack\", {settings} }}"));
        bench.report(0, &[(2, 3)]);
        bench.report(1, &[(2, 4)]);
        bench.report(1, &[(2, 4)]);
        bench.report(1, &[(2, 5)]);
        assert_eq!(bench.report(1, &[(2, 6)]), sent, "{blocks}");
    }
}

/// T-32: PIPE may begin with the bytes in flight instead of the window.
#[test]
fn pipe_may_begin_with_what_is_under_way() {
    for (entry, sent) in [("usable-window", vec![]), ("congestion-window", vec![]), ("flight-size", vec![4, 6])] {
        // Only six of ten segments can be sent: PIPE is 10 - 3 + 1, or 6 - 3 + 1 with a window of 5.
        let mut bench =
            Bench::with_data(10, 7, &format!("flavor = {{ kind = \"sack\", pipe_at_entry = \"{entry}\" }}"));
        bench.report(0, &[(1, 2)]);
        bench.report(0, &[(1, 3)]);
        assert_eq!(bench.report(0, &[(1, 4)]), [0]);
        assert_eq!(bench.report(0, &[(5, 6), (1, 4)]).len(), usize::from(!sent.is_empty()), "{entry}");
    }
}

/// T-33: 40 segments fill the receiver window, and 0 is lost with its retransmission. PIPE is 40 - 3 + 1 and the window 20: the 19th
/// further duplicate makes room for new data beyond the receiver window.
#[test]
fn during_the_phase_pipe_alone_may_limit_new_data() {
    for (respects, sent) in [("true", vec![]), ("false", (40..58).collect::<Vec<u64>>())] {
        let mut bench =
            Bench::new(40, &format!("flavor = {{ kind = \"sack\", respects_receiver_window = {respects} }}"));
        (2..=4).for_each(|end| _ = bench.report(0, &[(1, end)]));
        let further: Vec<_> = (5..=40).flat_map(|end| bench.report(0, &[(1, end)])).collect();
        assert_eq!(further, sent, "respects the receiver window: {respects}");
    }
}

/// T-35: cwnd = ssthresh = 5 at a partial acknowledgment, which adds a segment of slow start, or nothing.
#[test]
fn the_window_may_grow_with_partial_acknowledgments() {
    for (grows, window) in [("false", 5.0), ("true", 6.0)] {
        let mut bench = with_two_holes(&format!("flavor = {{ kind = \"sack\", grows_in_phase = {grows} }}"));
        bench.report(4, &[(5, 10)]);
        assert_eq!(bench.window(), (window, 5.0), "grows: {grows}");
    }
}

/// T-34: each hole is retransmitted once; if that is lost too, the timer expires, and everything is sent again (T-31).
#[test]
fn a_lost_retransmission_costs_a_timeout_and_the_blocks_are_forgotten() {
    let mut bench = with_two_holes("flavor = \"sack\"");
    for end in 6..=10 {
        bench.report(0, &[(5, end), (1, 4)]);
    }
    let mut sent: Vec<u64> = Vec::new();
    for end in 11..30 {
        sent.extend(bench.report(0, &[(5, end), (1, 4)]));
    }
    assert!(sent.iter().all(|&segment| segment > 9), "0 and 4 were sent again already: {sent:?}");
    assert_eq!(bench.expire(), [0]);
    assert_eq!(bench.window().0, 1.0);
    assert_eq!(bench.acknowledge(1), [1, 2], "they were reported as arrived, but that is forgotten");
}

/// T-34, T-35: a timeout may leave the sender in the phase, with an empty PIPE, until RECOVER = 10 is acknowledged.
#[test]
fn a_timeout_may_leave_the_sender_in_the_fast_retransmit_phase() {
    for (at_timeout, at_acknowledgment, at_third_duplicate) in [
        // Slow start. The third duplicate begins another phase: PIPE = 2 - 3, and 1 for the retransmission; two more fit.
        ("ends", vec![1, 2], vec![1, 3, 4]),
        // PIPE: 1 - 2 after the first, so that the window of two holds three; each duplicate makes room for one more.
        ("goes-on", vec![1, 2, 3], vec![6]),
    ] {
        let mut bench = with_two_holes(&format!("flavor = {{ kind = \"sack\", phase_at_timeout = \"{at_timeout}\" }}"));
        assert_eq!(bench.expire(), [0], "{at_timeout}");
        assert_eq!(bench.acknowledge(1), at_acknowledgment, "{at_timeout}");
        assert_eq!(bench.window().0, 2.0, "{at_timeout}: slow start");
        let duplicates = [0; 3].map(|_| bench.acknowledge(1));
        assert_eq!(duplicates[2], at_third_duplicate, "{at_timeout}: {duplicates:?}");
    }
}

/// T-36: if few duplicates arrive, PIPE stays above the window, and SACK waits where NewReno retransmits the next hole.
#[test]
fn after_heavy_loss_pipe_is_too_large_for_a_partial_acknowledgment_to_send_a_hole() {
    let lose_0_2_4_6_8 = |flavor: &str| {
        let mut bench = Bench::new(10, &format!("flavor = \"{flavor}\""));
        bench.report(0, &[(1, 2)]);
        bench.report(0, &[(3, 4), (1, 2)]);
        assert_eq!(bench.report(0, &[(5, 6), (3, 4), (1, 2)]), [0]);
        bench.report(0, &[(7, 8), (5, 6), (3, 4)]);
        bench.report(0, &[(9, 10), (7, 8), (5, 6)]);
        bench.report(2, &[(9, 10), (7, 8), (5, 6)])
    };
    // PIPE: 10 - 3 + 1 - 2 = 6 and 6 - 2 = 4: room for one. Had one duplicate less come, it would be 5: none.
    assert_eq!(lose_0_2_4_6_8("sack"), [2]);
    assert_eq!(lose_0_2_4_6_8("newreno"), [2]);
    let lose_all_but_three = |flavor: &str| {
        let mut bench = Bench::new(10, &format!("flavor = \"{flavor}\""));
        bench.report(0, &[(1, 2)]);
        bench.report(0, &[(3, 4), (1, 2)]);
        assert_eq!(bench.report(0, &[(5, 6), (3, 4), (1, 2)]), [0]);
        bench.report(2, &[(5, 6), (3, 4)])
    };
    // PIPE: 8 - 2 = 6, and the window is 5.
    assert_eq!(lose_all_but_three("sack"), [0; 0]);
    assert_eq!(lose_all_but_three("newreno"), [2]);
}

#[test]
fn a_duplicate_may_need_news_to_count() {
    for (needs_news, noticed) in [("true", 0), ("false", 1)] {
        let settings = format!("flavor = {{ kind = \"sack\", duplicates_need_news = {needs_news} }}");
        let mut bench = Bench::new(10, &settings);
        (0..5).for_each(|_| _ = bench.report(0, &[(1, 2)]));
        assert_eq!(bench.sender.statistics().fast_retransmits, noticed, "{needs_news}: the same five times");
        let mut bench = Bench::new(10, &settings);
        (2..=4).for_each(|end| _ = bench.report(0, &[(1, end)]));
        assert_eq!(bench.sender.statistics().fast_retransmits, 1, "{needs_news}: more each time");
    }
}

/// New data does not count as retransmitted: a hole that is reported later precedes more new data.
#[test]
fn a_hole_that_shows_after_new_data_was_sent_is_sent_again() {
    let mut bench = Bench::new(10, "flavor = \"sack\"");
    (2..=4).for_each(|end| _ = bench.report(0, &[(1, end)]));
    let sent: Vec<_> = (5..=8).map(|end| bench.report(0, &[(1, end)])).collect();
    assert_eq!(sent, [vec![], vec![], vec![], vec![10]], "PIPE 8 → 4");
    assert_eq!(bench.report(0, &[(9, 10), (1, 8)]), [8]);
}

/// T-33: twelve messages of 40 bytes are twelve segments, and fill a window of 480. PIPE begins with 480 - 300 and the
/// retransmission, 40 or a segment's 100; the window is 240. Bytes on the way: 220, so 20 more fit; by segments 280.
#[test]
fn small_segments_count_in_pipe_as_bytes_or_as_whole_ones() {
    for (unit, at_third, at_fourth) in [("bytes-sent", 20, 100), ("bytes", 20, 40), ("segments", 0, 100)] {
        let mut sender = small_segments(unit);
        let mut duplicate = |number: u64| report(&mut sender, number, 0, &[(40, 40 + 40 * number)]);
        assert_eq!([duplicate(1), duplicate(2)], [[]; 2]);
        let new = |sequence: u64, length: u64| if length > 0 { vec![(sequence, length)] } else { Vec::new() };
        assert_eq!(duplicate(3), [vec![(0, 40)], new(480, at_third)].concat(), "{unit}");
        assert_eq!(duplicate(4), new(480 + at_third, at_fourth), "{unit}");
    }
}

/// 200 to 239 are lost as well: of the 100 bytes that fit, 40 are sent, up to the data that has arrived.
#[test]
fn a_hole_of_less_than_a_segment_is_sent_as_it_is() {
    let mut sender = small_segments("bytes-sent");
    (1..=3).for_each(|number| _ = report(&mut sender, number, 0, &[(40, 40 + 40 * number)]));
    assert_eq!(report(&mut sender, 4, 0, &[(240, 280), (40, 200)])[0], (200, 40));
}

/// T-33: 0 to 79 are missing and retransmitted: PIPE is 480 - 300 and 80. A partial acknowledgment of 40 bytes takes two segments from it,
/// or twice its bytes; the window is 240.
#[test]
fn a_partial_acknowledgment_takes_whole_segments_from_pipe_or_bytes() {
    for (unit, sent) in [("bytes-sent", 180), ("bytes", 60)] {
        let mut sender = small_segments(unit);
        let lost =
            (1..=3).flat_map(|number| report(&mut sender, number, 0, &[(80, 80 + 40 * number)])).collect::<Vec<_>>();
        assert_eq!(lost, [(0, 80)], "{unit}");
        let new = report(&mut sender, 4, 40, &[(80, 200)]);
        assert_eq!(new.iter().map(|segment| segment.1).sum::<u64>(), sent, "{unit}: {new:?}");
    }
}

/// A sender with twelve segments of 40 bytes in flight, and unlimited data.
fn small_segments(unit: &str) -> Sender {
    let settings = format!(
        "port.buffer = \"unlimited\"
tcp = {{ mss = \"100 B\", receiver_window = \"4000 B\", initial_window = \"480 B\", silly_window_avoidance = false, \
flavor = {{ kind = \"sack\", pipe_unit = \"{unit}\" }} }}"
    );
    let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &settings).tcp;
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    let clock = TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance);
    let (mut sender, mut sent) = (Sender::new(&config, clock), Vec::new());
    (0..12).for_each(|_| sender.offer(ms(0), 40, &mut sent));
    sender.offer(ms(0), u64::MAX, &mut sent);
    assert_eq!(sent.iter().map(|segment| segment.length).collect::<Vec<_>>(), [40; 12]);
    sender
}

/// Delivers the `number`-th acknowledgment, of all below `next`, which reports blocks of bytes; returns the segments sent, with their
/// lengths.
fn report(sender: &mut Sender, number: u64, next: u64, blocks: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut sent = Vec::new();
    let blocks = blocks.iter().copied().collect();
    sender.acknowledge(ms(10 + number), Acknowledgment { next, blocks, ..Acknowledgment::default() }, &mut sent);
    sent.iter().map(|segment| (segment.sequence, segment.length)).collect()
}

/// A phase whose losses are all repaired does not bar the next: RECOVER = 10, and 10 is lost next.
#[test]
fn with_a_guard_the_first_segment_beyond_recover_may_be_lost_as_well() {
    let mut bench = with_two_holes("flavor = { kind = \"sack\", multiple_loss_guard = true }");
    for end in 6..=10 {
        bench.report(0, &[(5, end), (1, 4)]);
    }
    bench.report(4, &[(5, 10)]);
    bench.acknowledge(10);
    let sent = [(11, 12), (11, 13), (11, 14)].map(|block| bench.report(10, &[block]));
    assert_eq!(sent[2], [10], "{sent:?}");
}

/// T-21: but after a timeout, data sent before it causes duplicates.
#[test]
fn with_a_guard_a_loss_is_shown_only_by_what_was_sent_after_a_timeout() {
    for (guard, noticed) in [("false", 1), ("true", 0)] {
        let mut bench = Bench::new(10, &format!("flavor = {{ kind = \"sack\", multiple_loss_guard = {guard} }}"));
        bench.expire();
        bench.acknowledge(4);
        bench.third_duplicate();
        assert_eq!(bench.sender.statistics().fast_retransmits, noticed, "guard: {guard}");
    }
}

/// ns-2 ignores duplicates after a timeout until the first acknowledgment of new data.
#[test]
fn duplicates_after_a_timeout_may_be_ignored() {
    for (ignores, noticed) in [("false", 1), ("true", 0)] {
        let settings = format!("flavor = {{ kind = \"sack\", ignores_duplicates_after_timeout = {ignores} }}");
        let mut bench = Bench::new(10, &settings);
        bench.expire();
        (2..=4).for_each(|end| _ = bench.report(0, &[(1, end)]));
        assert_eq!(bench.sender.statistics().fast_retransmits, noticed, "ignored: {ignores}");
    }
    let mut bench = Bench::new(10, "flavor = { kind = \"sack\", ignores_duplicates_after_timeout = true }");
    bench.expire();
    bench.acknowledge(4);
    (6..=8).for_each(|end| _ = bench.report(4, &[(5, end)]));
    assert_eq!(bench.sender.statistics().fast_retransmits, 1, "after new data they count again");
}
