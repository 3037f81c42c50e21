//! The path of acknowledgments: from the receivers over lines of their own to a switch, and on one line to the senders.
//!
//! Nothing is dropped or lost there, so the departures follow from the order of the arrivals at the switch. That order is known up to the
//! next time at which a receiver can send, plus the least delay of a line to the switch.

use longfat_foundation::row::Row;
use longfat_foundation::units::{LineClock, Span, Time, TransmissionTime};
use longfat_network::framing::{Cell, Packets};
use longfat_network::link::{Line, Train};

use super::arrivals::{Arrivals, Coming};
use super::fan::Fan;
use super::order::{Moment, Tie};
use super::{Carried, Path};
use crate::simulation::network::{Link, Links};

/// The lines of acknowledgments.
pub(super) struct Backward {
    /// The line to the senders.
    line: usize,
    way: Way,
    ahead: Ahead,
    /// Lookahead: the least time from a receiver to the switch, and from the switch to a sender.
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

/// A last cell on its way to its sender, with its arrival.
#[derive(Clone, Copy)]
struct Leaving {
    exit: Time,
    /// When the event driver would have scheduled the arrival.
    scheduled: Time,
    cell: Cell,
}

/// Arrivals at the end of the common line.
struct Exits {
    /// Last cells, in order of arrival at the senders.
    leaving: Row<Leaving>,
    /// The first of these arrivals.
    next_time: Time,
    /// Last cells that were taken and are not counted.
    taken: u64,
    /// Other cells that arrive before `until`, the time at which state must be complete, and are not counted; and the arrivals of those that
    /// arrive later.
    within: u64,
    until: Time,
    within_later: Row<Time>,
    /// The latest arrival at a sender.
    latest: Time,
}

/// Packets that were put on the common line, some of them before they reach the switch, because nothing can reach it before them.
#[derive(Default)]
struct Ahead {
    /// State must be complete at this time: cells that reach the switch before it are counted at once.
    until: Time,
    /// The number of these cells.
    came: u64,
    /// Cells that reach the switch later, in order.
    later: Row<Early>,
}

/// Cells that reach the switch with no other between them.
#[derive(Clone, Copy)]
struct Early {
    /// When the next of them reaches the switch, and when the last one does.
    next: LineClock,
    last: Time,
    cells: u32,
    line: u32,
    /// Whether a packet ends with them.
    ends: bool,
}

impl Ahead {
    /// Adds cells that reach the switch over the `line` with that number, the last of them at `last`.
    #[inline(always)]
    fn push(&mut self, next: LineClock, last: Time, cells: u32, number: usize, line: &mut Line, ends: bool) {
        if last < self.until {
            line.count_carried(cells.into(), ends.into());
            self.came += u64::from(cells);
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a scenario is refused long before it has 2^32 lines")]
        self.later.push_back(Early { next, last, cells, line: number as u32, ends });
    }

    /// Counts the cells that reached the switch before `until`; returns their number.
    fn settle(&mut self, until: Time, links: &mut Links) -> u64 {
        let mut all = std::mem::take(&mut self.came);
        while let Some(early) = self.later.front_mut() {
            let line = &mut links[early.line as usize].line;
            if early.last >= until {
                return all + early.count_before(until, line);
            }
            line.count_carried(early.cells.into(), early.ends.into());
            all += u64::from(early.cells);
            self.later.pop_front();
        }
        all
    }
}

impl Early {
    /// Counts the cells that reached the switch before `until`, which are not all; returns their number.
    fn count_before(&mut self, until: Time, line: &mut Line) -> u64 {
        let mut came = 0;
        while self.next.time < until {
            self.next.advance(line.cell_time());
            came += 1;
        }
        self.cells -= came;
        line.count_carried(came.into(), 0);
        came.into()
    }
}

impl Exits {
    fn new() -> Self {
        Self {
            leaving: Row::default(),
            next_time: Time::NEVER,
            taken: 0,
            within: 0,
            until: Time::ZERO,
            within_later: Row::default(),
            latest: Time::ZERO,
        }
    }

    /// A cell that is not the last of its packet reaches its sender at `exit`.
    #[inline]
    fn push_within(&mut self, exit: Time) {
        self.latest = exit;
        if exit < self.until {
            self.within += 1;
        } else {
            self.within_later.push_back(exit);
        }
    }

    /// The next arrival of a last cell, with the time at which the event driver would have scheduled it.
    fn next(&self) -> Moment {
        self.leaving.front().map_or(Moment::NEVER, |next| Moment::new(next.exit, next.scheduled))
    }

    /// Takes the last cell that arrives next. Calls `soon` for one that arrives soon, to prefetch its packet.
    #[inline]
    fn take_last(&mut self, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        self.leaving.ahead().map(|leaving| &leaving.cell).map(soon);
        let cell = self.leaving.pop_front().map(|leaving| leaving.cell);
        self.taken += 1;
        self.next_time = self.leaving.front().map_or(Time::NEVER, |leaving| leaving.exit);
        cell
    }

