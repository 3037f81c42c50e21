//! Repair of the same losses in the same window by each flavor.
//!
//! Checked by hand, in ms. A segment of 960 bytes is a packet of 1000: .01 on an access line, 10 on the bottleneck. With the
//! delays of 1, 43 and 1, the first is at the receiver at 55.02, those behind it 10 apart. An acknowledgment of 40 bytes
//! takes .0004 and .4, and 45.4008 in all: the round trip is 100.4208. Selective acknowledgments make it 12 bytes longer with
//! one block (.12024 later) and 20 with two (.2004 later).
//!
//! Nine segments go at once. Of `[2, 5, 6]`, segments 1, 4 and 5 are lost before the bottleneck, so it has a gap for none of
//! them: 0, 2, 3, 6, 7 and 8 arrive from 55.02 to 105.02. The acknowledgment of segment 0 makes the window 10, and 9 and 10
//! are sent: ten are in flight, 1 to 10. Segments 2, 3 and 6 cause the three duplicates, the third 30 after the first
//! acknowledgment.

use longfat_engine::scenario::Scenario;

use super::table;
use crate::support::expected::assert_as_expected;
use crate::support::scenario;

/// Eighteen segments, nine of them at once.
fn with_losses(losses: &str, tcp: &str) -> Scenario {
    transfer(18, losses, &format!("initial_window = \"9 MSS\"\n{tcp}"))
}

fn transfer(segments: u64, losses: &str, tcp: &str) -> Scenario {
    let bytes = segments * 960;
    scenario(&format!(
        r#"
schema_version = 1
duration = "2 s"
topology = {{ kind = "n-source", sources = 1, access = {{ rate = "800 Mbit/s", delay = "1 ms" }}, bottleneck = {{ rate = "800 kbit/s", delay = "43 ms" }} }}
framing = "packet"
port = {{ buffer = "unlimited" }}
loss = {{ kind = "list", drops = {losses} }}
traffic = {{ kind = "finite", size = "{bytes} B" }}
[tcp]
mss = "960 B"
receiver_window = "48000 B"
{tcp}
"#
    ))
}

/// Settings of the standards where the papers' differ: half of the flight, and no coarse clock.
const STANDARD: &str = r#"
ssthresh_rule = "flight-size"
timer_granularity = "1 ms"
timer_phase = "from-start"
retransmission_timeout = "rfc-6298"
"#;

/// - The third duplicate, 130.4208: ssthresh 10 / 2, the window one segment, and segment 1 goes. The four further duplicates
///   (of 7, 8, 9 and 10) release nothing.
/// - At 230.8416 the acknowledgment of 1, 2 and 3 makes the window 2: segments 4 and 5, both lost, are next in order.
/// - At 331.2624 segment 4 is acknowledged and the window 3: segments 6 and 7 go though they have arrived. The sender does
///   not know; 10 later 5 is there too, and one acknowledgment jumps to 11, from which sending goes on.
/// - Segments 6 and 7 cause two duplicates more, at 431.6832 and 441.6832: one more would indicate a loss.
/// - The window is at the threshold at 461.6832 and still grows by one; from 6 on by 1/6.
#[test]
fn tahoe_starts_slowly_from_the_lost_segment_on_and_sends_again_what_has_arrived() {
    assert_as_expected("trajectories/tahoe.txt", &table(&with_losses("[2, 5, 6]", "flavor = \"tahoe\"")));
}

/// With segments 1 and 4 lost, segment 5 causes the third duplicate.
///
/// - 130.4208: ssthresh 10 / 2 = 5, the window 5 + 3. Five further duplicates, of 6 to 10, make it 13. The edge 1 + 11 is
///   beyond segment 11 at the third of them, at 160.4208; 12 and 13 follow with the fourth and fifth.
/// - 230.8416: segment 4 is expected, and the recovery ends though it is lost. The window is 5 and the edge 9, below 14.
/// - Segments 11, 12 and 13 cause three more duplicates. At 311.2624 the window is halved again: ssthresh 2.5, the window
///   5.5.
/// - 411.6832: all is acknowledged, the window 2.5: two segments go. Two losses have made a window of 10 one of 2.5.
#[test]
fn reno_halves_its_window_for_each_of_two_losses() {
    assert_as_expected("trajectories/reno-two-losses.txt", &table(&with_losses("[2, 5]", "flavor = \"reno\"")));
}

