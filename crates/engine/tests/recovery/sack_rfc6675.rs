//! SACK of RFC 6675: `IsLost`, `SetPipe` and `NextSeg` of section 4, and the steps of section 5.

use longfat_engine::transport::Acknowledgment;

use super::bench::{Bench, ms};

/// Section 5: 0 and 4 of ten segments lost. Before recovery each duplicate with news leaves room for one new segment.
#[test]
fn pipe_is_what_has_neither_arrived_nor_is_lost_and_what_was_sent_again() {
    let mut bench = Bench::new(10, "flavor = \"sack-rfc6675\"");
    // Step (3): cwnd 10; PIPE 9, so 10 is sent; then 11.
    assert_eq!(bench.report(0, &[(1, 2)]), [10]);
    assert_eq!(bench.report(0, &[(1, 3)]), [11]);
    // Step (4): RecoveryPoint 12; FlightSize without the segments of limited transmit is 10, so cwnd = ssthresh = 5. Lost: 0, because more
    // than two segments have arrived above. PIPE: 4 to 11, and 0 retransmitted: 9.
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    assert_eq!(bench.window(), (5.0, 5.0));
    // 5, 6 and 7 arrive: PIPE 8, 7, and when 4 counts as lost, 5.
    assert_eq!(bench.report(0, &[(5, 6), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 7), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 8), (1, 4)]), [0; 0]);
    // 8: PIPE 4; NextSeg (1): the hole that is lost. 9: again 4; NextSeg (2): new data.
    assert_eq!(bench.report(0, &[(5, 9), (1, 4)]), [4]);
    assert_eq!(bench.report(0, &[(5, 10), (1, 4)]), [12]);
    // 0 arrives: PIPE was 5 (10, 11, 12, and 0 and 4 retransmitted), now 4.
    assert_eq!(bench.report(4, &[(5, 10)]), [13]);
    // Step (A) at RecoveryPoint: 12 and 13 are in flight, the window is 5.
    assert_eq!(bench.acknowledge(12), [14, 15, 16]);
    assert_eq!(bench.window(), (5.0, 5.0));
}

/// `IsLost`: "when [...] DupThresh discontiguous SACKed sequences have arrived above", though only two duplicates came.
#[test]
fn three_blocks_show_a_loss_whatever_the_number_of_duplicates() {
    let mut bench = Bench::new(10, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(2, 3)]);
    assert_eq!(bench.report(0, &[(6, 7), (4, 5), (2, 3)])[0], 0);
    assert_eq!(bench.sender.statistics().fast_retransmits, 1);
}

/// Section 2: a duplicate is an acknowledgment with news.
#[test]
fn an_acknowledgment_without_news_is_no_duplicate() {
    let mut bench = Bench::new(10, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(1, 2)]);
    for _ in 0..9 {
        assert_eq!(bench.report(0, &[(1, 2)]), [0; 0]);
    }
    assert_eq!(bench.sender.statistics().fast_retransmits, 0);
}

/// `NextSeg` rule (3): without new data, a hole is retransmitted that does not count as lost yet.
#[test]
fn a_hole_that_is_not_known_to_be_lost_goes_when_there_is_nothing_else() {
    let mut bench = Bench::with_data(10, 10, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(1, 2)]);
    bench.report(0, &[(1, 3)]);
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    // 4 is a hole with 5 and 6 above it: not lost. PIPE: 4, 7, 8, 9, and 0 retransmitted: 5. With 7 it would be lost.
    assert_eq!(bench.report(0, &[(5, 6), (1, 4)]), [0; 0]);
    assert_eq!(bench.report(0, &[(5, 7), (1, 4)]), [0; 0]);
    // 0 arrives: PIPE 4, room for one.
    assert_eq!(bench.report(4, &[(5, 7)]), [4]);
}

/// `NextSeg` rule (4): one segment beyond the last block, once, when the first retransmission is acknowledged.
#[test]
fn the_last_segment_is_rescued_once() {
    let mut bench = Bench::with_data(6, 6, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(1, 2)]);
    bench.report(0, &[(1, 3)]);
    // 0, 4 and 5 are lost; ssthresh 3; PIPE: 4, 5 and 0.
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    assert_eq!(bench.acknowledge(4), [5], "PIPE 2: the segment that holds the last byte under way");
    assert_eq!(bench.duplicate(), [0; 0]);
    assert_eq!(bench.expire(), [4]);
}

