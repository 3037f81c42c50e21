//! What a queue has seen.

use crate::units::Time;

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

impl PortStatistics {
    /// Mean number of cells in the buffer from the start until `end`; `queue` are in it now.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_queue_cells(&self, queue: u64, end: Time) -> f64 {
        let integral = self.queue_integral + u128::from(queue) * u128::from(end.0 - self.queue_since.0);
        if end == Time::ZERO { 0.0 } else { integral as f64 / end.0 as f64 }
    }

    /// Notes that there were `queue` cells in the buffer until `now`.
    #[inline]
    pub(super) fn integrate(&mut self, queue: u64, now: Time) {
        self.queue_integral += u128::from(queue) * u128::from(now.0 - self.queue_since.0);
        self.queue_since = now;
    }
}