/// - 130.4208: ssthresh 5, the window 5 + 3. Four further duplicates make it 12: segments 11 and 12 go with the third and
///   fourth.
/// - 230.8416: segment 4 is expected; the recovery ends with a window of 5 and the edge 9, below 13. The duplicates of 11 and
///   12 are but two, and nothing is in the network any more: the timer must expire.
/// - It was started anew at 230.8416, when 2 ticks of 100 had passed. The round trip of segment 0 had one tick, which counts
///   as 2: srtt 2, rttvar 1, timeout 2 + 4 = 6 ticks, so it expires at the eighth, 800.
/// - Then ssthresh is 5 / 2 and the window 1. Segment 4 goes, then 5 and 6; at 1000.8416 all up to 12 is acknowledged at
///   once. The window is 3, beyond the threshold, and grows by 1/3.
#[test]
fn reno_waits_for_its_timer_when_three_are_lost() {
    assert_as_expected("trajectories/reno-three-losses.txt", &table(&with_losses("[2, 5, 6]", "flavor = \"reno\"")));
}

/// By 98-0876R1 section 3.1. RECOVER is segment 10.
///
/// - 130.4208: ssthresh 5, the window 5 + 3. Of the four further duplicates the second and the fourth release a new segment
///   each, 11 and 12, regardless of the window (at 150.4208 it is 10, and the edge 11 would release none).
/// - 230.8416: segment 4 is expected, a partial acknowledgment. It goes, and nothing else; the window is back at 5.
/// - The duplicates of 11 and 12 are the fifth and sixth, so 13 goes at 311.2624. At 331.2624 segment 5 is expected and goes.
/// - 411.6832: the duplicate of 13 is the seventh. 431.6832: all up to 13 is acknowledged, RECOVER with it. The window is 5;
///   nothing is in flight, and the last four go at once. Three losses took 301.2624 from the third duplicate on, three round
///   trips.
#[test]
fn newreno_sends_a_lost_segment_again_in_each_round_trip() {
    assert_as_expected("trajectories/newreno.txt", &table(&with_losses("[2, 5, 6]", "flavor = \"newreno\"")));
}

/// By RFC 6582 section 3.2; steps 1 to 3.
///
/// - 130.4208: ssthresh 10 / 2, the window 5 + 3; 12 after four further duplicates, which release 11 and 12.
/// - 230.8416: three segments are acknowledged, not all. Segment 4 goes, the window is 12 - 3 + 1 = 10 and the edge 14: 13
///   goes.
/// - The duplicates of 11 and 12 make it 12: 14 and 15 go. 331.2624: one segment is acknowledged, the window stays 12 - 1 +
///   1, segment 5 and one new one go. The duplicates of 13, 14 and 15 make it 15; there is data for the first of them only.
/// - 431.6832: all data sent before the loss is acknowledged. Two segments are in flight: the window is min(5, 2 + 1) =
///   3, and the next acknowledgment lets it grow in slow start.
#[test]
fn newreno_of_rfc_6582_sends_new_data_at_partial_acknowledgments_too() {
    let tcp = format!("flavor = \"newreno-rfc6582\"{STANDARD}");
    assert_as_expected("trajectories/newreno-rfc6582.txt", &table(&with_losses("[2, 5, 6]", &tcp)));
}

/// Segments 1 and 3 of the first five are lost; the receiver delays acknowledgments by up to 200, and new segments go at the
/// first two duplicates (RFC 3042).
///
/// - Segment 0 arrives at 55.02 and waits for another; 2, out of order, releases the acknowledgment of 0 at 65.02. The window
///   of 5 is beyond its threshold of 2 and grows by 1/5: only segment 5 goes.
/// - Segments 4 and 5 cause two duplicates, and no more will follow. They release 6 and 7, and 6 causes the third: without limited
///   transmit the timer would have to expire.
/// - The third, 220.8416: 1 to 7 are in flight, but the two sent early do not count: ssthresh 5 / 2, not 7 / 2. The window is
///   2.5 + 3, and 6.5 with the duplicate of 7: nothing fits below the edge 7.5.
/// - The acknowledgment of 1 and 2 is partial: segment 3 goes, the window is 6.5 - 2 + 1; segment 8 does not fit below the
///   edge 8.5. Then all is acknowledged and nothing in flight: the window is min(2.5, 1 + 1) = 2.
/// - From there on every second segment is acknowledged; the window grows by one to 3, then by 1/3. Segment 16, the last,
///   arrives at 807.9656 and waits alone: its acknowledgment leaves 200 later and is there at 1053.3664.
#[test]
fn limited_transmit_saves_a_small_window_from_the_timer_though_acknowledgments_are_delayed() {
    let tcp = format!(
        "flavor = \"newreno-rfc6582\"\ninitial_window = \"5 MSS\"\ninitial_ssthresh = \"1920 B\"\n\
         acknowledgments = \"delayed\"\nlimited_transmit = true{STANDARD}"
    );
    assert_as_expected("trajectories/limited-transmit.txt", &table(&transfer(17, "[2, 4]", &tcp)));
}