/// `NextSeg` rule (4) applies after the first retransmission: more than that alone must be acknowledged.
#[test]
fn nothing_is_rescued_before_more_is_acknowledged_than_was_sent_again_first() {
    let mut bench = Bench::with_data(6, 6, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(2, 3)]);
    bench.report(0, &[(2, 4)]);
    // 0, 1 and 5 are lost. PIPE: 5, 0 and 1; ssthresh 3.
    assert_eq!(bench.report(0, &[(2, 5)]), [0, 1]);
    assert_eq!(bench.report(1, &[(2, 5)]), [0; 0]);
    assert_eq!(bench.acknowledge(5), [5]);
}

/// Section 5 step (4.3): HighRxt is reset, so retransmissions of an earlier recovery may be repeated.
#[test]
fn a_second_recovery_sends_what_the_first_had_sent_in_vain() {
    let mut bench = Bench::new(10, "flavor = \"sack-rfc6675\"");
    bench.report(0, &[(1, 2)]);
    bench.report(0, &[(1, 3)]);
    // Lost: 0, and 10, 12 and 14, which are sent later. RecoveryPoint is 12.
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    let mut sent = Vec::new();
    for end in 5..=10 {
        sent.extend(bench.report(0, &[(1, end)]));
    }
    // PIPE: 10, 11, 0 and the segments sent; 12 and 13 are sent as it falls to 4.
    assert_eq!(sent, [12, 13]);
    // 11, 13 and all from 15 on arrive; 10, 12 and 14 count as lost and are retransmitted, in vain except for 10.
    let mut sent = bench.report(10, &[(11, 12)]);
    sent.extend(bench.report(10, &[(13, 14), (11, 12)]));
    for end in 16..=19 {
        sent.extend(bench.report(10, &[(15, end), (13, 14), (11, 12)]));
    }
    assert!([10, 12, 14].iter().all(|segment| sent.contains(segment)), "{sent:?}");
    // 10 is acknowledged: the recovery ends at 12. The following segments arrive, and show that 12 and 14 are still missing.
    let mut sent = bench.report(12, &[(15, 19), (13, 14)]);
    for end in 20..=24 {
        sent.extend(bench.report(12, &[(15, end), (13, 14)]));
    }
    assert_eq!(bench.sender.statistics().fast_retransmits, 2);
    assert!([12, 14].iter().all(|segment| sent.contains(segment)), "{sent:?}");
}

/// Section 5.1: after a timeout no recovery begins until all data sent before is acknowledged, and data reported as arrived since then is
/// skipped.
#[test]
fn after_a_timeout_reports_guide_go_back_n_and_no_recovery_begins() {
    let mut bench = Bench::new(10, "flavor = \"sack-rfc6675\"");
    assert_eq!(bench.expire(), [0]);
    // The receiver has 2 to 4 and 6 to 9.
    assert_eq!(bench.report(1, &[(6, 10), (2, 5)]), [1], "2 has arrived, and 5 is beyond a window of two");
    assert_eq!(bench.window().0, 2.0);
    for _ in 0..4 {
        bench.report(1, &[(6, 10), (2, 5)]);
    }
    assert_eq!(bench.sender.statistics().fast_retransmits, 0);
    assert_eq!(bench.report(5, &[(6, 10)]), [5], "6 and 7 have arrived");
    assert_eq!(bench.acknowledge(10), [10, 11, 12, 13]);
}

const PROPORTIONAL: &str = "flavor = { kind = \"sack-rfc6675\", reduction = \"proportional\" }";

/// RFC 9937: 0 of ten is lost. RecoverFS is 12 less the two that had arrived before; ssthresh 5. While more than that is in the network,
/// half a segment may be sent per delivered one: with k delivered, k / 2 have been sent, the first of them 0 itself.
#[test]
fn a_proportional_reduction_sends_one_for_two_until_the_threshold_is_under_way() {
    let mut bench = Bench::new(10, PROPORTIONAL);
    assert_eq!(bench.report(0, &[(1, 2)]), [10]);
    assert_eq!(bench.report(0, &[(1, 3)]), [11]);
    // k = 1: PIPE 8 before 0 is sent.
    assert_eq!(bench.report(0, &[(1, 4)]), [0]);
    assert_eq!(bench.window(), (5.0, 5.0));
    let sent: Vec<_> = (5..=9).map(|end| bench.report(0, &[(1, end)])).collect();
    // k = 4: PIPE 6, 200 bytes by now, 100 sent. k = 6: PIPE 5 is the threshold.
    assert_eq!(sent, [vec![], vec![], vec![12], vec![], vec![]]);
    // From here on one per delivered segment: PIPE 4.
    let sent: Vec<_> = (10..=12).map(|end| bench.report(0, &[(1, end)])).collect();
    assert_eq!(sent, [[13], [14], [15]]);
    // 0 arrives: the recovery ends with four in flight, and a window of five.
    assert_eq!(bench.acknowledge(12), [16]);
}

