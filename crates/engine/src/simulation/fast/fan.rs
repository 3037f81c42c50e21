//! The lines behind a common one, each to a host of its own, where packets travel whole: a small one may have to wait there for
//! a large one before it, and another way overtake.

use std::collections::VecDeque;

use super::Carried;
use super::arrivals::Arrivals;
use super::order::{Moment, Tie};
use crate::framing::{Cell, Packet};
use crate::simulation::Link;
use crate::units::Time;

/// What has left the common line's transmitter and has not arrived.
pub(super) struct Fan {
    /// The common line, and the one behind it on which each connection's packets go on.
    line: usize,
    lines: Vec<usize>,
    /// When packets come to the end of the common line that are not counted as carried there.
    crossing: VecDeque<Time>,
    /// At the ends of the lines behind it.
    arrivals: Arrivals,
    /// Two packets of which it cannot be told which arrives first.
    tie: Option<Tie>,
}

impl Fan {
    /// For a common line and the `lines` behind it.
    pub fn new(line: usize, lines: Vec<usize>, links: usize) -> Self {
        Self { line, lines, crossing: VecDeque::new(), arrivals: Arrivals::new(links), tie: None }
    }

    /// A packet comes to the end of the common line at `crosses`.
    #[inline]
    pub fn pass(&mut self, crosses: Time, cell: Cell, packet: &Packet, links: &mut [Link]) {
        self.crossing.push_back(crosses);
        let number = self.lines[cell.circuit() / 2];
        let line = &mut links[number].line;
        let train = line.dispatch(crosses, cell, packet);
        if let Err(tie) = self.arrivals.send(crosses, number, train, line) {
            self.tie = Some(tie);
        }
    }

    /// Whether the order of what has passed is known.
    pub fn check(&self) -> Result<(), Tie> {
        self.tie.map_or(Ok(()), Err)
    }

    /// When the next packet arrives.
    #[inline]
    pub fn next(&self) -> Moment {
        self.arrivals.first().map_or(Moment::NEVER, |coming| coming.moment)
    }

    /// Takes the next packet that arrives.
    #[inline]
    pub fn take(&mut self, links: &mut [Link]) -> Option<(Cell, Carried)> {
        let coming = self.arrivals.take(Time::NEVER)?;
        links[coming.line].line.count_carried(1, 1);
        let crossed = self.settle(coming.moment.time, links);
        Some((coming.train.cell, Carried { events: 1 + crossed, delivered: 1 }))
    }

    /// Counts the packets that have come to the end of the common line before `until`; gives how many.
    #[inline]
    pub fn settle(&mut self, until: Time, links: &mut [Link]) -> u64 {
        let mut crossed = 0;
        while self.crossing.front().is_some_and(|time| *time < until) {
            self.crossing.pop_front();
            crossed += 1;
        }
        links[self.line].line.count_carried(crossed, crossed);
        crossed
    }

    /// What is on the common line and behind it, as [`Line::trains`](crate::link::Line::trains) gives it, all as if behind it.
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.arrivals.trains()
    }

    /// Packets on the way.
    pub fn cells_under_way(&self) -> u64 {
        self.arrivals.cells_under_way()
    }
}