/// By 98-0876R1 section 3.2. RECOVER is segment 10; PIPE in segments.
///
/// - The third duplicate, now at 130.6212, brings two blocks. PIPE is 10 - 3, and 8 with segment 1; the window is 5.
/// - The duplicates of 7, 8 and 9 make PIPE 5, not yet below the window. That of 10, at 211.042, makes it 4: the first hole,
///   segment 4, goes.
/// - 231.16224: segment 4 is expected. PIPE is 5 - 2 = 3: the second hole, segment 5, and a new one, 11, go.
/// - 311.58304: segment 5 is expected. PIPE is 3 again and no hole is left: 12 and 13 go. 331.58304: RECOVER is acknowledged;
///   with a window of 5 and three in flight two more go. Of the three losses two were repaired in one round trip.
#[test]
fn sack_fills_the_holes_while_pipe_is_below_the_window() {
    assert_as_expected("trajectories/sack.txt", &table(&with_losses("[2, 5, 6]", "flavor = \"sack\"")));
}

/// By RFC 6675 section 5; PIPE in segments.
///
/// - The first duplicate: 1 to 10 are in flight except 2, PIPE 9: one new segment, 11. The second: PIPE 9 again, and 12.
/// - The third, 130.6212: ssthresh half of the ten in flight without these two. Segment 1 goes. Above 4 and 5 but
///   one segment has arrived: they are not lost. PIPE counts 4, 5, 7 to 12 and 1 again, 9.
/// - Segment 7 makes it 8. Segment 8 is the third above 4 and 5: both are lost and leave PIPE, which is 9 to 12 and 1 again,
///   5.
/// - The duplicates of 9 and 10 let segments 4 and 5 go, those of 11 and 12 let 13 and 14 go: PIPE is 4 before and 5 after.
/// - 240.96184: segment 4 is expected. PIPE is 4 and 5 again, 13 and 14: 15 goes. 301.58304: segment 5 is expected, PIPE 4,
///   16 goes.
/// - 311.4628: all is acknowledged that was sent before segment 1 went again, 12 included. The window is 5, four are in
///   flight, 17 goes. The recovery has taken 181, that of NewReno 301.
#[test]
fn sack_of_rfc_6675_repairs_three_losses_without_a_pause() {
    let tcp = format!("flavor = \"sack-rfc6675\"{STANDARD}");
    assert_as_expected("trajectories/sack-rfc6675.txt", &table(&with_losses("[2, 5, 6]", &tcp)));
}

/// By RFC 8985, with reductions at once; the last packet, segment 17, is lost as well when it is sent first. PIPE in segments.
///
/// - Up to the third duplicate as with RFC 6675, but there the segment 6 has arrived, which was sent after 1, 4 and 5: all three are lost.
///   PIPE is 7 to 12, and 1 again: 7.
/// - Segments 7, 8 and 9 make it 4: segment 4 goes, and so on. Each acknowledgment lets one go: 5, 13, 14; at 240.96184 segment 1 has
///   arrived, 15 goes; at 301.58304 segment 4, 16 goes. 311.4628: all up to 12 is acknowledged, the recovery is over.
/// - The rest is lost in silence. At 402.00384 only segment 17 is in flight: the probe goes two smoothed round trips and 200, for its
///   acknowledgment may be delayed, later. The timer would have expired after a second.
#[test]
fn rack_tlp_repairs_three_losses_and_finds_that_of_the_last_segment_by_a_probe() {
    let tcp = format!("flavor = {{ kind = \"rack-tlp\", proportional_rate_reduction = false }}{STANDARD}");
    assert_as_expected("trajectories/rack-tlp.txt", &table(&with_losses("[2, 5, 6, 21]", &tcp)));
}

