//! When the flows of a sender begin, and how large they are.

use super::Arrivals;
use crate::random::{Stream, unit_interval};
use crate::traffic::size::SizeDistribution;
use crate::units::{Span, Time};

/// A flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    /// Its number among those of its sender, from 0.
    pub place: u64,
    pub begins: Time,
    pub bytes: u64,
}

/// The flows of one sender, one after another.
///
/// The size of a flow, and the time before it, belong to the sender and the flow's place: whatever else changes, they stay.
pub(super) struct Schedule {
    pub size: Box<dyn SizeDistribution>,
    pub interval: Span,
    pub arrivals: Arrivals,
    pub count: Option<u64>,
    pub chance: Stream,
}

impl Schedule {
    /// The first flow of a sender that begins at `start`.
    pub fn first(&self, start: Time) -> Option<Flow> {
        let gap = match self.arrivals {
            Arrivals::Poisson => self.exponential(0),
            Arrivals::EvenlySpaced => Span::ZERO,
        };
        Some(self.flow(0, start.saturating_add(gap)))
    }

    /// The flow after another, if there is one.
    pub fn after(&self, flow: Flow) -> Option<Flow> {
        let place = flow.place + 1;
        let gap = match self.arrivals {
            Arrivals::Poisson => self.exponential(place),
            Arrivals::EvenlySpaced => self.interval,
        };
        (Some(place) != self.count).then(|| self.flow(place, flow.begins.saturating_add(gap)))
    }

    fn flow(&self, place: u64, begins: Time) -> Flow {
        let [_, first, second, _] = self.bits(place);
        Flow { place, begins, bytes: self.size.bytes([first, second]) }
    }

    /// Random bits of a flow. The stream's block 0 belongs to the start of the sender.
    fn bits(&self, place: u64) -> [u64; 4] {
        self.chance.block(1 + place)
    }

    /// The time before a flow. No two flows of a sender begin at one instant.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "picoseconds"
    )]
    fn exponential(&self, place: u64) -> Span {
        let means = -libm::log(1.0 - unit_interval(self.bits(place)[0]));
        Span(((means * self.interval.0 as f64) as u64).max(1))
    }
}
