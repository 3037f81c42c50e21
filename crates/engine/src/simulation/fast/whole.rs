//! Packets that travel whole, on their way to the bottleneck's port, which admits them in order of arrival, and through it.

use longfat_foundation::units::{LineClock, Span, Time};
use longfat_network::framing::{Cell, Packets};
use longfat_network::switch::{Begun, Booked, BookedQueue, Outlet, Port, Queue};

use super::arrivals::{Arrivals, CountedAhead};
use super::fan::Fan;
use super::order::{Moment, Tie};
use super::shares::Touched;
use super::{Carried, Fast, Path};
use crate::observer::Observer;
use crate::simulation::network::{Link, Links, Served};

/// The port and the lines before and behind it.
pub(super) struct Whole {
    line: usize,
    arrivals: Arrivals<Cell>,
    ahead: CountedAhead,
    next_service: Time,
    /// The port is simulated up to this time.
    done: Time,
    latency_behind: Span,
    fan: Fan,
    /// Packets that cross the line from then on wait at the port, with their transmissions known.
    sent_before: Time,
    touched: Touched,
    /// Services of the port.
    pub services: u64,
}

impl Whole {
    /// An idle port in front of the common line of `path`.
    pub fn new(path: &Path, lines_behind: Vec<u32>) -> Self {
        Self {
            line: path.line,
            arrivals: Arrivals::new(),
            ahead: CountedAhead::default(),
            next_service: Time::NEVER,
            done: Time::ZERO,
            latency_behind: path.latency_behind,
            fan: Fan::new(path.line, lines_behind),
            sent_before: Time::NEVER,
            touched: Touched::default(),
            services: 0,
        }
    }

    /// A sender hands a packet of `bits` bits to the line with that number.
    #[inline(always)]
    pub fn send(&mut self, now: Time, number: usize, link: &mut Link, packet: Cell, bits: u64) -> Result<(), Tie> {
        link.line.count_carried(1, 1);
        let arrival = link.line.send_whole(now, bits);
        self.arrivals.send(now, number, &mut link.latest, packet, arrival, arrival)
    }

