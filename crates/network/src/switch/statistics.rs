//! Counts of cells and packets at a port.

use longfat_foundation::measure::Histogram;
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

/// Counts of cells and the length of the queue.
#[derive(Clone, Debug, Default)]
pub struct PortStatistics {
    /// Cells that arrived.
    pub cells_in: u64,
    /// Cells handed to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Packets that lost at least one cell here.
    pub packets_dropped: u64,
    /// Most cells in the buffer at any time.
    pub max_queue_cells: u64,
    /// Cells in the buffer, integrated over time in picoseconds.
    pub(super) queue_integral: u128,
    pub(super) queue_since: Time,
}

/// Counts of a queue discipline.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineCounts<'q> {
    /// Waiting times of the packets that were sent.
    pub delays: &'q Histogram,
    /// Packets that were marked here, and sent.
    pub packets_marked: u64,
    /// Acknowledgments that were dropped because a newer one makes them redundant.
    pub acknowledgments_superseded: u64,
}

/// All counts of a port.
#[derive(Clone, Debug, Default)]
pub struct PortCounts {
    /// Of UBR, or of all traffic where there are no service classes.
    pub ubr: PortStatistics,
    /// Of VBR, if the scheduler has a queue for it.
    pub vbr: Option<PortStatistics>,
    /// Packets sent that a queue discipline has marked.
    pub packets_marked: u64,
    /// Acknowledgments that it has dropped because a newer one says what they say.
    pub acknowledgments_superseded: u64,
}

impl PortCounts {
    /// The difference to `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            ubr: self.ubr.since(&earlier.ubr),
            vbr: self.vbr.as_ref().zip(earlier.vbr.as_ref()).map(|(now, earlier)| now.since(earlier)),
            packets_marked: self.packets_marked - earlier.packets_marked,
            acknowledgments_superseded: self.acknowledgments_superseded - earlier.acknowledgments_superseded,
        }
    }
}

impl PortStatistics {
    /// Mean number of cells in the buffer over the `measured` time, at the end of which it was looked at last.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_queue_cells(&self, measured: Span) -> f64 {
        if measured == Span::ZERO { 0.0 } else { self.queue_integral as f64 / measured.0 as f64 }
    }

    /// Mean seconds that a cell which was sent had waited, by Little's law: the mean queue over the rate of departures. `None` if none was sent.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_wait_s(&self) -> Option<f64> {
        (self.cells_out > 0).then(|| self.queue_integral as f64 / self.cells_out as f64 / PICOSECONDS_PER_SECOND as f64)
    }

    /// The counts with `queue` cells in the buffer until `now`.
    pub(super) fn until(&self, queue: u64, now: Time) -> Self {
        let mut all = self.clone();
        all.integrate(queue, now);
        all
    }

    /// Counts the peak anew, with `queue` cells in the buffer now; returns the counts until `now`.
    pub(super) fn count_anew(&mut self, queue: u64, now: Time) -> Self {
        self.integrate(queue, now);
        let before = self.clone();
        self.max_queue_cells = queue;
        before
    }

    /// The difference to `earlier`; the peak is that of the time since.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            cells_in: self.cells_in - earlier.cells_in,
            cells_out: self.cells_out - earlier.cells_out,
            cells_dropped: self.cells_dropped - earlier.cells_dropped,
            packets_dropped: self.packets_dropped - earlier.packets_dropped,
            queue_integral: self.queue_integral - earlier.queue_integral,
            ..self.clone()
        }
    }

    /// Integrates the queue length over time: `queue` cells were in the buffer until `now`.
    #[inline]
    pub(super) fn integrate(&mut self, queue: u64, now: Time) {
        self.queue_integral += u128::from(queue) * u128::from(now.0 - self.queue_since.0);
        self.queue_since = now;
    }
}
