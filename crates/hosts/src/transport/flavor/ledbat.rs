//! LEDBAT.

use longfat_foundation::config::{AtLeastOne, Fraction, PositiveNumber, PositiveSpan};
use longfat_foundation::registry::Chosen;

use super::Flavor;
use crate::transport::law::{self, LedbatSettings, LedbatSlowStart, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// What LEDBAT goes by.
    pub enum LedbatDelay {
        /// How long segments take to the receiver, which it tells with `timestamps`; without, round trips.
        OneWay = "one-way",
        /// Round trips, with which packets that wait on the way back count too.
        RoundTrip = "round-trip",
    }
}

longfat_foundation::choice! {
    /// Until when LEDBAT's window doubles in a round trip.
    pub enum SlowStartOfLedbat {
        /// Until packets wait for a share of the target, or up to the threshold.
        UntilDelayed = "until-delayed",
        /// Up to the threshold.
        Classical = "classical",
        /// It never does.
        Absent = "none",
    }
}

longfat_foundation::model! {
    /// LEDBAT, low extra delay background transport: the window grows while packets wait for less than a target, and shrinks while they wait for more. So it fills a
    /// line that nobody else needs, with a queue of that length, and gives way to those who make queues longer.
    #[name = "ledbat"]
    #[source = "RFC 6817"]
    pub struct Ledbat: dyn Flavor {
        /// How losses are noticed and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// How long packets are to wait (TARGET). The RFC allows no more than 100 ms; LEDBAT++ has 60.
        target: PositiveSpan = "100 ms" or ["60 ms"],
        /// Segments by which the window grows in a round trip while none waits, and shrinks while they wait for twice the target (GAIN). With 1, the most that the
        /// RFC allows, it grows as Reno does.
        gain: Fraction = "1",
        /// What tells how long packets wait. The RFC takes the way to the receiver; LEDBAT++ and senders whose receivers do not help take round trips.
        delay: LedbatDelay = "one-way" or ["round-trip"],
        /// For so many minutes the shortest delay is kept (BASE_HISTORY): a path that has become longer looks like a queue for as long.
        base_history: AtLeastOne = "10",
        /// Of so many delays in the latest round trip the shortest counts (CURRENT_FILTER). The RFC asks for four.
        current_filter: AtLeastOne = "4",
        /// By so many segments the window may be larger than what is under way (ALLOWED_INCREASE).
        allowed_increase: PositiveNumber = "1",
        /// The window has so many segments at least (MIN_CWND).
        minimum_window: AtLeastOne = "2",
        /// Until when the window doubles in a round trip. The RFC's algorithm has no slow start, its implementations in TCP have one.
        slow_start: SlowStartOfLedbat = "until-delayed" or ["classical", "none"],
        /// The share of the target for which packets wait when slow start ends. Three quarters, as LEDBAT++ has it.
        slow_start_share: Fraction = "0.75",
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Ledbat {
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred thousand")]
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Ledbat::new(LedbatSettings {
            target: self.target.0,
            gain: self.gain.0,
            goes_one_way: self.delay == LedbatDelay::OneWay,
            base_history: whole(self.base_history),
            current_filter: whole(self.current_filter),
            allowed_increase: self.allowed_increase.0,
            minimum_window: self.minimum_window.0 as f64,
            slow_start: match self.slow_start {
                SlowStartOfLedbat::UntilDelayed => LedbatSlowStart::UntilDelayed(self.slow_start_share.0),
                SlowStartOfLedbat::Classical => LedbatSlowStart::Classical,
                SlowStartOfLedbat::Absent => LedbatSlowStart::Absent,
            },
        }))
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        self.recovery.build(&())
    }

    fn recovery_name(&self) -> &'static str {
        self.recovery.name()
    }
}

fn whole(count: AtLeastOne) -> usize {
    usize::try_from(count.0).unwrap_or(usize::MAX)
}