    /// The next arrival at a receiver, of packets that have left the port.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.fan.next_time()
    }

    /// The next arrival, with the time at which the event driver would have scheduled it.
    pub fn next(&self) -> Moment {
        self.fan.next()
    }

    /// A lower bound of the arrival at a receiver of any packet that has not reached the port yet; never, if none does before `until`.
    #[inline]
    pub fn bound(&self, until: Time) -> Time {
        if self.done < until { self.done + self.latency_behind } else { Time::NEVER }
    }

    /// Serves a port in advance up to `horizon`: each packet is handled once, when it arrives.
    ///
    /// # Errors
    /// If the order of two packets of one instant is not known.
    pub fn advance_booked<O: Observer>(
        &mut self,
        horizon: Time,
        served: &mut Served<'_, O, Port<BookedQueue>>,
    ) -> Result<(), Tie> {
        self.done = horizon;
        while let Some(coming) = self.arrivals.take(horizon, |soon| served.packets.read_soon(soon.packet)) {
            let (now, packet) = (coming.time(), coming.load);
            // Of the events of one instant services are first.
            self.begin_before(Time(now.0 + 1), served);
            let was_idle = served.port.state().is_idle();
            let Some(begins) = served.port.receive(now, packet, served.packets, served.dropped) else {
                served.note_dropped::<Fast>(now);
                continue;
            };
            if was_idle {
                served.reports.ledger.bottleneck_will_send(now);
            }
            let bits = served.packets.get(packet.packet).bits;
            let (crosses, free) = served.links[self.line].line.book_whole_at(begins, bits);
            self.fan.pass(crosses, packet, bits, served.links);
            served.port.book(Booked { begins: begins.time, crosses, packet, bits }, free);
        }
        self.begin_last(horizon, served);
        self.sent_before = served.port.next_crosses();
        self.fan.check()
    }

    /// [`begin_before`](Self::begin_before), out of line.
    #[inline(never)]
    fn begin_last<O: Observer>(&mut self, until: Time, served: &mut Served<'_, O, Port<BookedQueue>>) {
        self.begin_before(until, served);
    }

    /// Begins the transmissions of the port before `until`.
    #[inline(always)]
    fn begin_before<O: Observer>(&mut self, until: Time, served: &mut Served<'_, O, Port<BookedQueue>>) {
        let Begun { services, bits, rests } = served.port.begin_before(until);
        self.services += services;
        served.links[self.line].line.count_whole(bits);
        if let Some(time) = rests {
            served.reports.ledger.bottleneck_rests(time, None);
        }
    }

    /// Serves a port packet by packet up to `horizon`.
    ///
    /// # Errors
    /// If the order of two packets of one instant is not known.
    pub fn advance<O: Observer>(&mut self, horizon: Time, served: &mut Served<'_, O, Port<Queue>>) -> Result<(), Tie> {
        self.done = horizon;
        loop {
            // Of the events of one instant services are first.
            while let Some(coming) = self.arrivals.take(horizon.min(self.next_service), |_| ()) {
                self.let_in(coming.time(), coming.load, served);
            }
            if self.next_service >= horizon {
                return self.fan.check();
            }
            self.serve(self.next_service, served);
        }
    }

    /// A packet reaches the port.
    #[inline]
    fn let_in<O: Observer>(&mut self, now: Time, packet: Cell, served: &mut Served<'_, O, Port<Queue>>) {
        let Served { port, packets, dropped, reports, .. } = served;
        if let Some(time) = port.receive(now, packet, packets, dropped) {
            self.next_service = time;
            reports.ledger.bottleneck_will_send(time);
        }
        reports.of_port(now, port.state());
        reports.observer.shares_changed(now, reports.port, port.state(), Some(&[packet.circuit()]));
        served.note_dropped::<Fast>(now);
    }

    /// The port sends a packet, or becomes idle.
    #[inline]
    fn serve<O: Observer>(&mut self, now: Time, served: &mut Served<'_, O, Port<Queue>>) {
        let Served { port, links, packets, dropped, reports, .. } = served;
        self.services += 1;
        self.touched.by_service(port.state(), reports);
        let before = links[self.line].line.bits_whole();
        let mut outlet = WholeOutlet { line: self.line, fan: &mut self.fan, links, packets };
        self.next_service = reports.next_service(now, port.serve(now, packets, &mut outlet, dropped));
        reports.of_service(now, port.state(), links[self.line].line.bits_since(before));
        self.touched.tell(now, port, reports);
        served.note_dropped::<Fast>(now);
    }

    /// [`Fan::next_follows`].
    pub fn next_follows(&self, links: &Links) -> Option<u64> {
        self.fan.next_follows(links)
    }

    /// Takes the next packet that reaches its receiver. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, number: u64, links: &mut Links, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        self.fan.take(number, links, soon)
    }

    /// Counts the work of lines until `until`.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        self.ahead.take_back(&self.arrivals, links);
        self.fan.settle(until, links)
    }

    /// [Trains](longfat_network::link::Line::trains) on the lines, of each line in order.
    pub fn trains(&self) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.arrivals.trains().chain(self.fan.trains_before(self.sent_before))
    }

    /// Bytes that are allocated for what is under way.
    pub fn memory_bytes(&self) -> usize {
        self.arrivals.memory_bytes() + self.ahead.memory_bytes() + self.fan.memory_bytes()
    }

    /// Packets under way.
    pub fn cells_under_way(&self) -> u64 {
        self.arrivals.cells_under_way() + self.fan.passed_before(self.sent_before)
    }
}

/// The common line and the lines behind it.
struct WholeOutlet<'a> {
    line: usize,
    fan: &'a mut Fan,
    links: &'a mut Links,
    packets: &'a Packets,
}

impl Outlet for WholeOutlet<'_> {
    #[inline(always)]
    fn send_cell_at(&mut self, clock: LineClock, cell: Cell) -> LineClock {
        let bits = self.packets.get(cell.packet).bits;
        let (crosses, free) = self.links[self.line].line.send_whole_at(clock, bits);
        self.fan.pass(crosses, cell, bits, self.links);
        free
    }

    fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock {
        self.links[self.line].line.send_anonymous_cell_at(clock)
    }

    fn pass_slot_at(&mut self, clock: LineClock) -> LineClock {
        self.links[self.line].line.pass_slot_at(clock)
    }
}
