//! Cells on their way to the bottleneck's port and through it, in batches of slots where possible. Only last cells of packets are followed
//! to their receivers.

mod rounds;

use longfat_foundation::row::Row;
use longfat_foundation::units::{CELL_BITS, Span, Time, TransmissionTime};
use longfat_network::framing::{Cell, Packets};
use longfat_network::link::{Line, Train};
use longfat_network::switch::{Dropped, Next, Port, PortQueue, Queue, RoundQueue};
use rounds::Slots;

use super::exit::{Behind, Exit};
use super::order::Moment;
use super::shares::Touched;
use super::{Carried, Fast, Path};
use crate::observer::Observer;
use crate::simulation::network::{Links, Served};

/// Sent cells are taken off the queue by this number: few enough for the processor's first cache.
const MANY: u64 = 1024;

/// Heads that are examined for each slot, whether they arrive in it or later; the others are kept in order.
const FEW: usize = 16;

/// The packet that is next on a line to the port.
#[derive(Clone, Copy)]
struct Head {
    line: usize,
    cell_time: TransmissionTime,
    /// True if the line has the rate of the port's line: `cell_time` is a slot.
    has_rate_of_port: bool,
    train: Train,
    /// Cells of it that are not counted as carried.
    cells: u32,
}

impl Head {
    /// True if exactly one cell of the packet arrives in each slot of the port, beginning with the slot that ends at `boundary`. The line has
    /// the port's rate, and the cells arrive far enough from slot boundaries that rounding to picoseconds moves none across.
    #[inline]
    fn is_in_step(&self, boundary: Time) -> bool {
        let before = boundary - self.train.arrival.time;
        self.has_rate_of_port && before.0 >= 2 && before < self.cell_time.at_least()
    }

    /// Counts the cells of it that have been carried.
    fn count(&mut self, line: &mut Line) {
        line.count_carried(u64::from(self.cells - self.train.cells), 0);
        self.cells = self.train.cells;
    }
}

/// Service of a port that admits cells at the ends of slots.
pub(super) trait SlotService {
    /// Takes a cell that arrives at `now`. Returns when to serve the port, if no service was pending.
    fn receive(&mut self, now: Time, cell: Cell, packets: &Packets, dropped: &mut Vec<Dropped>) -> Option<Time>;
    /// Ends a slot.
    fn serve(&mut self, now: Time, packets: &Packets, outlet: &mut Behind<'_>, dropped: &mut Vec<Dropped>) -> Next;
}

impl SlotService for Port<RoundQueue> {
    #[inline(always)]
    fn receive(&mut self, now: Time, cell: Cell, _packets: &Packets, _dropped: &mut Vec<Dropped>) -> Option<Time> {
        self.receive(now, cell)
    }

    #[inline(always)]
    fn serve(&mut self, now: Time, _packets: &Packets, outlet: &mut Behind<'_>, dropped: &mut Vec<Dropped>) -> Next {
        self.serve(now, outlet, dropped)
    }
}

impl SlotService for Port<Queue> {
    #[inline(always)]
    fn receive(&mut self, now: Time, cell: Cell, packets: &Packets, dropped: &mut Vec<Dropped>) -> Option<Time> {
        self.receive(now, cell, packets, dropped)
    }

    #[inline(always)]
    fn serve(&mut self, now: Time, packets: &Packets, outlet: &mut Behind<'_>, dropped: &mut Vec<Dropped>) -> Next {
        self.serve(now, packets, outlet, dropped)
    }
}

/// The port and the lines before and behind it.
pub(super) struct Slotted {
    line: usize,
    /// The next packets, one for each line that has any: all that arrive in the present slot, and some of the others.
    heads: Vec<Head>,
    /// The rest of the others, in order of arrival.
    later: Row<Head>,
    has_head: Vec<bool>,
    /// When the next cell arrives at the port.
    next_arrival: Time,
    next_service: Time,
    /// The port is simulated up to this time.
    done: Time,
    /// The port sends nothing before this time but cells whose arrivals are known.
    known: Time,
    /// The least time from the port to a receiver.
    latency_behind: Span,
    exit: Exit,
    /// Transmission time of a cell on the line behind the port: a slot.
    cell_time: TransmissionTime,
    /// The next cells of a round; kept for its memory.
    round: Vec<Cell>,
    /// These cells in order of admission.
    drawn: Vec<Cell>,
    /// The one head that brings cells, if there is only one.
    lone: usize,
    /// Numbers of cells that it brings in each slot of a stretch, for observers; and the circuits whose occupancy a slot changes.
    counts: Vec<u32>,
    touched: Touched,
    /// Services of the port.
    pub services: u64,
}

impl Slotted {
    /// An idle port that is served first at `first_service`, in front of the common line of `path`.
    pub fn new(path: &Path, links: &Links, first_service: Option<Time>) -> Self {
        Self {
            line: path.line,
            heads: Vec::new(),
            later: Row::default(),
            has_head: vec![false; links.len()],
            next_arrival: Time::NEVER,
            next_service: first_service.unwrap_or(Time::NEVER),
            done: Time::ZERO,
            known: Time::ZERO,
            latency_behind: path.latency_behind,
            exit: Exit::new(&links[path.line].line),
            cell_time: links[path.line].line.cell_time(),
            round: Vec::new(),
            drawn: Vec::new(),
            lone: 0,
            counts: Vec::new(),
            touched: Touched::default(),
            services: 0,
        }
    }

