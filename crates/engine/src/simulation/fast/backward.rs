//! The way of acknowledgments: from the receivers over lines of their own to a switch, and on one line to the senders.
//!
//! No buffer is full and nothing is lost there, so that when a cell comes out follows from the order in which cells come in. That
//! order is known until the next moment at which a receiver can send, and a line's delay longer.

use std::collections::VecDeque;

use super::arrivals::{Arrivals, Coming};
use super::exit::Leaving;
use super::fan::Fan;
use super::order::{Moment, Tie};
use super::{Carried, Path};
use crate::framing::{Cell, Packets};
use crate::link::{Line, Train};
use crate::simulation::Link;
use crate::units::{Span, Time};

/// The lines of acknowledgments.
pub(super) struct Backward {
    /// The line to the senders.
    line: usize,
    arrivals: Arrivals,
    behind: Behind,
    /// What is sent takes at least as long to the switch, and from the switch to the senders.
    pub latency_before: Span,
    latency_behind: Span,
}

/// What is behind the switch.
enum Behind {
    /// The common line with the senders' as part of it.
    Line(Exits),
    /// The common line and one for each sender.
    Fan(Fan),
}

/// What comes to the end of the common line.
#[derive(Default)]
struct Exits {
    /// Last cells, in the order in which they come to the senders.
    leaving: VecDeque<Leaving>,
    /// When the other cells come to the senders.
    within: VecDeque<Time>,
    /// When the latest cell comes to its sender.
    latest: Time,
}

impl Exits {
    /// Counts the cells that have arrived before `until`, and are not the last of their packets; gives how many.
    fn settle(&mut self, until: Time, line: &mut Line) -> u64 {
        let mut arrived = 0;
        while self.within.front().is_some_and(|exit| *exit < until) {
            self.within.pop_front();
            arrived += 1;
        }
        line.count_carried(arrived, 0);
        arrived
    }
}

impl Backward {
    /// For the lines of `path`.
    pub fn new(path: &Path, links: &[Link]) -> Self {
        let behind = match &path.behind {
            None => Behind::Line(Exits::default()),
            Some(lines) => Behind::Fan(Fan::new(path.line, lines.clone(), links.len())),
        };
        Self {
            line: path.line,
            arrivals: Arrivals::new(links.len()),
            behind,
            latency_before: path.latency_before,
            latency_behind: path.latency_behind,
        }
    }

    /// A receiver hands a packet to the line with that number.
    pub fn send(&mut self, now: Time, number: usize, train: Train, line: &Line) -> Result<(), Tie> {
        self.arrivals.send(now, number, train, line)
    }

    /// Lets everything happen before `horizon` at the switch. Gives how many cells came.
    pub fn advance(&mut self, horizon: Time, links: &mut [Link], packets: &Packets) -> Result<u64, Tie> {
        let mut came = 0;
        while let Some(coming) = self.arrivals.take(horizon) {
            came += match &mut self.behind {
                Behind::Line(_) => self.pass(coming, horizon, links)?,
                Behind::Fan(fan) => {
                    let Train { cell, .. } = coming.train;
                    let packet = packets.get(cell.packet);
                    links[coming.line].line.count_carried(1, 1);
                    let crosses = links[self.line].line.dispatch(coming.moment.time, cell, packet).arrival.time;
                    fan.pass(crosses, cell, packet, links);
                    fan.check()?;
                    1
                }
            };
        }
        Ok(came)
    }

    /// Lets the cells of a packet pass the switch until it is another's turn. Gives how many.
    fn pass(&mut self, mut coming: Coming, horizon: Time, links: &mut [Link]) -> Result<u64, Tie> {
        let Behind::Line(exits) = &mut self.behind else { return Ok(0) };
        let mut passed = 0;
        loop {
            let now = coming.moment.time;
            let exit = links[self.line].line.carry(now);
            passed += 1;
            let before = std::mem::replace(&mut exits.latest, exit);
            if coming.train.cells == 1 {
                let moment = Moment::new(exit, before.max(now));
                exits.leaving.push_back(Leaving { moment, cell: coming.train.cell });
                links[coming.line].line.count_carried(passed, 1);
                return Ok(passed);
            }
            exits.within.push_back(exit);
            coming.follow(links[coming.line].line.cell_time());
            let is_next = self.arrivals.first().is_none_or(|other| coming.moment < other.moment);
            if !is_next || coming.moment.time >= horizon {
                links[coming.line].line.count_carried(passed, 0);
                self.arrivals.insert(coming)?;
                return Ok(passed);
            }
        }
    }

    /// When the next packet reaches its sender, of those that have passed the switch.
    #[inline]
    pub fn next(&self) -> Moment {
        match &self.behind {
            Behind::Line(exits) => exits.leaving.front().map_or(Moment::NEVER, |leaving| leaving.moment),
            Behind::Fan(fan) => fan.next(),
        }
    }

    /// What has not passed the switch reaches no sender before.
    #[inline]
    pub fn bound(&self) -> Time {
        self.arrivals.first().map_or(Time::NEVER, |coming| coming.moment.time.saturating_add(self.latency_behind))
    }

    /// Takes the next packet that reaches its sender, by its last cell.
    pub fn take(&mut self, links: &mut [Link]) -> Option<(Cell, Carried)> {
        match &mut self.behind {
            Behind::Line(exits) => {
                let Leaving { moment, cell } = exits.leaving.pop_front()?;
                let line = &mut links[self.line].line;
                line.count_carried(1, 1);
                let cells = 1 + exits.settle(moment.time, line);
                Some((cell, Carried { events: cells, delivered: cells }))
            }
            Behind::Fan(fan) => fan.take(links),
        }
    }

    /// Counts what has arrived before `until`, and is not the last of a packet.
    pub fn settle(&mut self, until: Time, links: &mut [Link]) -> Carried {
        match &mut self.behind {
            Behind::Line(exits) => {
                let cells = exits.settle(until, &mut links[self.line].line);
                Carried { events: cells, delivered: cells }
            }
            Behind::Fan(fan) => Carried { events: fan.settle(until, links), delivered: 0 },
        }
    }

    /// Cells on the way.
    pub fn cells_under_way(&self) -> u64 {
        self.arrivals.cells_under_way()
            + match &self.behind {
                Behind::Line(exits) => (exits.within.len() + exits.leaving.len()) as u64,
                Behind::Fan(fan) => fan.cells_under_way(),
            }
    }
}
