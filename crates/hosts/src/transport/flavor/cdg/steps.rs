//! CDG round by round against its module, with numbers worked by hand; windows in segments, of 1000 bytes. Back-offs are certain with a scale
//! of a microsecond, and do not happen without chance.

use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};

use crate::transport::Window;
use crate::transport::law::test_support::law_and_window;
use crate::transport::law::{Arrivals, Phase, Progress, WindowLaw};

struct Bench {
    law: Box<dyn WindowLaw>,
    window: Window,
    edge: u64,
}

const CERTAIN: &str = "rounds = 1, scale = \"1 us\", share_after_delay = 0.75, loss_tolerance = false";

impl Bench {
    /// In congestion avoidance with 80 segments.
    fn new(settings: &str) -> Self {
        let (mut law, mut window) = law_and_window(&format!("flavor = {{ kind = \"cdg\", {settings} }}"));
        law.take_chance(&mut || Chance { seed: 1, replication: 0 }.stream("law"));
        window.set_segments(80);
        window.ssthresh = 2000.0;
        Self { law, window, edge: 0 }
    }

    fn arrive(&mut self, segments: u64, us: u64) {
        let round_trip = Some(Span::from_microseconds(us));
        let arrivals = Arrivals { segments, round_trip, phase: Phase::Open, ..Arrivals::default() };
        self.law.on_arrivals(&mut self.window, &arrivals);
    }

    /// The acknowledgment that ends a round with round trips of so many microseconds; returns the window then.
    fn round(&mut self, us: u64) -> f64 {
        self.arrive(1, us);
        self.edge += 1_000_000;
        let (unacknowledged, highest) = (self.edge, self.edge + 80_000);
        let progress =
            Progress { acknowledged: 1000, unacknowledged, highest, window_is_used: true, ..Progress::default() };
        self.law.on_acknowledgment(&mut self.window, &progress);
        self.window.cwnd / 1000.0
    }

    fn lose(&mut self) -> u64 {
        let flight = self.window.usable();
        self.law.on_loss(&mut self.window, flight);
        self.window.segments()
    }
}

/// The first round has none before it. 80 + 1/80, three quarters of it in whole segments, and growth again.
#[test]
fn a_round_trip_that_grows_backs_off_and_one_that_does_not_lets_the_window_grow() {
    let mut bench = Bench::new(CERTAIN);
    assert_eq!(bench.round(40_000), 80.0125);
    assert_eq!(bench.round(40_040), 60.0);
    assert!(bench.window.has_backed_off());
    assert!(bench.round(40_040) > 60.0);
}

/// By hand: a back-off from 80 to 60. Half of the shadow of 80 is more than half of 60, so a loss leaves 40 and not 30; the shadow is then 40, and the
/// next loss leaves 20, half of both.
#[test]
fn a_loss_takes_half_of_the_window_without_back_offs_as_the_shadow_remembers_it() {
    for (setting, left) in [("true", [40, 20]), ("false", [30, 15])] {
        let mut bench = Bench::new(&format!("{CERTAIN}, shadow_window = {setting}"));
        bench.round(40_000);
        bench.window.set_segments(80);
        bench.round(40_040);
        bench.window.set_segments(60);
        assert_eq!([bench.lose(), bench.lose()], left);
    }
}

#[test]
fn five_back_offs_without_effect_are_followed_by_none_until_round_trips_fall() {
    let mut bench = Bench::new(&format!("{CERTAIN}, ineffectual = 5"));
    let mut us = 40_000;
    let mut backs_off = |bench: &mut Bench, grown: i64| {
        us = u64::strict_add_signed(us, grown);
        bench.window.take_back_off();
        bench.round(us);
        bench.window.has_backed_off()
    };
    backs_off(&mut bench, 0);
    let found: Vec<bool> = (0..8).map(|_| backs_off(&mut bench, 100)).collect();
    assert_eq!(found, [true, true, true, true, true, false, false, false]);
    assert!(!backs_off(&mut bench, -31) && !backs_off(&mut bench, 100), "shorter by too little");
    assert!(!backs_off(&mut bench, -32) && backs_off(&mut bench, 100));
}

/// A gradient of 3 ms: 1 - 1/e is 0.632. Twenty standard deviations of a thousand trials are 0.3.
#[test]
fn a_gradient_of_the_scale_backs_off_in_632_of_a_thousand_rounds() {
    let mut bench = Bench::new("rounds = 1, scale = \"3 ms\", ineffectual = 0, loss_tolerance = false");
    let backed_off = (0..1000).filter(|_| {
        bench.window.take_back_off();
        bench.round(40_000);
        assert!(!bench.window.has_backed_off());
        bench.round(43_000);
        bench.window.has_backed_off()
    });
    let backed_off = backed_off.count();
    assert!((587..678).contains(&backed_off), "{backed_off}: three standard deviations are 46");
}

/// With eight rounds the sum counts, over eight times the scale: as often as with one.
#[test]
fn the_scale_is_for_the_mean_gradient() {
    let mut bench = Bench::new("rounds = 8, scale = \"3 ms\", ineffectual = 0, loss_tolerance = false");
    let mut us = 40_000;
    let backed_off = (0..1000).filter(|_| {
        us += 3_000;
        bench.window.take_back_off();
        bench.round(us);
        bench.window.has_backed_off()
    });
    let backed_off = backed_off.count();
    assert!((587..678).contains(&backed_off), "{backed_off}");
}

/// A queue that grows loses nothing by itself; one whose longest round trip stays while the shortest grows is full.
#[test]
fn a_loss_counts_where_the_queue_was_full_if_losses_are_tolerated() {
    for (tolerance, longest, left) in [("true", 10_000, 80), ("true", 0, 40), ("false", 10_000, 40)] {
        let mut bench = Bench::new(&format!("rounds = 1, scale = \"1000 s\", loss_tolerance = {tolerance}"));
        bench.arrive(1, 60_000);
        bench.round(40_000);
        bench.arrive(1, 60_000 + longest);
        bench.round(50_000);
        bench.window.set_segments(80);
        assert_eq!(bench.lose(), left, "{tolerance}, {longest}");
    }
}

/// 40 ms before the recovery, 60 during it: from 60 to 60 there is no gradient.
#[test]
fn the_round_of_a_recovery_has_no_gradient() {
    for (recovers, is_less) in [(true, false), (false, true)] {
        let mut bench = Bench::new(CERTAIN);
        bench.round(40_000);
        bench.arrive(1, 60_000);
        if recovers {
            bench.law.on_recovered(&mut bench.window, bench.edge + 80_000);
        }
        assert_eq!(bench.round(60_000) < 80.0, is_less);
    }
}

/// Two segments in one acknowledgment, then one: the latter is delayed, and its round trip counts only if it is the shortest.
#[test]
fn delayed_acknowledgments_do_not_make_a_round_longer() {
    for (first, backs_off) in [(2, false), (1, true)] {
        let mut bench = Bench::new(CERTAIN);
        bench.round(40_000);
        bench.arrive(first, 40_000);
        bench.round(70_000);
        assert_eq!(bench.window.has_backed_off(), backs_off);
    }
}

#[test]
fn a_pause_makes_the_next_round_the_first() {
    let mut bench = Bench::new(CERTAIN);
    bench.round(40_000);
    bench.law.on_restart_from_idle(Time::ZERO);
    bench.round(60_000);
    assert!(!bench.window.has_backed_off());
    bench.round(60_100);
    assert!(bench.window.has_backed_off(), "and chance is there still");
}
