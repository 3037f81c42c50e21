//! Careful Resume acknowledgment by acknowledgment: the examples of appendix B of RFC 9959. Segments of 1000 bytes, an initial window of 10,
//! a round trip of 600 ms, and a saved window of 300.

use longfat_foundation::units::{Span, Time};

use super::{Careful, CarefulResume, Phase, Resumption, Saved};
use crate::transport::law::Progress;
use crate::transport::law::test_support::{window, written};
use crate::transport::{Delivery, Standing, Window};

const ROUND_TRIP: Span = Span::from_microseconds(600_000);

struct Bench {
    careful: Careful,
    window: Window,
    now: Time,
    round_trip: Span,
    sent: u64,
    acknowledged: u64,
    is_recovering: bool,
}

impl Bench {
    /// 39 segments are sent; the acknowledgment of the first ten is to come, and leaves 29 in flight, as many as the window allows.
    fn new(settings: &str) -> Self {
        let settings = format!("{{ saved_cwnd = \"300000 B\", saved_rtt = \"600 ms\"{settings} }}");
        let settings: CarefulResume = written(&settings);
        let mut window = window(29_000.0);
        window.ssthresh = f64::INFINITY;
        let now = Time::ZERO + ROUND_TRIP;
        let careful = Careful::new(settings);
        Self { careful, window, now, round_trip: ROUND_TRIP, sent: 39, acknowledged: 0, is_recovering: false }
    }

    /// The first data is acknowledged, and the window has jumped.
    fn jumped(settings: &str) -> Self {
        let mut bench = Self::new(settings);
        bench.acknowledge(10, true);
        assert!(matches!(bench.careful.phase, Phase::Unvalidated(_)), "{:?}", bench.careful.phase);
        bench
    }

    /// All of the jump was sent, and the last segment from before it acknowledged.
    fn validating(settings: &str) -> Self {
        let mut bench = Self::jumped(settings);
        bench.sent += 121;
        bench.acknowledge(29, true);
        assert!(matches!(bench.careful.phase, Phase::Validating(..)), "{:?}", bench.careful.phase);
        bench
    }

    fn acknowledge(&mut self, segments: u64, window_is_used: bool) {
        self.acknowledged += segments;
        self.careful.on_acknowledgment(&Progress { window_is_used, ..Progress::default() });
        let delivery = self.delivery(segments);
        self.careful.on_delivery(&mut self.window, &delivery);
    }

    /// An acknowledgment of the latest so many segments.
    fn delivery(&self, segments: u64) -> Delivery {
        let standing = Standing {
            unacknowledged: 1000 * self.acknowledged,
            highest: 1000 * self.sent,
            is_recovering: self.is_recovering,
            ..Standing::default()
        };
        Delivery {
            now: self.now,
            bytes: 1000 * segments,
            total: 1000 * self.acknowledged,
            total_when_sent: 0,
            in_flight_when_sent: 0,
            lost_since_sent: 0,
            rate: None,
            is_application_limited: false,
            round_trip: Some(self.round_trip),
            standing,
        }
    }

    /// A loss that halves the window; returns the segments that are left.
    fn lose(&mut self) -> f64 {
        self.careful.before_reduction(&mut self.window);
        self.window.halve(0);
        self.careful.after_reduction(&mut self.window);
        self.window.cwnd / 1000.0
    }

    fn segments(&self) -> f64 {
        self.window.cwnd / 1000.0
    }

    fn pipe_size(&self) -> u64 {
        match self.careful.phase {
            Phase::Unvalidated(jump) | Phase::Validating(jump, _) | Phase::SafeRetreat(jump, ..) => {
                self.careful.pipe_size(jump) / 1000
            }
            phase => panic!("no PipeSize in {phase:?}"),
        }
    }
}

