//! `HyStart` of Linux for any window law.

use longfat_foundation::units::Span;

use super::SlowStartExit;
use crate::transport::Window;
use crate::transport::law::{Arrivals, HybridStart};

longfat_foundation::model! {
    /// Every slow start ends when acknowledgments no more than 2 ms apart have come for half of the least round trip, or when the shortest
    /// round trip of a round is an eighth above the least (4 to 16 ms). Windows below 16 segments are left alone.
    #[name = "hystart"]
    #[source = "Ha and Rhee 2011; Linux 6.12, hystart_update"]
    pub struct HyStartOfLinux: dyn SlowStartExit {}
    build(_config, _context) { Box::new(Watch::default()) }
}

#[derive(Default)]
struct Watch {
    start: HybridStart,
    /// Least round trip.
    shortest: Option<Span>,
    /// The latest acknowledgment.
    latest: Arrivals,
}

impl SlowStartExit for Watch {
    fn observes_arrivals(&self) -> bool {
        true
    }

    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        self.latest = *arrivals;
        let Some(sample) = arrivals.round_trip else { return };
        let shortest = self.shortest.map_or(sample, |shortest| shortest.min(sample));
        self.shortest = Some(shortest);
        if window.in_slow_start() {
            self.start.note(window, arrivals, sample, shortest);
        }
    }

    fn on_timeout(&mut self) {
        self.shortest = None;
        self.start.begin_anew(&self.latest);
    }
}
