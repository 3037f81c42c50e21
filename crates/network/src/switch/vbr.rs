//! The queue of the class VBR.

use longfat_foundation::units::Time;

use super::PortStatistics;
use crate::background::Background;
use crate::framing::Class;

/// VBR cells that wait, and their sources.
///
/// The port asks for the cells that have come when it is to send, so that a cell costs no event of its own. All are alike, none is
/// ever dropped (V-05), and nobody listens at the other end: a number is all there is to keep.
pub struct VbrQueue {
    sources: Vec<(Box<dyn Background>, Time)>,
    waiting: u64,
    statistics: PortStatistics,
    /// The class that the latest slot was given to, if it was given to any.
    pub(super) last_served: Option<Class>,
}

impl Default for VbrQueue {
    fn default() -> Self {
        Self { sources: Vec::new(), waiting: 0, statistics: PortStatistics::default(), last_served: Some(Class::Ubr) }
    }
}

impl VbrQueue {
    /// Its counts.
    #[must_use]
    pub fn statistics(&self) -> &PortStatistics {
        &self.statistics
    }

    /// Cells that wait, without those of the slot that is not over yet.
    #[must_use]
    pub fn cells_held(&self) -> u64 {
        self.waiting
    }

    /// Its counts until `now`.
    pub(super) fn statistics_until(&self, now: Time) -> PortStatistics {
        self.statistics.until(self.waiting, now)
    }

    /// Its counts until `now`; the peak is counted anew afterwards.
    pub(super) fn count_anew(&mut self, now: Time) -> PortStatistics {
        self.statistics.count_anew(self.waiting, now)
    }

    pub(super) fn add(&mut self, source: Box<dyn Background>) {
        let start = source.start();
        self.sources.push((source, start));
    }

    /// The next arrival, if there is any.
    pub(super) fn next_arrival(&self) -> Option<Time> {
        self.sources.iter().map(|(_, next)| *next).min().filter(|time| *time < Time::NEVER)
    }

    /// Queues the cells that have arrived until `now`: before it where a slot ends, for cells of that instant belong to the next slot.
    /// Returns whether any cell waits.
    pub(super) fn gather(&mut self, now: Time, is_slotted: bool) -> bool {
        self.statistics.integrate(self.waiting, now);
        for (source, next) in &mut self.sources {
            while *next < now || (*next == now && !is_slotted) {
                let emission = source.emit(*next);
                self.waiting += u64::from(emission.cells);
                self.statistics.cells_in += u64::from(emission.cells);
                *next = emission.next.unwrap_or(Time::NEVER);
            }
        }
        self.statistics.max_queue_cells = self.statistics.max_queue_cells.max(self.waiting);
        self.waiting > 0
    }

    /// Takes a cell that waits.
    pub(super) fn take(&mut self) {
        self.waiting -= 1;
        self.statistics.cells_out += 1;
        self.last_served = Some(Class::Vbr);
    }
}