/// By RFC 3649, with a Low_Window of 5, a High_Window of 20, and High_P 0.0256: by logarithms a window of 10 is half way between, so
/// that b(10) = (0.5 + 0.1) / 2 = 0.3. Segment 1 alone is lost.
///
/// - The first and the second duplicate release 11 and 12. The third, 130.54104: ssthresh (1 - 0.3) * 10 = 7. Segment 1 goes, PIPE is 9.
/// - The duplicates of segments 5, 6 and 7 make it 6: one below the window, so 13 goes; and so on up to 17, the last.
/// - 240.8416: all up to 12 is acknowledged. The next acknowledgment finds the window at the threshold and adds one.
/// - The position of 8 is log(1.6) / log(4) = 0.339: b(8) = 0.3644 and p(8) = 0.0576 (0.0256 / 0.0576)^0.339 = 0.04375, so
///   a(8) = 64 * 0.04375 * 2 * 0.3644 / 1.6356 = 1.248, and an acknowledgment adds 1.248 / 8 = 0.156.
#[test]
fn high_speed_gives_the_less_the_larger_its_window_is() {
    let law = "{ kind = \"high-speed\", low_window = 5, high_window = 20, high_loss_rate = 0.0256 }";
    let tcp = format!("flavor = {law}{STANDARD}");
    assert_as_expected("trajectories/high-speed.txt", &table(&with_losses("[2]", &tcp)));
}

/// By Kelly 2003, with no window too small for it. Segment 1 alone is lost.
///
/// - The third duplicate, 130.54104: ssthresh 10 - 10 / 8 = 8.75. Segment 1 goes, PIPE is 9.
/// - The duplicate of segment 5 makes it 8, for which 8.75 has no room; that of segment 6 makes it 7: 13 goes. Each further one lets one go, to 17.
/// - 240.8416: all up to 12 is acknowledged. The next acknowledgment finds the window at the threshold and adds one; each further one 0.01.
#[test]
fn scalable_gives_an_eighth_and_adds_a_hundredth() {
    let tcp = format!("flavor = {{ kind = \"scalable\", legacy_window = 1 }}{STANDARD}");
    assert_as_expected("trajectories/scalable.txt", &table(&with_losses("[2]", &tcp)));
}

/// By Caini and Firrincieli 2004, for a reference of 50: the round trip is 100.4208 when it is measured first, and stays the shortest. rho is 2.008.
/// Segment 1 alone is lost.
///
/// - 100.4208: a window of 9 and a threshold of 50 become rho times as much, 18.076 and 100.421, and 2^2.008 - 1 = 3.023 more go with the
///   acknowledgment: the window is 21.099, and all 9 segments that are left go.
/// - The third duplicate, 130.54104: 17 segments are in flight, of which limited transmit has sent none: ssthresh 8.5, as Reno. Segment 1 goes.
/// - Nothing is left to send. Segment 1 waits behind 9 to 17 and arrives at 245.4408, so the recovery ends at 290.8416, when all is acknowledged.
#[test]
fn hybla_starts_as_fast_as_over_its_reference_and_halves_as_reno() {
    let tcp = format!("flavor = {{ kind = \"hybla\", reference_round_trip = \"50 ms\" }}{STANDARD}");
    assert_as_expected("trajectories/hybla.txt", &table(&with_losses("[2]", &tcp)));
}

/// By Leith and Shorten 2004, with a Delta_L of 100. Segment 1 alone is lost.
///
/// - The third duplicate, 130.54104: nothing is known of an earlier loss, ssthresh 10 / 2. The loss counts from the latest acknowledgment of new data
///   on, 100.4208.
/// - PIPE is 9 with segment 1 again; the duplicates of segments 5 to 9 make it 4: 13 goes at 200.96184, then one with each.
/// - 240.8416: all up to 12 is acknowledged. The next acknowledgment finds the window at the threshold and adds one. That of segment 14, at
///   311.38264, comes 210.96184 after the loss: 1 + 10 * 0.11096184 + 0.25 * 0.0123 = 2.113 segments in a round trip of 6, so it adds 0.352.
#[test]
fn h_tcp_grows_the_faster_the_longer_its_loss_is_ago() {
    let tcp = format!("flavor = {{ kind = \"h-tcp\", low_speed = \"100 ms\" }}{STANDARD}");
    assert_as_expected("trajectories/h-tcp.txt", &table(&with_losses("[2]", &tcp)));
}

/// By Grieco and Mascolo 2004. Of thirty segments, segment 11 alone is lost.
///
/// - 100.4208: segment 0 is acknowledged, with the shortest round trip, and the bandwidth begins to be measured. Segments 9 and 10 go, and two more with each
///   acknowledgment.
/// - 200.8416: segment 9 is acknowledged, a round trip later. Nine segments of 960 bytes in 100.4208 are 86,038 bytes in a second: in the shortest round
///   trip, nine segments.
/// - The third duplicate of segment 11, 240.96184: ssthresh 9, where Reno would have half of the flight, and the window 9.
#[test]
fn westwood_leaves_what_was_acknowledged_in_a_round_trip() {
    let tcp = format!("flavor = \"westwood\"\ninitial_window = \"9 MSS\"{STANDARD}");
    assert_as_expected("trajectories/westwood.txt", &table(&transfer(30, "[12]", &tcp)));
}

