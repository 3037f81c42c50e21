//! Careful Resume acknowledgment by acknowledgment: the examples of appendix B of RFC 9959. Segments of 1000 bytes, an initial window of 10,
//! a round trip of 600 ms, and a saved window of 300.

use longfat_foundation::units::{Span, Time};

use super::{Careful, CarefulResume, Phase, Resumption};
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
    bench.careful.on_opened(Span::from_microseconds(200_000));
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