    /// The last cell of a packet reaches the switch at `came` and its sender at `exit`.
    #[inline(always)]
    fn push_last(&mut self, came: Time, exit: Time, cell: Cell) {
        let before = std::mem::replace(&mut self.latest, exit);
        self.next_time = self.next_time.min(exit);
        self.leaving.push_back(Leaving { exit, scheduled: before.max(came), cell });
    }

    /// Counts the last cells that were taken, and the other cells that have arrived before `until`; returns their number.
    fn settle(&mut self, until: Time, line: &mut Line) -> u64 {
        let later = self.within_later.as_slice().partition_point(|exit| *exit < until);
        self.within_later.take(later);
        let packets = std::mem::take(&mut self.taken);
        let arrived = std::mem::take(&mut self.within) + later as u64 + packets;
        line.count_carried(arrived, packets);
        arrived
    }
}

impl Backward {
    /// The lines of `path`, which are idle.
    pub fn new(path: &Path) -> Self {
        let way = match &path.behind {
            None => Way::Cells(Arrivals::new(), Exits::new()),
            Some(lines) => Way::Whole(Arrivals::new(), Fan::new(path.line, lines.clone())),
        };
        let Path { line, latency_before, latency_behind, .. } = *path;
        Self { line, way, ahead: Ahead::default(), latency_before, latency_behind }
    }

    /// State need not be complete before `until`.
    pub fn proceed(&mut self, until: Time) {
        self.ahead.until = until;
        if let Way::Cells(_, exits) = &mut self.way {
            exits.until = until;
        }
    }

    /// The least time from a receiver to a sender.
    #[inline]
    pub fn latency(&self) -> Span {
        self.latency_before + self.latency_behind
    }

    /// A receiver hands a packet of `cells` cells and `bits` bits to the line with that number; no other sends before `others`.
    ///
    /// # Errors
    /// If its order with another packet of the same instant is not known.
    #[expect(clippy::too_many_arguments, reason = "parts of the simulation that are borrowed one by one")]
    #[inline(always)]
    pub fn send(
        &mut self,
        now: Time,
        others: Time,
        number: usize,
        links: &mut Links,
        first: Cell,
        cells: u32,
        bits: u64,
    ) -> Result<(), Tie> {
        // Bounds of the arrivals at the switch: of this packet, and of those that others send.
        let (earliest, next) = (now + self.latency_before, others.saturating_add(self.latency_before));
        match &mut self.way {
            Way::Cells(arrivals, exits) => {
                if arrivals.next_time() < earliest {
                    exits.pass_waiting(earliest, arrivals, &mut self.ahead, self.line, links)?;
                }
                let Link { line, latest, .. } = &mut links[number];
                let train = line.dispatch(now, first, cells, bits);
                let cell_time = line.cell_time();
                let (came, last) = (train.arrival.time, train.last_arrival(cell_time));
                if last > earliest && last >= next {
                    return arrivals.send(now, number, latest, train, came, last);
                }
                if arrivals.send_next(now, number, latest, train, came, last)? {
                    self.ahead.push(train.arrival, last, train.cells, number, line, true);
                    exits.pass_alone(train, cell_time, &mut links[self.line].line);
                }
            }
            Way::Whole(arrivals, fan) => {
                let Link { line, latest, .. } = &mut links[number];
                let came = line.send_whole(now, bits);
                if came > earliest && came >= next {
                    return arrivals.send(now, number, latest, first, came, came);
                }
                if arrivals.send_next(now, number, latest, first, came, came)? {
                    self.ahead.push(LineClock::at(came), came, 1, number, line, true);
                    let crosses = links[self.line].line.send_whole(came, bits);
                    fan.pass(crosses, first, bits, links);
                }
                return fan.check();
            }
        }
        Ok(())
    }

    /// Simulates the switch up to `horizon`.
    ///
    /// # Errors
    /// If the order of two packets of one instant is not known.
    pub fn advance(&mut self, horizon: Time, links: &mut Links, packets: &Packets) -> Result<(), Tie> {
        match &mut self.way {
            Way::Cells(arrivals, exits) => exits.pass_waiting(horizon, arrivals, &mut self.ahead, self.line, links),
            Way::Whole(arrivals, fan) => {
                while let Some(coming) = arrivals.take(horizon, |soon| packets.read_soon(soon.packet)) {
                    let (came, number) = (coming.time(), coming.line());
                    self.ahead.push(LineClock::at(came), came, 1, number, &mut links[number].line, true);
                    let bits = packets.get(coming.load.packet).bits;
                    let crosses = links[self.line].line.send_whole(came, bits);
                    fan.pass(crosses, coming.load, bits, links);
                }
                fan.check()
            }
        }
    }

    /// The next arrival at a sender, of packets that have passed the switch.
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.way {
            Way::Cells(_, exits) => exits.next_time,
            Way::Whole(_, fan) => fan.next_time(),
        }
    }