/// By Brakmo and Peterson 1995: nothing is lost. Twelve segments go at once, of which the path holds ten. Without timestamps one segment of each
/// window is timed.
///
/// - 100.4208: the first is acknowledged; it has waited for nothing, BaseRTT is 100.4208. The round trip that begins ends when more than these
///   twelve are acknowledged. Segment 12 goes, and is the next that is timed.
/// - 220.4208: segment 12 is acknowledged. The round trip that is over has measured 100.4208: none waits, and the window becomes 13.
///   Segment 12 has waited for two others, 120 are of the next.
/// - When that is over, at 340.4208, 13 (1 - 100.4208 / 120) = 2.1 segments wait: between 1 and 3, so the window stays.
#[test]
fn vegas_grows_by_one_and_stays_when_two_segments_wait() {
    let tcp = format!("flavor = \"vegas\"\ninitial_window = \"12 MSS\"\ninitial_ssthresh = \"1920 B\"{STANDARD}");
    assert_as_expected("trajectories/vegas.txt", &table(&transfer(60, "[]", &tcp)));
}

/// By Xu, Harfoush and Rhee 2004, with no window too small for it, and five round trips for the last four segments. Segment 1 alone is lost.
///
/// - The third duplicate, 130.54104: ssthresh 0.8 * 10. Segment 1 goes, PIPE is 9.
/// - The duplicate of segment 5 makes it 8, that of segment 6 makes it 7: 13 goes. Each further one lets one go, to 17.
/// - 240.8416: all up to 12 is acknowledged. The next acknowledgment finds the window at the threshold; the one after it adds one segment, 9.
/// - The loss came at ten: from 9 on it is 4/5 of a segment in a round trip, 0.8 / 9 = 0.089.
#[test]
fn bic_searches_for_the_window_of_its_loss() {
    let tcp = format!("flavor = {{ kind = \"bic\", low_window = 5, smooth_part = 5 }}{STANDARD}");
    assert_as_expected("trajectories/bic.txt", &table(&with_losses("[2]", &tcp)));
}

/// By Liu, Basar and Srikant 2008. Of forty segments, segment 11 alone is lost.
///
/// - 100.4208: segment 0 is acknowledged; a round begins that ends when more than these nine are. Segments 9 and 10 go, and two more with each
///   acknowledgment.
/// - 200.8416: segment 9 is acknowledged. One round trip was measured in the round, the shortest of the connection: no delay. The window is 18, which is more than
///   15: a loss takes an eighth, and growth is ten segments in a round trip.
/// - The third duplicate of segment 11, 240.96184: twenty segments are in flight, ssthresh 7/8 of them, 17.5.
/// - 430.8416: the recovery is over. Segment 34 takes the window beyond the threshold, 18.5; each further one adds 10 / cwnd, the first 0.541.
#[test]
fn illinois_gives_an_eighth_and_grows_by_ten_while_queues_are_empty() {
    let tcp = format!("flavor = \"illinois\"\ninitial_window = \"9 MSS\"{STANDARD}");
    assert_as_expected("trajectories/illinois.txt", &table(&transfer(40, "[12]", &tcp)));
}

/// By RFC 6817, with timestamps, a target of 20 and no slow start: nothing is lost. A packet is 1012 bytes then and takes 10.12.
///
/// - Segment 0 has taken 55.14 to the receiver, each of the next eleven 10.12 longer. Of the first four the shortest is that of segment 0: none waits, and the window
///   grows by 1 / cwnd with each.
/// - 141.14: segments 1 to 4 are looked at, the shortest has waited for 10.12: (1 - 10.12 / 20) / 12.33 = 0.040 more. With the next it is 20.24, and 0.001 less, with the one
///   after that 30.36, and 0.042 less.
/// - When twelve are acknowledged, 11.5 should be in flight, and segment 12 and those behind it each wait for two others: 1 - 20.24 / 20. One fewer is then
///   in flight, so that from 313.18 on each waits for 10.12, and the window grows by 0.494 / cwnd.
/// - 596.54: nothing is left to send. The window is one segment more than the flight, and falls with it.
#[test]
fn ledbat_grows_while_packets_wait_for_less_than_its_target_and_shrinks_when_they_wait_for_more() {
    let law = "{ kind = \"ledbat\", target = \"20 ms\", slow_start = \"none\" }";
    let tcp = format!("flavor = {law}\ninitial_window = \"12 MSS\"\ntimestamps = true{STANDARD}");
    assert_as_expected("trajectories/ledbat.txt", &table(&transfer(60, "[]", &tcp)));
}
