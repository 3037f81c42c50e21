//! A line on which the cells of another one go on without ever waiting.

use longfat_foundation::units::{Rate, Span, TransmissionTime};

use crate::topology;

/// A line behind another one, on which the other's cells go on without ever waiting.
#[derive(Clone, Copy, Debug)]
pub struct Relay {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
}

impl From<&topology::Link> for Relay {
    fn from(link: &topology::Link) -> Self {
        Self { rate: link.rate, delay: link.delay }
    }
}

impl Relay {
    /// Whether no cell from a line with the rate `before` ever waits: the relay has sent the cell in front of it when
    /// it arrives, to the picosecond.
    #[must_use]
    pub fn suits(&self, before: Rate) -> bool {
        let cell_time = |rate| TransmissionTime::of_cell(rate).rounded_down();
        self.rate == before || cell_time(self.rate) < cell_time(before)
    }

    /// Time of a cell on it behind a line with the rate `before`: at the same rate both lines are one clock, and otherwise every
    /// cell finds the relay idle, whose clock then starts at a whole picosecond.
    pub(super) fn time_behind(&self, before: Rate) -> TransmissionTime {
        let own = TransmissionTime::of_cell(self.rate);
        let time = if self.rate == before { own } else { TransmissionTime::whole(own.rounded_down()) };
        time.longer_by(self.delay)
    }
}