/// Appendix B.1: the window jumps from 29 to 150, 121 unvalidated segments follow, and with the last of them acknowledged control is normal
/// again. The interval between segments is RTT x MPS / jump_cwnd (section 4.3.2): 600 ms x 1000 B / 150000 B = 4 ms.
#[test]
fn without_a_loss_the_window_jumps_to_half_of_the_saved_one() {
    let mut bench = Bench::jumped("");
    assert_eq!((bench.segments(), bench.pipe_size()), (150.0, 29));
    assert_eq!(bench.careful.pacing_rate(), Some(250_000.0));
    bench.sent += 121;
    bench.acknowledge(1, true);
    assert!(matches!(bench.careful.phase, Phase::Validating(..)), "the whole window was in flight");
    assert_eq!((bench.segments(), bench.pipe_size()), (149.0, 29), "what is in flight");
    assert_eq!((bench.careful.pacing_rate(), bench.careful.holds_window()), (None, false));
    bench.acknowledge(28 + 34, true);
    assert_eq!(bench.pipe_size(), 29 + 34);
    bench.acknowledge(121 - 34 - 1, true);
    assert!(matches!(bench.careful.phase, Phase::Validating(..)));
    bench.acknowledge(1, true);
    assert_eq!(bench.careful.phase, Phase::Normal);
    assert_eq!(bench.window.ssthresh, f64::INFINITY);
}

/// Appendix B.2: 50 unvalidated segments, and no more data. After a round trip the window is what is in flight. By the letter of section
/// 3.3 `PipeSize` would be 29 + 29 = 58 then, and the window with it.
#[test]
fn a_sender_that_lacks_data_keeps_what_it_has_sent() {
    for (settings, segments, is_validating) in [("", 50.0, true), (", pipe_size = \"all\"", 58.0, false)] {
        let mut bench = Bench::jumped(settings);
        bench.sent += 50;
        bench.now += ROUND_TRIP + Span(1);
        bench.acknowledge(29, false);
        assert_eq!(bench.segments(), segments, "{settings}");
        assert_eq!(matches!(bench.careful.phase, Phase::Validating(..)), is_validating, "{settings}");
    }
    // With less than `PipeSize` in flight, nothing is left to be validated: the window is `PipeSize`.
    let mut bench = Bench::jumped("");
    bench.sent += 20;
    bench.now += ROUND_TRIP + Span(1);
    bench.acknowledge(29, false);
    assert_eq!((bench.segments(), bench.careful.phase), (29.0, Phase::Normal));
}

/// Section 3.3: the acknowledgment of the first unvalidated segment also ends the phase.
#[test]
fn an_unvalidated_segment_that_is_acknowledged_ends_the_jump() {
    let mut bench = Bench::jumped("");
    bench.sent += 80;
    bench.acknowledge(29, true);
    assert!(matches!(bench.careful.phase, Phase::Unvalidated(_)));
    bench.acknowledge(1, true);
    assert!(matches!(bench.careful.phase, Phase::Validating(..)));
    assert_eq!((bench.segments(), bench.pipe_size()), (79.0, 30));
}

/// Appendix B.3.
#[test]
fn a_loss_in_reconnaissance_is_one_like_any_other() {
    let mut bench = Bench::new("");
    assert_eq!(bench.lose(), 14.5);
    bench.acknowledge(10, true);
    assert_eq!((bench.segments(), bench.careful.phase), (14.5, Phase::Normal));
}

/// Appendix B.4: the 35th of 121 unvalidated segments is lost. `PipeSize` is 29 + 34 = 63, and 31 segments are left. The 86 that follow
/// are acknowledged: 149. (The example has 120, without the 29; its rule is an upper bound.)
#[test]
fn a_loss_of_an_unvalidated_segment_leaves_half_of_what_was_proved() {
    let mut bench = Bench::validating("");
    bench.acknowledge(34, true);
    assert_eq!(bench.pipe_size(), 63);
    assert_eq!((bench.lose(), bench.window.ssthresh), (31.5, 31_500.0));
    bench.is_recovering = true;
    assert!(bench.careful.holds_window());
    bench.window.cwnd = 60_000.0;
    bench.acknowledge(80, true);
    assert_eq!(bench.segments(), 31.5, "a recovery may not leave more");
    bench.acknowledge(6, true);
    assert_eq!(bench.pipe_size(), 149);
    bench.acknowledge(1, true);
    assert!(matches!(bench.careful.phase, Phase::SafeRetreat(..)), "until the recovery is over");
    bench.is_recovering = false;
    bench.acknowledge(0, true);
    assert_eq!(bench.careful.phase, Phase::Normal);
    assert_eq!((bench.segments(), bench.window.ssthresh), (31.5, 75_000.0));
}

