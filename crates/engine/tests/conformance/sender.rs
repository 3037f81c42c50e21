//! The sending end by hand: the retransmission timer, go-back-N and Karn's rule (T-11 to T-15).

use longfat_engine::random::Chance;
use longfat_engine::transport::{Acknowledgment, Segment, Sender, TickClock};
use longfat_engine::units::{Span, Time};

use crate::support::n_source;

/// A sender of segments of 100 bytes, ticks of 100 ms at the multiples of 100 ms, with the estimator of BSD.
fn sender() -> Sender {
    let tcp = "port.buffer = \"unlimited\"
tcp = { mss = \"100 B\", receiver_window = \"1600 B\", timer_granularity = \"100 ms\", timer_phase = \"common\", \
        flavor = \"vanilla\", retransmission_timeout = { kind = \"bsd-integer\", initial = \"3 s\", minimum_ticks = 2 } }";
    let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", tcp).tcp;
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    Sender::new(&config, TickClock::new(Span::from_microseconds(100_000), config.timer_phase, &mut chance))
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

/// Numbers of the segments that a sender sends in response to an act.
fn sent(act: impl FnOnce(&mut Vec<Segment>)) -> Vec<u64> {
    let mut segments = Vec::new();
    act(&mut segments);
    segments.iter().map(|segment| segment.sequence / 100).collect()
}

#[test]
fn the_timer_runs_exactly_while_data_is_under_way() {
    let mut sender = sender();
    assert_eq!(sender.expires(), None, "nothing is under way");
    assert_eq!(sent(|out| sender.offer(ms(10), 300, out)), [0]);
    assert_eq!(sender.expires(), Some(ms(3000)), "30 ticks after 10 ms: those at 100, 200, … 3000 ms");
    assert_eq!(sent(|out| sender.acknowledge(ms(50), 100, out)), [1, 2]);
    assert_eq!(sender.expires(), Some(ms(300)), "a round trip within a tick gives 3 ticks");
    // All data has been sent: nothing goes out now, but the timer starts anew, 3 ticks after 120 ms (T-13).
    assert_eq!(sent(|out| sender.acknowledge(ms(120), 200, out)), [0; 0]);
    assert_eq!(sender.expires(), Some(ms(400)));
    assert_eq!(sent(|out| sender.acknowledge(ms(130), 200, out)), [0; 0]);
    assert_eq!(sender.expires(), Some(ms(400)), "an acknowledgment of nothing new changes nothing");
    assert_eq!(sent(|out| sender.acknowledge(ms(140), 300, out)), [0; 0]);
    assert_eq!(sender.expires(), None, "all is acknowledged");
}

/// A sender that has segments 3 to 6 under way at 100 ms, its window being 4 segments.
fn with_four_under_way() -> Sender {
    let mut sender = sender();
    sent(|out| sender.offer(ms(10), u64::MAX, out));
    sent(|out| sender.acknowledge(ms(50), 100, out));
    sent(|out| sender.acknowledge(ms(90), 200, out));
    assert_eq!(sent(|out| sender.acknowledge(ms(100), 300, out)), [5, 6]);
    sender
}

#[test]
fn duplicate_acknowledgments_cause_nothing() {
    let mut sender = with_four_under_way();
    let (expires, window) = (sender.expires(), sender.window().cwnd);
    for _ in 0..5 {
        assert_eq!(sent(|out| sender.acknowledge(ms(150), 300, out)), [0; 0], "this is not Tahoe (T-14)");
    }
    assert_eq!((sender.expires(), sender.window().cwnd), (expires, window));
}

#[test]
fn after_a_timeout_everything_from_the_lost_segment_on_is_sent_again() {
    let mut sender = with_four_under_way();
    assert_eq!(sender.expires(), Some(ms(400)), "the third tick after the one at 100 ms");
    assert_eq!(sent(|out| sender.expire(ms(400), out)), [3]);
    assert_eq!((sender.window().cwnd, sender.window().ssthresh), (100.0, 200.0), "one segment; half of four");
    assert_eq!(sent(|out| sender.acknowledge(ms(410), 400, out)), [4, 5], "again, though they were sent before");
    assert_eq!(sender.statistics().segments_retransmitted, 3);
    // The receiver had kept 5 and 6: its acknowledgment passes what was sent again, and new data follows (T-15).
    assert_eq!(sent(|out| sender.acknowledge(ms(420), 700, out)), [7, 8, 9]);
    assert_eq!(sender.statistics().segments_retransmitted, 3);
}

#[test]
fn what_was_sent_twice_is_not_timed_and_leaves_the_backoff_alone() {
    let mut sender = with_four_under_way();
    sent(|out| sender.expire(ms(400), out));
    assert_eq!(sender.expires(), Some(ms(1000)), "3 ticks doubled");
    sent(|out| sender.expire(ms(1000), out));
    assert_eq!(sender.expires(), Some(ms(2200)), "and again: 12 ticks");
    // Karn: whose round trip would this be? The timeout stays at 12 ticks while segments 4 to 6 are sent again.
    assert_eq!(sent(|out| sender.acknowledge(ms(1050), 400, out)), [4, 5]);
    assert_eq!(sender.expires(), Some(ms(2200)));
    // Segment 7 is new: its round trip within a tick ends the backoff. (srtt 1, rttvar from 2 quarters on: 3 ticks.)
    assert_eq!(sent(|out| sender.acknowledge(ms(1060), 700, out)), [7, 8, 9]);
    assert_eq!(sender.expires(), Some(ms(2200)));
    sent(|out| sender.acknowledge(ms(1070), 800, out));
    assert_eq!(sender.expires(), Some(ms(1300)));
}

/// 2.5 segments of 100 bytes at once, then 30 bytes: by RFC 1122 the half waits for what is under way, by Minshall's rule the 30 bytes wait for
/// the half.
#[test]
fn nagles_rule_waits_for_anything_under_way_or_for_small_segments_alone() {
    let lengths = |rule: &str| {
        let rest = format!(
            "port.buffer = \"unlimited\"\ntcp = {{ mss = \"100 B\", initial_window = \"10 MSS\", nagle = true, nagle_waits_for = {rule:?} }}"
        );
        let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp;
        let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
        let clock = TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance);
        let mut sender = Sender::new(&config, clock);
        let mut steps: Vec<Vec<u64>> = Vec::new();
        let mut note =
            |segments: &mut Vec<Segment>| steps.push(segments.drain(..).map(|segment| segment.length).collect());
        let mut segments = Vec::new();
        sender.offer(Time::ZERO, 250, &mut segments);
        note(&mut segments);
        sender.offer(Time::ZERO, 30, &mut segments);
        note(&mut segments);
        for next in [200, 250, 280] {
            if next <= sender.highest() {
                let acknowledgment = Acknowledgment { next, ..Acknowledgment::default() };
                sender.acknowledge(Time::ZERO + Span::from_microseconds(next), acknowledgment, &mut segments);
            }
            note(&mut segments);
        }
        steps
    };
    assert_eq!(lengths("anything"), [vec![100, 100], vec![], vec![80], vec![], vec![]]);
    assert_eq!(lengths("small-segments"), [vec![100, 100, 50], vec![], vec![], vec![30], vec![]]);
}
