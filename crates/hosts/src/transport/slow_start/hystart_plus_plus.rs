//! `HyStart++` for any window law.

use super::SlowStartExit;
use crate::transport::Window;
use crate::transport::law::{HyStart, Progress};

longfat_foundation::model! {
    /// The first slow start becomes conservative when the shortest round trip of a round is an eighth longer than that of the round before
    /// (4 to 16 ms), grows a quarter as fast, and ends after five such rounds. It measures a round trip with every acknowledgment, and so
    /// needs `timestamps`.
    #[name = "hystart++"]
    #[source = "RFC 9406"]
    pub struct HyStartPlusPlus: dyn SlowStartExit {}
    build(_config, _context) { Box::new(Watch(Some(HyStart::default()))) }
}

/// The first slow start, until it has ended.
struct Watch(Option<HyStart>);

impl SlowStartExit for Watch {
    fn most_counted(&self, window: &Window, progress: &Progress) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |_| HyStart::most_counted(window, progress))
    }

    fn share_of_growth(&self) -> f64 {
        self.0.as_ref().map_or(1.0, HyStart::share_of_growth)
    }

    fn on_growth(&mut self, window: &mut Window, progress: &Progress) {
        if self.0.as_mut().is_some_and(|hystart| hystart.is_over(progress)) {
            window.end_slow_start();
            self.0 = None;
        }
    }

    fn on_reduction(&mut self) {
        self.0 = None;
    }

    fn on_timeout(&mut self) {
        self.0 = None;
    }

    /// Rounds before the pause are not compared with rounds after it.
    fn on_restart_from_idle(&mut self) {
        self.0.iter_mut().for_each(|hystart| *hystart = HyStart::default());
    }
}