/// RFC 9937: 0 to 5 of ten are lost, more than the reduction of the window. PIPE is below ssthresh at once: one segment per delivered one,
/// and two when the left edge advances and nothing else is lost.
#[test]
fn after_many_losses_a_proportional_reduction_conserves_packets_and_grows_when_all_is_well() {
    let mut bench = Bench::new(10, PROPORTIONAL);
    assert_eq!(bench.report(0, &[(6, 7)]), [10]);
    assert_eq!(bench.report(0, &[(6, 8)]), [11]);
    // PIPE: 9, 10, 11. Reduction at once would send another, because the window is 5.
    assert_eq!(bench.report(0, &[(6, 9)]), [0]);
    assert_eq!(bench.report(0, &[(6, 10)]), [1]);
    assert_eq!(bench.report(0, &[(6, 11)]), [2]);
    assert_eq!(bench.report(0, &[(6, 12)]), [3]);
    // PIPE: 1, 2, 3.
    assert_eq!(bench.report(1, &[(6, 12)]), [4, 5]);
}

/// RFC 9937: all is well only if no other loss was detected. 0 to 11 of twenty are lost, and 17, which counts as lost when three segments
/// beyond it have arrived.
#[test]
fn a_proportional_reduction_does_not_grow_when_another_loss_shows() {
    let sent = |last: (u64, u64)| {
        let mut bench = Bench::new(20, PROPORTIONAL);
        (13..=17).for_each(|end| _ = bench.report(0, &[(12, end)]));
        (19..=20).for_each(|end| _ = bench.report(0, &[(18, end), (12, 17)]));
        bench.report(1, &[last, (12, 17)]).len()
    };
    // 0 arrives, and with it 20, or the late 17.
    assert_eq!((sent((18, 21)), sent((17, 20))), (2, 3));
}

/// Segments 0 and 4 were lost and retransmitted, all others have arrived: nothing is left for rule (4).
#[test]
fn nothing_is_sent_to_the_rescue_where_the_last_bytes_have_arrived() {
    let mut bench = Bench::with_data(10, 10, "flavor = \"sack-rfc6675\"");
    let mut sent = Vec::new();
    for end in 2..=4 {
        sent.extend(bench.report(0, &[(1, end)]));
    }
    for end in 6..=10 {
        sent.extend(bench.report(0, &[(5, end), (1, 4)]));
    }
    assert_eq!(sent, [0, 4]);
    assert_eq!(bench.report(4, &[(5, 10)]), [0; 0]);
}

/// Section 5.1. Bytes 150 to 200 had arrived, so 50 bytes are missing before them, half of a segment.
#[test]
fn after_a_timeout_no_more_is_sent_than_is_missing() {
    let mut bench = Bench::with_data(4, 4, "flavor = \"sack-rfc6675\"");
    let mut out = Vec::new();
    let blocks = [(150, 200)].into_iter().collect();
    bench.sender.acknowledge(ms(1), Acknowledgment { blocks, ..Acknowledgment::default() }, &mut out);
    assert_eq!(bench.expire(), [0]);
    let blocks = [(150, 200)].into_iter().collect();
    bench.sender.acknowledge(bench.now(), Acknowledgment { blocks, ..Acknowledgment::from(100) }, &mut out);
    let sent: Vec<_> = out.iter().map(|segment| (segment.sequence, segment.length)).collect();
    assert_eq!(sent, [(100, 50), (200, 100)]);
}

/// RFC 9937 section 6.2: `DeliveredData` is the data delivered by this acknowledgment. Duplicates before it were lost on the way back, and
/// ten segments were acknowledged before them.
#[test]
fn a_proportional_reduction_counts_nothing_that_was_delivered_before() {
    let mut bench = Bench::new(20, PROPORTIONAL);
    assert_eq!(bench.acknowledge(10), (20..=30).collect::<Vec<_>>(), "slow start: 21 under way");
    // ssthresh 10.5, RecoverFS 21, of which 4 are delivered: SndCnt is 4 * 10.5 / 21, two segments.
    assert_eq!(bench.report(10, &[(11, 15)]), [10, 31]);
    assert_eq!(bench.window().1, 10.5);
}
