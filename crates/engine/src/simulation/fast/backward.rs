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
use crate::framing::{Cell, Packet, Packets};
use crate::link::{Line, Train};
use crate::simulation::Link;
use crate::units::{Span, Time};

/// The lines of acknowledgments.
pub(super) struct Backward {
    /// The line to the senders.
    line: usize,
    way: Way,
    /// What is sent takes at least as long to the switch, and from the switch to the senders.
    pub latency_before: Span,
    latency_behind: Span,
}

/// How packets travel to the switch, and behind it.
enum Way {
    /// In cells, and on the common line with the senders' as part of it.
    Cells(Arrivals<Train>, Exits),
    /// Whole, on the common line and one for each sender.
    Whole(Arrivals<Cell>, Fan),
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
        let way = match &path.behind {
            None => Way::Cells(Arrivals::new(links.len()), Exits::default()),
            Some(lines) => Way::Whole(Arrivals::new(links.len()), Fan::new(path.line, lines.clone(), links.len())),
        };
        Self { line: path.line, way, latency_before: path.latency_before, latency_behind: path.latency_behind }
    }

    /// A receiver hands a packet to the line with that number.
    ///
    /// # Errors
    /// If it cannot be told whether it comes before another.
    #[inline]
    pub fn send(&mut self, now: Time, number: usize, line: &mut Line, first: Cell, packet: &Packet) -> Result<(), Tie> {
        match &mut self.way {
            Way::Cells(arrivals, _) => {
                let train = line.dispatch(now, first, packet);
                let last = train.last_arrival(line.cell_time());
                arrivals.send(now, number, train, train.arrival.time, last)
            }
            Way::Whole(arrivals, _) => {
                let arrival = line.send_whole(now, packet.bits);
                arrivals.send(now, number, first, arrival, arrival)
            }
        }
    }

    /// Lets everything happen before `horizon` at the switch. Gives how many cells came.
    ///
    /// # Errors
    /// If it cannot be told which of two comes first.
    pub fn advance(&mut self, horizon: Time, links: &mut [Link], packets: &Packets) -> Result<u64, Tie> {
        let mut came = 0;
        match &mut self.way {
            Way::Cells(arrivals, exits) => {
                while let Some(coming) = arrivals.take(horizon) {
                    came += exits.pass(coming, horizon, arrivals, self.line, links)?;
                }
            }
            Way::Whole(arrivals, fan) => {
                while let Some(coming) = arrivals.take(horizon) {
                    links[coming.line()].line.count_carried(1, 1);
                    let bits = packets.get(coming.load.packet).bits;
                    let crosses = links[self.line].line.send_whole(coming.time, bits);
                    fan.pass(crosses, coming.load, bits, links);
                    came += 1;
                }
                fan.check()?;
            }
        }
        Ok(came)
    }

    /// When the next packet reaches its sender, of those that have passed the switch.
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.way {
            Way::Cells(_, exits) => exits.leaving.front().map_or(Time::NEVER, |leaving| leaving.moment.time),
            Way::Whole(_, fan) => fan.next_time(),
        }
    }

    /// The same, and when, by events, that was put into the calendar.
    pub fn next(&self) -> Moment {
        match &self.way {
            Way::Cells(_, exits) => exits.leaving.front().map_or(Moment::NEVER, |leaving| leaving.moment),
            Way::Whole(_, fan) => fan.next(),
        }
    }

    /// What has not passed the switch reaches no sender before.
    #[inline]
    pub fn bound(&self) -> Time {
        let next_at_switch = match &self.way {
            Way::Cells(arrivals, _) => arrivals.next_time(),
            Way::Whole(arrivals, _) => arrivals.next_time(),
        };
        next_at_switch.saturating_add(self.latency_behind)
    }

    /// Takes the next packet that reaches its sender, by its last cell.
    #[inline]
    pub fn take(&mut self, links: &mut [Link]) -> Option<(Cell, Carried)> {
        match &mut self.way {
            Way::Cells(_, exits) => {
                let Leaving { moment, cell } = exits.leaving.pop_front()?;
                let line = &mut links[self.line].line;
                line.count_carried(1, 1);
                let cells = 1 + exits.settle(moment.time, line);
                Some((cell, Carried { events: cells, delivered: cells }))
            }
            Way::Whole(_, fan) => fan.take(links),
        }
    }

    /// Counts what has arrived before `until`, and is not the last of a packet.
    pub fn settle(&mut self, until: Time, links: &mut [Link]) -> Carried {
        match &mut self.way {
            Way::Cells(_, exits) => {
                let cells = exits.settle(until, &mut links[self.line].line);
                Carried { events: cells, delivered: cells }
            }
            Way::Whole(_, fan) => Carried { events: fan.settle(until, links), delivered: 0 },
        }
    }

    /// Cells on the way.
    pub fn cells_under_way(&self) -> u64 {
        match &self.way {
            Way::Cells(arrivals, exits) => {
                arrivals.cells_under_way() + (exits.within.len() + exits.leaving.len()) as u64
            }
            Way::Whole(arrivals, fan) => arrivals.cells_under_way() + fan.cells_under_way(),
        }
    }
}

impl Exits {
    /// Lets the cells of a packet pass the switch until it is another's turn. Gives how many.
    fn pass(
        &mut self,
        mut coming: Coming<Train>,
        horizon: Time,
        arrivals: &mut Arrivals<Train>,
        line: usize,
        links: &mut [Link],
    ) -> Result<u64, Tie> {
        let mut passed = 0;
        loop {
            let now = coming.time;
            let exit = links[line].line.carry(now);
            passed += 1;
            let before = std::mem::replace(&mut self.latest, exit);
            if coming.load.cells == 1 {
                let moment = Moment::new(exit, before.max(now));
                self.leaving.push_back(Leaving { moment, cell: coming.load.cell });
                links[coming.line()].line.count_carried(passed, 1);
                return Ok(passed);
            }
            self.within.push_back(exit);
            coming.follow(links[coming.line()].line.cell_time());
            let is_next = arrivals.first().is_none_or(|other| coming.moment() < other.moment());
            if !is_next || coming.time >= horizon {
                links[coming.line()].line.count_carried(passed, 0);
                arrivals.insert(coming)?;
                return Ok(passed);
            }
        }
    }
}