    /// State need not be complete before `until`.
    pub fn proceed(&mut self, until: Time) {
        self.exit.proceed(until);
    }

    /// The next arrival at a receiver, of packets that have left the port.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.exit.next_time()
    }

    /// The next arrival, with the time at which the event driver would have scheduled it.
    pub fn next(&self) -> Moment {
        self.exit.next()
    }

    /// A lower bound of the arrival at a receiver of any cell that the port has not admitted yet; never, if it sends none before `until`.
    #[inline]
    pub fn bound(&self, until: Time) -> Time {
        if self.done >= until {
            return Time::NEVER;
        }
        let sent = if self.rests() { self.next_arrival.max(self.done) } else { self.known };
        sent.saturating_add(self.latency_behind)
    }

    /// True if the port has nothing to send: the next departure is the next arrival's.
    #[inline]
    pub fn rests(&self) -> bool {
        self.next_service == Time::NEVER
    }

    /// A packet is handed to a line before the port.
    #[inline(always)]
    pub fn send(&mut self, now: Time, number: usize, line: &mut Line, first: Cell, cells: u32, bits: u64) {
        let train = line.dispatch(now, first, cells, bits);
        if self.has_head[number] {
            return line.keep(train);
        }
        self.has_head[number] = true;
        self.next_arrival = self.next_arrival.min(train.arrival.time);
        let cell_time = line.cell_time();
        let has_rate_of_port = cell_time == self.cell_time;
        self.add(Head { line: number, cell_time, has_rate_of_port, cells, train });
    }

    /// A packet is next on its line.
    #[inline]
    fn add(&mut self, head: Head) {
        if self.heads.len() < FEW {
            self.heads.push(head);
        } else {
            self.add_later(head);
        }
    }

    #[inline(never)]
    fn add_later(&mut self, head: Head) {
        let place = self.later.as_slice().partition_point(|other| other.train.arrival.time <= head.train.arrival.time);
        self.later.insert(place, head);
    }

    /// The first arrival among the heads that are not examined.
    #[inline]
    fn next_later(&self) -> Time {
        self.later.front().map_or(Time::NEVER, |head| head.train.arrival.time)
    }

    /// Examines all heads that arrive before `until`.
    #[inline]
    fn look_until(&mut self, until: Time) {
        while self.next_later() < until {
            self.heads.extend(self.later.pop_front());
        }
    }

    /// Serves a port in batches, as far as possible, until `horizon`.
    pub fn advance_by_rounds<O: Observer>(&mut self, horizon: Time, served: &mut Served<'_, O, Port<RoundQueue>>) {
        self.done = horizon;
        while self.next_arrival.min(self.next_service) < horizon {
            if served.port.takes_rounds() {
                match self.serve_rounds(horizon, served) {
                    Slots::Served => continue,
                    Slots::Contested(most) => {
                        self.serve_contested(most, served);
                        continue;
                    }
                    Slots::Unlike => {}
                }
            }
            self.step(horizon, served);
        }
        self.known = self.done.max(served.port.end_of_queue());
        served.port.take_off_sent(MANY);
    }

    /// Serves a port slot by slot until `horizon`.
    pub fn advance_by_slots<O: Observer>(&mut self, horizon: Time, served: &mut Served<'_, O, Port<Queue>>) {
        self.done = horizon;
        while self.next_arrival.min(self.next_service) < horizon {
            self.step(horizon, served);
        }
        self.known = self.done;
    }

