//! Behaviour of a sender with little data, at the beginning and after a pause: Nagle's rule, silly windows, the handshake, idle
//! restart (T-01, T-45 to T-47).

use longfat_engine::random::Chance;
use longfat_engine::transport::{Segment, Sender, TickClock};
use longfat_engine::units::{Span, Time};

use crate::support::n_source;

fn sender(settings: &str) -> Sender {
    let rest = format!(
        "port.buffer = \"unlimited\"\ntcp = {{ mss = \"100 B\", receiver_window = \"1000 B\", timer_phase = \"from-start\", \
         {settings} }}"
    );
    let config = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp;
    let mut chance = Chance { seed: 1, replication: 0 }.stream("clock");
    Sender::new(&config, TickClock::new(config.timer_granularity.0, config.timer_phase, &mut chance))
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_microseconds(1000 * milliseconds)
}

/// Segments that a sender sends in response to an act: (first byte, number of bytes).
fn sent(act: impl FnOnce(&mut Vec<Segment>)) -> Vec<(u64, u64)> {
    let mut segments = Vec::new();
    act(&mut segments);
    segments.iter().map(|segment| (segment.sequence, segment.length)).collect()
}

/// RFC 1122 section 4.2.3.4: "if there is unacknowledged data [...], then the sending TCP buffers all user data [...] until
/// the outstanding data has been acknowledged or until the TCP can send a full-sized segment".
#[test]
fn by_nagles_rule_a_small_segment_waits_for_what_is_under_way() {
    for (nagle, at_once) in [("true", vec![]), ("false", vec![(30, 40)])] {
        let mut sender = sender(&format!("initial_window = \"4 MSS\", nagle = {nagle}"));
        assert_eq!(sent(|out| sender.offer(ms(0), 30, out)), [(0, 30)], "nothing is under way");
        assert_eq!(sent(|out| sender.offer(ms(1), 40, out)), at_once, "nagle: {nagle}");
        if nagle == "true" {
            assert_eq!(sent(|out| sender.offer(ms(2), 70, out)), [(30, 100)], "a full segment, and 10 bytes wait");
            assert_eq!(sent(|out| sender.acknowledge(ms(9), 30, out)), [], "100 bytes are under way");
            assert_eq!(sent(|out| sender.acknowledge(ms(10), 130, out)), [(130, 10)]);
        }
    }
}

/// T-01, T-45: a window of 250 bytes holds two segments, or two and a half.
#[test]
fn silly_window_avoidance_keeps_segments_whole() {
    for (avoids, cut) in [("true", None), ("false", Some((200, 50)))] {
        let settings = format!("initial_window = \"250 B\", silly_window_avoidance = {avoids}");
        let first = sent(|out| sender(&settings).offer(ms(0), 1000, out));
        assert_eq!(first, [(0, 100), (100, 100)].into_iter().chain(cut).collect::<Vec<_>>(), "{avoids}");
        let last = sent(|out| sender(&settings).offer(ms(0), 130, out));
        assert_eq!(last, [(0, 100), (100, 30)], "the last of the data may be small");
    }
}

/// RFC 6298 section 5.7: data begins with a timeout of three seconds, whatever the timer of the synchronizing segment has come to. BSD goes on
/// with that.
#[test]
fn after_a_synchronizing_segment_that_was_sent_again_the_standards_timeout_is_three_seconds() {
    let estimators = [("{ kind = \"rfc-6298\", initial = \"1 s\" }", 3000), ("\"bsd-integer\"", 24_000)];
    for (estimator, milliseconds) in estimators {
        let mut sender = sender(&format!("handshake = true, retransmission_timeout = {estimator}"));
        sender.offer(ms(0), 1000, &mut Vec::new());
        let mut late = Time::ZERO;
        for _ in 0..3 {
            late = sender.expires().expect("the timer runs");
            sender.expire(late, &mut Vec::new());
        }
        assert_eq!(sent(|out| sender.synchronized(late, ms(0), out)), [(0, 100)], "one segment");
        assert_eq!(sender.expires(), Some(late + Span::from_microseconds(1000 * milliseconds)), "{estimator}");
    }
}