#[test]
fn beta_is_the_share_of_pipe_size_that_the_threshold_becomes() {
    let mut bench = Bench::validating(", beta = 0.7");
    bench.lose();
    bench.acknowledge(121, true);
    assert!((bench.window.ssthresh - 0.7 * 150_000.0).abs() < 1e-6);
}

/// A jump from four segments of which nothing is proved: half of it is two, and the initial window ten.
#[test]
fn a_retreat_leaves_two_segments_or_the_initial_window() {
    for (floor, left) in [("two-segments", 2.0), ("initial-window", 10.0)] {
        let mut bench = Bench::new(&format!(", retreat_floor = \"{floor}\""));
        bench.sent = 13;
        bench.acknowledge(10, true);
        assert_eq!(bench.pipe_size(), 3);
        assert_eq!(bench.lose(), left, "{floor}");
    }
}

/// Sections 3.2 and 4.2.1: not at half of the saved round trip or less, and not at more than ten times as much.
#[test]
fn another_round_trip_is_another_path() {
    for (milliseconds, jumps) in [(300, false), (301, true), (6000, true), (6001, false)] {
        let mut bench = Bench::new("");
        bench.round_trip = Span::from_microseconds(1000 * milliseconds);
        bench.acknowledge(10, true);
        assert_eq!(bench.segments() == 150.0, jumps, "{milliseconds} ms");
    }
    let mut bench = Bench::new("");
    bench.careful.on_opened(bench.now, Span::from_microseconds(200_000));
    bench.acknowledge(10, true);
    assert_eq!((bench.segments(), bench.careful.phase), (29.0, Phase::Normal), "the handshake took 200 ms");
    // Section 3.3: in the unvalidated phase the path may change as well.
    let mut bench = Bench::jumped("");
    bench.round_trip = Span::from_microseconds(300_000);
    bench.acknowledge(1, true);
    assert_eq!(bench.segments(), 14.5);
    assert!(matches!(bench.careful.phase, Phase::SafeRetreat(..)));
}

#[test]
fn nothing_jumps_too_late_too_far_or_back() {
    let mut bench = Bench::new(", lifetime = \"599 ms\"");
    bench.acknowledge(10, true);
    assert_eq!(bench.careful.phase, Phase::Normal, "what was saved is too old");
    let mut bench = Bench::new(", max_jump = \"100000 B\"");
    bench.acknowledge(10, true);
    assert_eq!(bench.segments(), 100.0);
    let mut bench = Bench::new("");
    bench.window.cwnd = 150_000.0;
    bench.acknowledge(10, true);
    assert_eq!((bench.segments(), bench.careful.phase), (150.0, Phase::Normal), "the window is there already");
}

#[test]
fn the_jump_waits_for_all_initial_data_and_for_a_window_that_limits() {
    let mut bench = Bench::new("");
    bench.acknowledge(9, true);
    assert_eq!(bench.careful.phase, Phase::Reconnaissance);
    bench.acknowledge(1, false);
    assert_eq!(bench.careful.phase, Phase::Reconnaissance);
    bench.acknowledge(1, true);
    assert_eq!(bench.segments(), 150.0);
    let mut bench = Bench::new(", jump = \"confirmed\"");
    bench.acknowledge(10, false);
    assert_eq!(bench.segments(), 150.0);
}