    /// Takes the cells that arrive before the next service, or serves the port, whichever is first.
    #[inline]
    fn step<O: Observer, Q: PortQueue>(&mut self, horizon: Time, served: &mut Served<'_, O, Port<Q>>)
    where
        Port<Q>: SlotService,
    {
        if self.next_arrival < self.next_service {
            if served.port.state().is_idle() {
                self.begin(served);
            }
            self.gather(self.next_service.min(horizon), served);
        } else {
            self.serve(self.next_service, served);
        }
    }

    /// The port was idle, and the first cell of a busy period arrives.
    fn begin<O: Observer, Q: PortQueue>(&mut self, served: &mut Served<'_, O, Port<Q>>)
    where
        Port<Q>: SlotService,
    {
        self.look_until(Time(self.next_arrival.0 + 1));
        let first = self.heads.iter().enumerate().min_by_key(|(_, head)| head.train.arrival.time);
        let index = first.expect("something arrives").0;
        let now = self.heads[index].train.arrival.time;
        let cell = self.take_cell(index, served.links);
        self.next_service =
            served.port.receive(now, cell, served.packets, served.dropped).expect("nothing else is pending");
        served.reports.ledger.bottleneck_will_send(self.next_service);
    }

    /// Takes the cells that arrive before `until`; no slot ends before.
    fn gather<O: Observer, Q: PortQueue>(&mut self, until: Time, served: &mut Served<'_, O, Port<Q>>)
    where
        Port<Q>: SlotService,
    {
        let Served { port, links, packets, dropped, .. } = served;
        self.take_until(until, links, |now, cell| _ = port.receive(now, cell, packets, dropped));
    }

    /// A slot ends: the port sends a cell, or becomes idle.
    #[inline]
    fn serve<O: Observer, Q: PortQueue>(&mut self, now: Time, served: &mut Served<'_, O, Port<Q>>)
    where
        Port<Q>: SlotService,
    {
        let Served { port, links, packets, dropped, reports, .. } = served;
        self.touched.by_service(port.state(), reports);
        let mut behind = Behind { exit: &mut self.exit, line: &mut links[self.line].line };
        self.next_service = reports.next_service(now, port.serve(now, packets, &mut behind, dropped));
        self.services += 1;
        reports.of_service(now, port.state(), CELL_BITS);
        self.touched.tell(now, port, reports);
        served.note_dropped::<Fast>(now);
    }

    /// Takes the cells that arrive before `until`, and calls `show` for each.
    #[inline]
    fn take_until(&mut self, until: Time, links: &mut Links, mut show: impl FnMut(Time, Cell)) {
        let mut next_arrival = Time::NEVER;
        let mut index = 0;
        self.look_until(until);
        while index < self.heads.len() {
            let now = self.heads[index].train.arrival.time;
            if now >= until {
                next_arrival = next_arrival.min(now);
                index += 1;
                continue;
            }
            show(now, self.take_cell(index, links));
            // The next packet of its line may be among those that arrive later, and before.
            self.look_until(until);
        }
        self.next_arrival = next_arrival.min(self.next_later());
    }

    /// Takes the next cell of a head.
    #[inline]
    fn take_cell(&mut self, index: usize, links: &mut Links) -> Cell {
        let head = &mut self.heads[index];
        if head.train.cells > 1 {
            return head.train.take(head.cell_time);
        }
        let cell = head.train.cell;
        self.replace(index, links);
        cell
    }

    /// The packet of a head is over: goes on to the next one of its line. Returns whether that is at the same index now.
    #[inline]
    fn replace(&mut self, index: usize, links: &mut Links) -> bool {
        let is_one_of_few = self.heads.len() <= FEW;
        let head = &mut self.heads[index];
        let line = &mut links[head.line].line;
        line.count_carried(head.cells.into(), 1);
        let next = line.take_train().map(|train| Head { cells: train.cells, train, ..*head });
        match next {
            Some(next) if is_one_of_few => *head = next,
            Some(next) => {
                self.heads.swap_remove(index);
                self.add_later(next);
                return false;
            }
            None => {
                self.has_head[head.line] = false;
                self.heads.swap_remove(index);
                return false;
            }
        }
        true
    }

    /// Takes the next packet that reaches its receiver, by its last cell. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        self.exit.take_last(soon)
    }

    /// Counts the work of lines until `until`.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        for head in &mut self.heads {
            head.count(&mut links[head.line].line);
        }
        let cells = self.exit.settle(until, &mut links[self.line].line);
        Carried { events: cells, delivered: cells }
    }

    /// [Trains](Line::trains) on lines besides those that the lines keep; behind the port last cells only.
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        let heads = self.heads.iter().chain(self.later.iter()).map(|head| (head.line, head.train.description()));
        heads.chain(self.exit.last_cells_before(self.next_service).map(|cell| (self.line, (cell, 1, true))))
    }

    /// Bytes that are allocated for what is under way.
    pub fn memory_bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Head>() + self.later.memory_bytes() + self.exit.memory_bytes()
    }

    /// Cells under way besides those that the lines keep.
    pub fn cells_under_way(&self) -> u64 {
        let heads = self.heads.iter().chain(self.later.iter());
        heads.map(|head| u64::from(head.train.cells)).sum::<u64>() + self.exit.cells_under_way()
    }
}