/// T-46. RFC 6298 section 5.7 aside, the timer of the synchronizing segment is that of data.
#[test]
fn data_waits_for_the_answer_to_the_synchronizing_segment() {
    let mut sender = sender("initial_window = \"3 MSS\", handshake = true");
    let mut segments = Vec::new();
    sender.offer(ms(0), 1000, &mut segments);
    assert_eq!(segments, [Segment { sequence: 0, length: 0, again: false, synchronize: true, reduced: false }]);
    assert_eq!(sender.expires(), Some(ms(3000)));
    assert_eq!(sent(|out| sender.offer(ms(1), 10, out)), [], "more data changes nothing");
    assert_eq!(sent(|out| sender.synchronized(ms(40), ms(0), out)), [(0, 100), (100, 100), (200, 100)]);
    assert_eq!(sender.round_trip(), Some(Span::from_microseconds(40_000)));
    assert_eq!(sent(|out| sender.synchronized(ms(41), ms(0), out)), [], "a second answer changes nothing");
}

/// RFC 5681 section 3.1: after the loss of a synchronizing segment the initial window is one segment; Karn: no round trip.
#[test]
fn a_lost_synchronizing_segment_costs_a_doubled_timeout_and_the_initial_window() {
    let mut sender = sender("initial_window = \"3 MSS\", handshake = true");
    let mut segments = Vec::new();
    sender.offer(ms(0), 1000, &mut segments);
    sender.expire(ms(3000), &mut segments);
    assert_eq!(segments[1], Segment { again: true, ..segments[0] });
    assert_eq!(sender.expires(), Some(ms(9000)));
    assert_eq!(sent(|out| sender.synchronized(ms(3040), ms(3000), out)), [(0, 100)]);
    assert_eq!(sender.round_trip(), None);
}

/// T-47, RFC 5681 section 4.1: after a pause of a timeout the window is the initial one again, unless it was smaller.
#[test]
fn an_idle_connection_keeps_its_window_or_begins_anew() {
    for (restart, segments) in [("keep", 6), ("initial-window", 2)] {
        let mut sender = sender(&format!("initial_window = \"2 MSS\", idle_restart = \"{restart}\""));
        sent(|out| sender.offer(ms(0), 600, out));
        for segment in 1..=6 {
            sent(|out| sender.acknowledge(ms(10 * segment), 100 * segment, out));
        }
        assert_eq!(sender.window().cwnd, 800.0);
        // Round trips within a tick: a timeout of 300 ms. The last segment was sent at 20 ms.
        assert_eq!(sent(|out| sender.offer(ms(319), 100, out)).len(), 1);
        sent(|out| sender.acknowledge(ms(330), 700, out));
        assert_eq!(sender.window().cwnd, 900.0, "{restart}: 299 ms are no pause");
        let sent = sent(|out| sender.offer(ms(700), 600, out));
        assert_eq!(sent.len(), segments, "{restart}");
    }
}

/// Linux, `tcp_init_transfer` and `tcp_try_undo_spurious_syn`: one lost SYN leaves the first window as it is, two leave one segment, unless the
/// timestamp tells that the first has arrived after all. From 6.5 on the first five timeouts are alike (`tcp_syn_linear_timeouts`).
#[test]
fn in_linux_one_lost_synchronizing_segment_costs_a_timeout_alone() {
    let timeouts = [("linux-6.1", [1000, 3000, 7000, 15_000, 31_000]), ("linux-6.5", [1000, 2000, 3000, 4000, 5000])];
    for (rule, expected) in timeouts {
        for (lost, answered, segments) in [(1, 1, 3), (2, 2, 1), (2, 0, 3)] {
            let settings =
                "initial_window = \"3 MSS\", handshake = true, timestamps = true, timer_granularity = \"1 ms\"";
            let timeout = "retransmission_timeout = { kind = \"linux\", initial = \"1 s\" }";
            let mut sender = sender(&format!("{settings}, {timeout}, lost_syns = {rule:?}"));
            sender.offer(ms(0), 1000, &mut Vec::new());
            for &at in &expected[..lost] {
                assert_eq!(sender.expires(), Some(ms(at)), "{rule}");
                sender.expire(ms(at), &mut Vec::new());
            }
            let times: Vec<u64> = [0].into_iter().chain(expected).collect();
            let (sent_at, now) = (ms(times[answered]), ms(times[lost] + 40));
            assert_eq!(sent(|out| sender.synchronized(now, sent_at, out)).len(), segments, "{rule}: {lost} lost");
            assert_eq!(sender.round_trip(), Some(now - sent_at));
        }
    }
}
