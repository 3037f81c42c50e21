//! When the flows of a sender begin, and how large they are.

use longfat_foundation::random::{Stream, unit_interval};
use longfat_foundation::units::{Span, Time};

use super::Arrivals;
use crate::traffic::size::SizeDistribution;

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
        let bits = self.bits(0);
        let gap = match self.arrivals {
            Arrivals::Poisson => self.exponential(bits),
            Arrivals::EvenlySpaced => Span::ZERO,
        };
        Some(self.flow(0, start.saturating_add(gap), bits))
    }

    /// The flow after another, if there is one.
    pub fn after(&self, flow: Flow) -> Option<Flow> {
        let place = flow.place + 1;
        let bits = self.bits(place);
        (Some(place) != self.count).then(|| self.flow(place, flow.begins.saturating_add(self.gap(bits)), bits))
    }

    /// When a flow and those after it begin, without drawing their sizes.
    pub fn beginnings(&self, first: Flow) -> impl Iterator<Item = Time> {
        let after = |&(place, begins): &(u64, Time)| {
            let place = place + 1;
            (Some(place) != self.count).then(|| (place, begins.saturating_add(self.gap(self.bits(place)))))
        };
        std::iter::successors(Some((first.place, first.begins)), after).map(|(_, begins)| begins)
    }

    /// From a flow to the next.
    fn gap(&self, bits: [u64; 4]) -> Span {
        match self.arrivals {
            Arrivals::Poisson => self.exponential(bits),
            Arrivals::EvenlySpaced => self.interval,
        }
    }

    fn flow(&self, place: u64, begins: Time, [_, first, second, _]: [u64; 4]) -> Flow {
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
    fn exponential(&self, bits: [u64; 4]) -> Span {
        let means = -libm::log(1.0 - unit_interval(bits[0]));
        Span(((means * self.interval.0 as f64) as u64).max(1))
    }
}