/// Section 3.6.
#[test]
fn a_timeout_ends_it() {
    let mut bench = Bench::validating("");
    bench.careful.on_timeout();
    bench.window.cwnd = 1000.0;
    bench.acknowledge(121, true);
    assert_eq!((bench.segments(), bench.careful.phase), (1.0, Phase::Normal));
}

/// Appendix C: half of the saved rate, 300,000 / 0.6 / 2 bytes per second, once the first ten segments are acknowledged; once.
#[test]
fn a_law_that_goes_by_rates_tries_half_of_the_saved_one() {
    let asked = |settings: &str, round_trip: Span, is_application_limited: bool| {
        let mut bench = Bench::new(settings);
        bench.round_trip = round_trip;
        [9, 1, 10].map(|segments| {
            bench.acknowledged += segments;
            let delivery = Delivery { is_application_limited, ..bench.delivery(segments) };
            bench.careful.known_rate(&bench.window, &delivery)
        })
    };
    assert_eq!(asked("", ROUND_TRIP, false), [None, Some(250_000.0), None]);
    assert_eq!(asked("", Span(ROUND_TRIP.0 / 2), false), [None; 3], "another path");
    assert_eq!(asked(", lifetime = \"500 ms\"", ROUND_TRIP, false), [None; 3], "too old");
    assert_eq!(asked("", ROUND_TRIP, true), [None; 3], "the application has no more");
    assert_eq!(asked(", jump = \"confirmed\"", ROUND_TRIP, true), [None, Some(250_000.0), None]);
    assert_eq!(asked(", max_jump = \"60 kB\"", ROUND_TRIP, false), [None, Some(100_000.0), None]);
}

/// A connection of the run that learns, in normal congestion control with a window of `segments` segments.
fn observing(settings: &str, segments: f64) -> Bench {
    let careful = Careful::new(written(&format!("{{ {settings} }}")));
    let now = Time::ZERO + ROUND_TRIP;
    let mut bench = Bench {
        careful,
        window: window(1000.0 * segments),
        now,
        round_trip: ROUND_TRIP,
        sent: 0,
        acknowledged: 0,
        is_recovering: false,
    };
    bench.careful.phase = Phase::Normal;
    bench.rounds(&[(0, false)]);
    bench
}

impl Bench {
    /// Round trips, each of which acknowledges so many segments; of some the application had no more to send.
    fn rounds(&mut self, rounds: &[(u64, bool)]) {
        for &(segments, is_application_limited) in rounds {
            let before = 1000 * self.acknowledged;
            self.now += self.round_trip;
            self.acknowledged += segments;
            self.sent = self.acknowledged;
            let delivery = Delivery { total_when_sent: before, is_application_limited, ..self.delivery(segments) };
            self.careful.on_delivery(&mut self.window, &delivery);
        }
    }

    /// Segments and round trip that are saved.
    fn saved(&self) -> Option<(u64, Span)> {
        self.careful.memory()?.saved.map(|saved| (saved.cwnd / 1000, saved.rtt))
    }
}

/// Section 3.1: the bytes acknowledged in a round trip, once the window is four times the initial one, of ten segments.
#[test]
fn the_latest_round_trip_is_saved_if_the_window_is_large_enough() {
    let mut bench = observing("", 39.9);
    bench.rounds(&[(39, false)]);
    assert_eq!(bench.saved(), None);
    bench.window.cwnd = 40_000.0;
    bench.rounds(&[(40, false), (38, false)]);
    assert_eq!(bench.saved(), Some((38, ROUND_TRIP)), "not a window that is larger than what it carried");
    let mut small = observing("least_saved = 1", 10.0);
    small.rounds(&[(9, false)]);
    assert_eq!(small.saved(), Some((9, ROUND_TRIP)));
}

