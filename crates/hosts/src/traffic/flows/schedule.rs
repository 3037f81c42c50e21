//! Start times and sizes of the flows of one sender.

use longfat_foundation::random::{Stream, unit_interval};
use longfat_foundation::units::{Span, Time};

use super::Arrivals;
use crate::traffic::size::SizeDistribution;

/// A flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    /// Index among the flows of its sender, from 0.
    pub place: u64,
    pub begins: Time,
    pub bytes: u64,
}

/// The flows of one sender, in order.
///
/// The size of a flow and the gap before it are functions of the sender and of the flow's index alone, so they do not depend on anything
/// else in the scenario.
pub(super) struct Schedule {
    pub size: Box<dyn SizeDistribution>,
    pub interval: Span,
    pub arrivals: Arrivals,
    pub count: Option<u64>,
    pub chance: Stream,
}

impl Schedule {
    /// First flow of a sender that starts at `start`.
    pub fn first(&self, start: Time) -> Option<Flow> {
        let bits = self.bits(0);
        let gap = match self.arrivals {
            Arrivals::Poisson => self.exponential(bits),
            Arrivals::EvenlySpaced => Span::ZERO,
        };
        Some(self.flow(0, start.saturating_add(gap), bits))
    }

    /// The flow after `flow`; `None` if it is the last.
    pub fn after(&self, flow: Flow) -> Option<Flow> {
        let place = flow.place + 1;
        let bits = self.bits(place);
        (Some(place) != self.count).then(|| self.flow(place, flow.begins.saturating_add(self.gap(bits)), bits))
    }

    /// Start times of `first` and the flows after it; draws no sizes.
    pub fn beginnings(&self, first: Flow) -> impl Iterator<Item = Time> {
        let after = |&(place, begins): &(u64, Time)| {
            let place = place + 1;
            (Some(place) != self.count).then(|| (place, begins.saturating_add(self.gap(self.bits(place)))))
        };
        std::iter::successors(Some((first.place, first.begins)), after).map(|(_, begins)| begins)
    }

    /// Time from one flow to the next.
    fn gap(&self, bits: [u64; 4]) -> Span {
        match self.arrivals {
            Arrivals::Poisson => self.exponential(bits),
            Arrivals::EvenlySpaced => self.interval,
        }
    }

    fn flow(&self, place: u64, begins: Time, [_, first, second, _]: [u64; 4]) -> Flow {
        Flow { place, begins, bytes: self.size.bytes([first, second]) }
    }

    /// Random bits of a flow. Block 0 of the stream is reserved for the start of the sender.
    fn bits(&self, place: u64) -> [u64; 4] {
        self.chance.block(1 + place)
    }

    /// Exponentially distributed gap, at least 1 ps: no two flows of a sender begin at the same time.
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
