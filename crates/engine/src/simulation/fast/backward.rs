//! The way of acknowledgments: from the receivers over lines of their own to a switch, and on one line to the senders.
//!
//! No buffer is full and nothing is lost there, so that when a cell comes out follows from the order in which cells come in. That
//! order is known until the next moment at which a receiver can send, and a line's delay longer.

use std::collections::VecDeque;

use super::exit::Leaving;
use super::order::{Moment, Tie};
use crate::framing::Cell;
use crate::link::{Line, Train};
use crate::simulation::Link;
use crate::units::{Span, Time, TransmissionTime};

/// A packet, or what is left of it, on its way to the switch.
#[derive(Clone, Copy)]
struct Coming {
    /// When its next cell gets there.
    moment: Moment,
    line: usize,
    train: Train,
    /// When it was sent, and which of its cells is the next.
    sent: (Time, u32),
    /// Whether it had to wait for another on its line.
    waited: bool,
}

impl Coming {
    /// Goes on to the next cell. By events, a cell is put into the calendar when the one before it arrives.
    fn follow(&mut self, cell_time: TransmissionTime) {
        let before = self.moment.time;
        self.train.take(cell_time);
        self.moment = Moment::new(self.train.arrival.time, before);
        self.sent.1 += 1;
    }
}

/// The lines of acknowledgments.
pub(super) struct Backward {
    /// The line to the senders.
    line: usize,
    /// In the order in which their next cells come to the switch.
    coming: VecDeque<Coming>,
    /// When the latest cell of each line comes to the switch.
    latest: Vec<Time>,
    /// Last cells, in the order in which they come to the senders.
    leaving: VecDeque<Leaving>,
    /// When the other cells come to the senders.
    within: VecDeque<Time>,
    /// When the latest cell comes to its sender.
    latest_exit: Time,
    /// What is sent takes at least as long to the switch, and from the switch to the senders.
    pub latency_before: Span,
    latency_behind: Span,
}

impl Backward {
    /// For the lines `before` the switch and the `line` behind it.
    pub fn new(line: usize, before: &[usize], links: &[Link]) -> Self {
        let latency = |number: usize| links[number].line.latency();
        Self {
            line,
            coming: VecDeque::new(),
            latest: vec![Time::ZERO; links.len()],
            leaving: VecDeque::new(),
            within: VecDeque::new(),
            latest_exit: Time::ZERO,
            latency_before: before.iter().map(|&number| latency(number)).min().unwrap_or(Span::ZERO),
            latency_behind: latency(line),
        }
    }

    /// A receiver hands a packet to the line with that number.
    pub fn send(&mut self, now: Time, number: usize, train: Train, line: &Line) -> Result<(), Tie> {
        // By events, its first cell is put into the calendar when the one before it on the line arrives, or at once.
        let moment = Moment::new(train.arrival.time, self.latest[number].max(now));
        let waited = self.latest[number] >= now;
        let mut last = train.arrival;
        (1..train.cells).for_each(|_| last.advance(line.cell_time()));
        self.latest[number] = last.time;
        self.insert(Coming { moment, line: number, train, sent: (now, 0), waited })
    }

    /// Packets that were sent one after the other at one instant keep that order as long as their cells come together.
    fn insert(&mut self, coming: Coming) -> Result<(), Tie> {
        let mut place = self.coming.len();
        while place > 0 && self.coming[place - 1].moment > coming.moment {
            place -= 1;
        }
        if place > 0 {
            let before = self.coming[place - 1];
            let in_step = before.sent == coming.sent && !before.waited && !coming.waited;
            if before.moment == coming.moment && !in_step {
                return Err(Tie(coming.moment.time));
            }
        }
        if place == self.coming.len() {
            self.coming.push_back(coming);
        } else {
            self.coming.insert(place, coming);
        }
        Ok(())
    }

    /// Lets everything happen before `horizon` at the switch. Gives how many cells came.
    pub fn advance(&mut self, horizon: Time, links: &mut [Link]) -> Result<u64, Tie> {
        let mut came = 0;
        while let Some(coming) = self.coming.front().copied().filter(|coming| coming.moment.time < horizon) {
            self.coming.pop_front();
            came += self.pass(coming, horizon, links)?;
        }
        Ok(came)
    }

    /// Lets the cells of a packet pass the switch until it is another's turn. Gives how many.
    fn pass(&mut self, mut coming: Coming, horizon: Time, links: &mut [Link]) -> Result<u64, Tie> {
        let mut passed = 0;
        loop {
            let now = coming.moment.time;
            let exit = links[self.line].line.carry(now);
            passed += 1;
            let before = std::mem::replace(&mut self.latest_exit, exit);
            if coming.train.cells == 1 {
                let moment = Moment::new(exit, before.max(now));
                self.leaving.push_back(Leaving { moment, cell: coming.train.cell });
                links[coming.line].line.count_carried(passed, 1);
                return Ok(passed);
            }
            self.within.push_back(exit);
            coming.follow(links[coming.line].line.cell_time());
            let is_next = self.coming.front().is_none_or(|other| coming.moment < other.moment);
            if !is_next || coming.moment.time >= horizon {
                links[coming.line].line.count_carried(passed, 0);
                self.insert(coming)?;
                return Ok(passed);
            }
        }
    }

    /// When the next packet reaches its sender, of those that have passed the switch.
    #[inline]
    pub fn next(&self) -> Moment {
        self.leaving.front().map_or(Moment::NEVER, |leaving| leaving.moment)
    }

    /// What has not passed the switch reaches no sender before.
    #[inline]
    pub fn bound(&self) -> Time {
        self.coming.front().map_or(Time::NEVER, |coming| coming.moment.time.saturating_add(self.latency_behind))
    }

    /// Takes the next packet that reaches its sender, by its last cell. Gives how many cells arrived.
    pub fn take(&mut self, links: &mut [Link]) -> Option<(Cell, u64)> {
        let Leaving { moment, cell } = self.leaving.pop_front()?;
        links[self.line].line.count_carried(1, 1);
        Some((cell, 1 + self.settle(moment.time, links)))
    }

    /// Counts the cells that have arrived before `until`, and are not the last of their packets; gives how many.
    pub fn settle(&mut self, until: Time, links: &mut [Link]) -> u64 {
        let mut arrived = 0;
        while self.within.front().is_some_and(|exit| *exit < until) {
            self.within.pop_front();
            arrived += 1;
        }
        links[self.line].line.count_carried(arrived, 0);
        arrived
    }

    /// Cells on the way.
    pub fn cells_under_way(&self) -> u64 {
        let coming: u64 = self.coming.iter().map(|coming| u64::from(coming.train.cells)).sum();
        coming + (self.within.len() + self.leaving.len()) as u64
    }
}
