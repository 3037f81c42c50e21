//! Window law that lets somebody decide at intervals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::transport::{Delivery, LostSegment, Window};
use longfat_engine::units::Time;

use crate::course::Course;
use crate::{Interval, Settings};

/// Decides at the end of an interval: window or rate change by 2^(returned power).
pub type Decide = Box<dyn FnMut(&Interval) -> f64 + Send>;

/// A law that calls `decide` at the end of each interval.
#[must_use]
pub fn at_intervals(settings: Settings, decide: Decide) -> Box<dyn WindowLaw> {
    let course = Arc::new(Mutex::new(Course::new(settings)));
    Box::new(AtIntervals { course, decide })
}

/// A law that records a course, which can be shared.
pub struct AtIntervals {
    pub course: Arc<Mutex<Course>>,
    pub decide: Decide,
}

impl AtIntervals {
    fn course(&self) -> MutexGuard<'_, Course> {
        locked(&self.course)
    }
}

/// Locks a course, even if a run that used it has panicked.
pub fn locked(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WindowLaw for AtIntervals {
    /// The window does not grow between decisions.
    fn on_acknowledgment(&mut self, _window: &mut Window, _progress: &Progress) {}

    /// Only decisions respond to losses.
    fn on_loss(&mut self, window: &mut Window, _flight: u64) {
        self.course().note_loss();
        window.ssthresh = window.cwnd;
    }

    fn on_loss_after_mark(&mut self, window: &mut Window, _flight: u64) {
        window.ssthresh = window.cwnd;
    }

    fn observes_marks(&self) -> bool {
        true
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, _unacknowledged: u64, _highest: u64) {
        self.course().note_marked(marked.min(acknowledged));
    }

    fn observes_deliveries(&self) -> bool {
        true
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let mut course = locked(&self.course);
        while let Some(interval) = course.close_undecided(delivery.now) {
            course.decide((self.decide)(&interval));
        }
        course.carry_out(window);
        course.take_in(delivery, window);
    }

    fn on_lost_segment(&mut self, _window: &mut Window, lost: &LostSegment, _now: Time) {
        self.course().note_lost(lost.bytes);
    }

    fn forgets_when_idle(&self) -> bool {
        false
    }

    fn pacing_rate(&mut self, _window: &Window) -> Option<f64> {
        self.course().rate()
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.course().note_timeout();
        window.halve_threshold(flight);
        window.collapse();
    }
}