/// Section 4.1: a sender with little to send does not lower what is saved, of this connection or of one before, and may raise it.
#[test]
fn less_than_the_path_carries_is_not_taken_for_what_it_carries() {
    let mut bench = observing("", 60.0);
    bench.rounds(&[(60, false), (7, true)]);
    assert_eq!(bench.saved(), Some((60, ROUND_TRIP)));
    bench.rounds(&[(61, true)]);
    assert_eq!(bench.saved(), Some((61, ROUND_TRIP)));
    let mut later = observing("", 60.0);
    later.careful.know(Saved { cwnd: 60_000, rtt: ROUND_TRIP, at: Time::ZERO });
    later.rounds(&[(59, true)]);
    assert_eq!(later.saved(), None);
    later.rounds(&[(59, false)]);
    assert_eq!(later.saved(), Some((59, ROUND_TRIP)));
}

/// Section 4.1: the least round trip of the previous five minutes.
#[test]
fn the_saved_round_trip_is_the_least_of_the_latest_minutes() {
    let mut bench = observing("rtt_period = \"2 s\"", 60.0);
    let mut after = |microseconds| {
        bench.round_trip = Span::from_microseconds(microseconds);
        bench.rounds(&[(60, false)]);
        bench.saved().map(|(_, rtt)| rtt.as_seconds())
    };
    assert_eq!([700_000, 500_000, 800_000, 900_000].map(&mut after), [Some(0.6), Some(0.5), Some(0.5), Some(0.5)]);
    assert_eq!(after(1_000_000), Some(0.8), "2.7 s after the 500 ms");
}

/// Section 3.5: with a retreat what was saved is deleted; it is then observed anew.
#[test]
fn a_retreat_deletes_and_a_resumed_connection_observes_again() {
    let known = Saved { cwnd: 300_000, rtt: ROUND_TRIP, at: Time::ZERO };
    let jumped = || {
        let mut bench = Bench::new("");
        bench.careful = Careful::new(written("{}"));
        bench.careful.know(known);
        assert!(bench.careful.uses_saved());
        bench.acknowledge(10, true);
        assert_eq!(bench.segments(), 150.0);
        bench
    };
    let mut bench = jumped();
    assert_eq!((bench.careful.memory(), bench.careful.uses_saved()), (None, true));
    bench.lose();
    let deleted = Some(super::Memory { at: bench.now, saved: None });
    assert_eq!(bench.careful.memory(), deleted);
    let mut bench = jumped();
    bench.careful.on_timeout();
    assert_eq!((bench.careful.memory(), bench.careful.uses_saved()), (deleted, false));
    let mut bench = jumped();
    bench.sent += 121;
    bench.acknowledge(29, true);
    bench.acknowledge(121, true);
    assert!(!bench.careful.uses_saved());
    bench.rounds(&[(0, false), (150, false)]);
    assert_eq!(bench.saved(), Some((150, ROUND_TRIP)));
}

/// A law that goes by rates uses what is saved for three rounds: one until the rate is tried, and two with it.
#[test]
fn a_rate_is_in_use_until_its_rounds_are_over_and_deleted_if_they_lose() {
    let tried = || {
        let mut bench = Bench::new("");
        bench.careful = Careful::new(written("{}"));
        bench.careful.know(Saved { cwnd: 300_000, rtt: ROUND_TRIP, at: Time::ZERO });
        bench.round(10);
        bench
    };
    let mut bench = tried();
    let in_use: Vec<_> = (0..4).map(|_| (bench.careful.uses_saved(), bench.round(40)).0).collect();
    assert_eq!(in_use, [true, true, true, false]);
    let mut bench = tried();
    bench.lose();
    assert_eq!(bench.careful.memory().map(|memory| memory.saved), Some(None));
}

impl Bench {
    /// So many segments are acknowledged to a law that goes by rates, all that were sent before, and 40 follow.
    fn round(&mut self, segments: u64) {
        self.acknowledged = if segments == 10 { 10 } else { self.sent };
        let delivery = self.delivery(segments);
        self.careful.known_rate(&self.window, &delivery);
        self.sent += 40;
    }
}