    /// The next arrival, with the time at which the event driver would have scheduled it.
    pub fn next(&self) -> Moment {
        match &self.way {
            Way::Cells(_, exits) => exits.next(),
            Way::Whole(_, fan) => fan.next(),
        }
    }

    /// [`Fan::next_follows`]; not known for cells.
    pub fn next_follows(&self, links: &Links) -> Option<u64> {
        match &self.way {
            Way::Cells(..) => None,
            Way::Whole(_, fan) => fan.next_follows(links),
        }
    }

    /// A lower bound of the arrival at a sender of any packet that has not passed the switch.
    #[inline]
    pub fn bound(&self) -> Time {
        let next_at_switch = match &self.way {
            Way::Cells(arrivals, _) => arrivals.next_time(),
            Way::Whole(arrivals, _) => arrivals.next_time(),
        };
        next_at_switch.saturating_add(self.latency_behind)
    }

    /// Takes the next packet that reaches its sender, by its last cell. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, number: u64, links: &mut Links, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        match &mut self.way {
            Way::Cells(_, exits) => exits.take_last(soon),
            Way::Whole(_, fan) => fan.take(number, links, soon),
        }
    }

    /// Counts the packets that were taken, and the cells that have arrived before `until`.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        let came = self.ahead.settle(until, links);
        let Carried { events, delivered } = match &mut self.way {
            Way::Cells(_, exits) => {
                let cells = exits.settle(until, &mut links[self.line].line);
                Carried { events: cells, delivered: cells }
            }
            Way::Whole(_, fan) => fan.settle(until, links),
        };
        Carried { events: came + events, delivered }
    }

    /// Bytes that are allocated for what is under way.
    pub fn memory_bytes(&self) -> usize {
        let on_lines = match &self.way {
            Way::Cells(arrivals, exits) => {
                arrivals.memory_bytes() + exits.leaving.memory_bytes() + exits.within_later.memory_bytes()
            }
            Way::Whole(arrivals, fan) => arrivals.memory_bytes() + fan.memory_bytes(),
        };
        on_lines + self.ahead.later.memory_bytes()
    }

    /// Cells under way.
    pub fn cells_under_way(&self) -> u64 {
        match &self.way {
            Way::Cells(arrivals, exits) => {
                arrivals.cells_under_way() + (exits.within_later.len() + exits.leaving.len()) as u64
            }
            Way::Whole(arrivals, fan) => arrivals.cells_under_way() + fan.cells_under_way(),
        }
    }
}

impl Exits {
    /// All cells of a packet pass the switch, before any other cell reaches it.
    // Always: nearly every acknowledgment passes here, from one of the two callers.
    #[inline(always)]
    fn pass_alone(&mut self, train: Train, cell_time: TransmissionTime, line: &mut Line) {
        let mut came = train.arrival;
        for _ in 1..train.cells {
            self.push_within(line.carry(came.time));
            came.advance(cell_time);
        }
        let last = if train.cells == 1 { train.cell } else { train.cell.following(true) };
        self.push_last(came.time, line.carry(came.time), last);
    }

    /// All cells that reach the switch before `horizon` pass it, in order.
    #[inline(never)]
    fn pass_waiting(
        &mut self,
        horizon: Time,
        arrivals: &mut Arrivals<Train>,
        ahead: &mut Ahead,
        common: usize,
        links: &mut Links,
    ) -> Result<(), Tie> {
        while let Some(coming) = arrivals.take(horizon, |_| ()) {
            let (train, number) = (coming.load, coming.line());
            let line = &mut links[number].line;
            let cell_time = line.cell_time();
            let last = train.last_arrival(cell_time);
            if last < horizon.min(arrivals.next_time()) {
                ahead.push(train.arrival, last, train.cells, number, line, true);
                self.pass_alone(train, cell_time, &mut links[common].line);
                continue;
            }
            let left = self.pass(coming, horizon, cell_time, arrivals, common, links)?;
            let passed = train.cells - left;
            let last = train.after(passed - 1, cell_time).time;
            ahead.push(train.arrival, last, passed, number, &mut links[number].line, left == 0);
        }
        Ok(())
    }

    /// Cells of a packet pass the switch until a cell of another packet is next. Returns the number of those that are left.
    fn pass(
        &mut self,
        mut coming: Coming<Train>,
        horizon: Time,
        cell_time: TransmissionTime,
        arrivals: &mut Arrivals<Train>,
        common: usize,
        links: &mut Links,
    ) -> Result<u32, Tie> {
        loop {
            let now = coming.time();
            let exit = links[common].line.carry(now);
            if coming.load.cells == 1 {
                self.push_last(now, exit, coming.load.cell);
                return Ok(0);
            }
            self.push_within(exit);
            coming.follow(cell_time);
            let is_next = arrivals.first().is_none_or(|other| coming.moment() < other.moment());
            if !is_next || coming.time() >= horizon {
                let left = coming.load.cells;
                arrivals.insert(coming, &mut links[coming.line()].latest)?;
                return Ok(left);
            }
        }
    }
}
