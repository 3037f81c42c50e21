//! An output port: a buffer, the policy that guards it, and the line it feeds.

use longfat_foundation::measure::Histogram;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{CellSlots, LineClock, Rate, Time, TransmissionTime};

use super::drop_policy::DropPolicy;
use super::guarded::{Guarded, Queue};
use super::queue_discipline::{ActiveQueue, QueueContext, QueueDiscipline, Waiting};
use super::rounds::RoundQueue;
use super::scheduler::{Scheduler, Turn};
use super::service::Service;
use super::slots::Slots;
use super::vbr::VbrQueue;
use super::{ArrivalOrder, Buffer, BufferContext, Dropped, Occupancy, Outlet, PortCounts, PortStatistics};
use crate::background::Background;
use crate::framing::{Cell, Class, Continuity, PacketId, Packets};

longfat_foundation::section! {
    /// The bottleneck's output port.
    pub struct PortConfig {
        /// K: the number of cells that can wait, besides the one being sent. For packets that travel whole, packets ("20 packets") or, with
        /// a `queue` discipline, their bytes on the line ("150 kB"). Also "0.5 RTT" or "1 BDP" (what the bottleneck carries in a round trip
        /// without queueing, in cells or full packets), or "unlimited".
        pub buffer: Buffer,
        /// Which cells or packets are dropped when the buffer fills.
        pub policy: Chosen<dyn DropPolicy> = "tail-drop",
        /// How waiting packets are managed where packets travel whole: which are dropped or marked before the buffer is full, and which is
        /// sent next. Replaces `policy` and `scheduler`.
        pub queue: Chosen<dyn QueueDiscipline> = "by-policy",
        /// Which service class sends in a slot, if background traffic has a class of its own (V-03, V-04).
        pub scheduler: Chosen<dyn Scheduler> = "fifo",
        /// What the connections are promised (P-01).
        pub service: Chosen<dyn Service> = "ubr",
        /// In which order cells that arrive in one cell slot enter the buffer (S-06). The papers say "no randomization in
        /// any component" and no more. Always the same order lets one connection capture the buffer, which their tables
        /// do not show; a seeded random order comes closest to them, and is what "by-framing" means for cells. Packets that
        /// travel whole know no slots: first come, first served.
        pub arrival_order: ArrivalOrder = "by-framing" or ["rotating", "alternating", "fixed", "first-come-first-served"],
        /// Whether the cell being sent counts as one in the buffer (S-07). Table 1 of UBR+ comes out exactly if not.
        pub counts_cell_in_service: bool = "false" or ["true"],
    }
}

/// What a port does after a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sends, until it is to be served again.
    Sends(Time),
    /// Nobody waits; the time when a VBR cell will, if that is known.
    Rests(Option<Time>),
}

/// A buffer in front of a line.
pub struct Port {
    /// The line it feeds, by number.
    pub line: usize,
    pub(super) buffer: Guarded,
    pub(super) slots: Slots,
    is_slotted: bool,
    cell_slots: CellSlots,
    /// How long each takes.
    pub(super) cell_time: TransmissionTime,
    /// When the next cell may be sent; meaningful while a service is pending.
    pub(super) boundary: LineClock,
    /// The slot that ends at `boundary`.
    pub(super) slot: u64,
    pub(super) service_is_pending: bool,
    pub(super) counts_cell_in_service: bool,
    /// The circuit of the cell in service, if it still counts.
    in_service: Option<usize>,
    /// The UBR cell that was sent last, where cells are told apart.
    latest: Option<Cell>,
    /// The queue of the class VBR, if the scheduler has one.
    vbr: Option<Box<VbrQueue>>,
}

impl Port {
    /// An empty port in front of `line`, which has the rate `rate`.
    #[must_use]
    pub fn new(config: &PortConfig, buffer: &BufferContext, line: usize, rate: Rate, chance: Stream) -> Self {
        let queue = Queue::new(&config.scheduler, buffer);
        let policy = config.policy.build(buffer);
        let vbr = matches!(&queue, Queue::Scheduled(scheduler) if scheduler.has_vbr_queue());
        Self {
            line,
            buffer: Guarded {
                occupancy: Occupancy::new(buffer.capacity, buffer.circuits),
                is_ever_asked: policy.is_ever_asked(),
                policy,
                queue,
                statistics: PortStatistics::default(),
                continuity: None,
            },
            slots: Slots::new(config.arrival_order, buffer.circuits, chance),
            is_slotted: config.arrival_order.is_slotted(),
            cell_slots: CellSlots(rate),
            cell_time: TransmissionTime::of_cell(rate),
            boundary: LineClock::default(),
            slot: 0,
            service_is_pending: false,
            counts_cell_in_service: config.counts_cell_in_service,
            in_service: None,
            latest: None,
            vbr: vbr.then(Box::default),
        }
    }

    /// From now on a queue discipline keeps the packets. Nothing waits yet.
    pub fn manage(&mut self, discipline: &Chosen<dyn QueueDiscipline>, context: &QueueContext) {
        self.buffer.queue = Queue::Managed(Box::new(ActiveQueue::new(discipline.build(context))));
    }

    /// The queue discipline at work, if there is one.
    #[must_use]
    pub fn managed(&self) -> Option<&ActiveQueue> {
        if let Queue::Managed(queue) = &self.buffer.queue { Some(queue) } else { None }
    }

    /// Adds a source of VBR. Gives when to [`serve`](Self::serve) first.
    ///
    /// # Panics
    /// If the scheduler has no queue for it.
    pub fn add_vbr(&mut self, source: Box<dyn Background>) -> Option<Time> {
        self.vbr.as_mut().expect("a checked scenario has a scheduler with classes").add(source);
        self.rest_until_vbr()
    }

    /// What it has seen of UBR, or of all traffic where there are no service classes.
    #[must_use]
    pub fn statistics(&self) -> &PortStatistics {
        &self.buffer.statistics
    }

    /// The queue of the class VBR, if there are classes.
    #[must_use]
    pub fn vbr(&self) -> Option<&VbrQueue> {
        self.vbr.as_deref()
    }

    /// When the transmitter is free again; meaningful while it sends.
    #[must_use]
    pub fn free_at(&self) -> Time {
        match &self.buffer.queue {
            Queue::Booked(queue) => queue.first().map_or(self.boundary.time, |next| next.begins),
            _ => self.boundary.time,
        }
    }

    /// The class whose cell is being sent, if any is.
    #[must_use]
    pub fn sends(&self) -> Option<Class> {
        let served = self.vbr.as_ref().map_or(Some(Class::Ubr), |vbr| vbr.last_served);
        served.filter(|_| self.service_is_pending)
    }

    /// Names circuits, each perhaps several times: no other's share of the buffer changes by the service that comes next, but that of
    /// the cell which is sent.
    #[inline]
    pub fn touched_by_service(&self, circuits: &mut Vec<usize>) {
        circuits.extend(self.in_service);
        circuits.extend(self.slots.waiting().iter().map(|cell| cell.circuit()));
    }

    /// The UBR cell that was sent last.
    #[must_use]
    #[inline]
    pub fn latest(&self) -> Option<Cell> {
        match &self.buffer.queue {
            Queue::ByRounds(queue) => queue.latest(&self.slots),
            Queue::Booked(queue) => queue.latest,
            Queue::Fifo(_) | Queue::Scheduled(_) | Queue::Managed(_) => self.latest,
        }
    }

    /// Shows the UBR cells that wait, those of each circuit in the order in which they will be sent: cells of one packet in a row,
    /// by the first of them, with their number and whether the packet ends with them.
    pub fn visit_cells(&self, mut visit: impl FnMut(Cell, u64, bool)) {
        match &self.buffer.queue {
            Queue::Fifo(queue) => queue.visit(&mut |cell| visit(cell, 1, cell.is_last())),
            Queue::ByRounds(queue) => queue.visit(&self.slots, &mut visit),
            Queue::Booked(queue) => queue.visit(&mut |cell| visit(cell, 1, cell.is_last())),
            Queue::Scheduled(scheduler) => scheduler.visit(&mut |cell| visit(cell, 1, cell.is_last())),
            Queue::Managed(queue) => queue.visit(&mut |cell| visit(cell, 1, cell.is_last())),
        }
        self.slots.waiting().iter().for_each(|&cell| visit(cell, 1, cell.is_last()));
    }

    /// Counts a packet that has lost its first cell here.
    pub fn count_dropped_packet(&mut self) {
        self.buffer.statistics.packets_dropped += 1;
    }

    /// Whether nothing is being sent.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.service_is_pending
    }

    /// From now on sees to it which packets arrive whole, and lets in whole rounds where there is one queue. Nothing waits yet.
    pub fn follow(&mut self, continuity: Continuity) {
        self.buffer.continuity = Some(continuity);
        if matches!(self.buffer.queue, Queue::Fifo(_)) && !self.counts_cell_in_service {
            self.buffer.queue = Queue::ByRounds(RoundQueue::default());
        }
    }

    /// Packets that a receiver will take for a continuation of others, since the last time this was asked.
    #[inline]
    pub fn take_spoiled(&mut self) -> impl Iterator<Item = PacketId> {
        self.buffer.continuity.iter_mut().flat_map(Continuity::take_spoiled)
    }

    /// UBR cells that wait, those of the slot that is not over yet included.
    #[must_use]
    pub fn cells_held(&self) -> u64 {
        self.buffer.queue.len() + self.slots.len()
    }

    /// Whether cells are admitted at the end of the slot in which they arrive, and not at once.
    #[must_use]
    pub fn is_slotted(&self) -> bool {
        self.is_slotted
    }

    /// UBR cells in the buffer, as the drop policy counts them.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        &self.buffer.occupancy
    }

    /// What it has counted until `now`, before which everything has happened.
    #[must_use]
    pub fn counts(&self, now: Time) -> PortCounts {
        self.counts_with(
            self.buffer.statistics.until(self.buffer.occupancy.total(), now),
            self.vbr.as_ref().map(|vbr| vbr.statistics_until(now)),
        )
    }

    /// The same, and from now on the most cells and how long packets wait are counted anew.
    pub fn count_anew(&mut self, now: Time) -> PortCounts {
        let ubr = self.buffer.statistics.count_anew(self.buffer.occupancy.total(), now);
        let vbr = self.vbr.as_mut().map(|vbr| vbr.count_anew(now));
        if let Queue::Managed(queue) = &mut self.buffer.queue {
            queue.delays = Histogram::default();
        }
        self.counts_with(ubr, vbr)
    }

    fn counts_with(&self, ubr: PortStatistics, vbr: Option<PortStatistics>) -> PortCounts {
        let queue = self.managed();
        PortCounts {
            ubr,
            vbr,
            packets_marked: queue.map_or(0, |queue| queue.packets_marked),
            acknowledgments_superseded: queue.map_or(0, |queue| queue.acknowledgments_superseded),
        }
    }

    /// Takes a cell that arrives at `now`. Gives when to [`serve`](Self::serve), if nothing was pending.
    #[inline(always)]
    pub fn receive(&mut self, now: Time, cell: Cell, dropped: &mut Vec<Dropped>) -> Option<Time> {
        self.buffer.statistics.cells_in += 1;
        if self.is_slotted {
            self.slots.push(cell);
            if self.service_is_pending {
                return None;
            }
        } else {
            self.integrate(now);
            self.buffer.admit(cell, dropped);
            if self.service_is_pending || self.buffer.queue.len() == 0 {
                return None;
            }
        }
        self.begin_service(now)
    }

    /// Takes a packet, one of those under way, that arrives at a queue discipline. Gives when to [`serve`](Self::serve), if nothing
    /// was pending.
    pub fn receive_managed(
        &mut self,
        now: Time,
        cell: Cell,
        packets: &Packets,
        dropped: &mut Vec<Dropped>,
    ) -> Option<Time> {
        let bytes = packets.get(cell.packet).bits / 8;
        self.buffer.statistics.cells_in += 1;
        self.integrate(now);
        self.buffer.enqueue_managed(Waiting::new(cell, bytes, now), packets, dropped);
        if self.service_is_pending || self.buffer.queue.len() == 0 {
            return None;
        }
        self.begin_service(now)
    }

    /// What is being sent takes until `free`, so far as that is known.
    pub fn sends_until(&mut self, free: LineClock) {
        self.boundary = free;
    }

    /// Nothing is pending, so the line has sent all it was given.
    #[inline(always)]
    fn begin_service(&mut self, now: Time) -> Option<Time> {
        self.stand_before_service(now);
        self.service_is_pending = true;
        Some(self.boundary.time)
    }

    /// Ends a slot: admits the cells that arrived in it and sends the head of the queue.
    pub fn serve(&mut self, now: Time, outlet: &mut impl Outlet, dropped: &mut Vec<Dropped>) -> Next {
        self.integrate(now);
        if let Queue::ByRounds(_) = self.buffer.queue {
            self.settle_before(self.slots.begins_packet(), self.slots.len());
        }
        if self.is_slotted {
            if !self.slots.is_empty() {
                self.admit_slot(outlet, dropped);
            }
            self.slot += 1;
        }
        if let Some(circuit) = self.in_service.take() {
            self.buffer.occupancy.remove(circuit);
        }
        match &mut self.buffer.queue {
            Queue::Fifo(queue) => {
                let cell = queue.pop();
                self.send(cell, outlet)
            }
            Queue::ByRounds(_) => self.serve_one_of_rounds(outlet),
            Queue::Booked(_) => unreachable!("what is booked is sent at its time"),
            Queue::Scheduled(_) => self.serve_classes(now, outlet),
            Queue::Managed(_) => {
                let cell = self.buffer.dequeue_managed(now, dropped);
                self.send(cell, outlet)
            }
        }
    }

    /// Admits the cells that arrived in the slot that ends.
    #[inline]
    fn admit_slot(&mut self, outlet: &mut impl Outlet, dropped: &mut Vec<Dropped>) {
        for &cell in self.slots.close(self.slot) {
            let is_in = self.buffer.admit(cell, dropped);
            if is_in
                && cell.is_last()
                && let Queue::ByRounds(queue) = &self.buffer.queue
            {
                outlet.note_last_at(self.boundary, queue.len() - 1, cell);
            }
        }
        self.slots.clear();
    }

    #[inline]
    pub(super) fn integrate(&mut self, now: Time) {
        self.buffer.statistics.integrate(self.buffer.occupancy.total(), now);
    }

    /// Hands a cell to the line, if there is one.
    // Always: every cell of a run passes here, and one caller is far busier than the other.
    #[inline(always)]
    fn send(&mut self, cell: Option<Cell>, outlet: &mut impl Outlet) -> Next {
        self.service_is_pending = cell.is_some();
        let Some(cell) = cell else { return Next::Rests(None) };
        self.latest = Some(cell);
        self.boundary = outlet.send_cell_at(self.boundary, cell);
        self.buffer.statistics.cells_out += 1;
        if self.counts_cell_in_service {
            self.in_service = Some(cell.circuit());
        } else {
            self.buffer.occupancy.remove(cell.circuit());
        }
        Next::Sends(self.boundary.time)
    }

    /// Lets the scheduler decide who sends.
    #[inline(never)]
    fn serve_classes(&mut self, now: Time, outlet: &mut impl Outlet) -> Next {
        let Queue::Scheduled(scheduler) = &mut self.buffer.queue else { return Next::Rests(None) };
        let vbr_waits = self.vbr.as_mut().is_some_and(|vbr| vbr.gather(now, self.is_slotted));
        match scheduler.dequeue(vbr_waits) {
            Some(Turn::Ubr(cell)) => {
                self.vbr.iter_mut().for_each(|vbr| vbr.last_served = Some(Class::Ubr));
                self.send(Some(cell), outlet)
            }
            Some(Turn::Vbr) => {
                self.vbr.as_mut().expect("it has a cell that waits").take();
                self.service_is_pending = true;
                self.boundary = outlet.send_anonymous_cell_at(self.boundary);
                Next::Sends(self.boundary.time)
            }
            Some(Turn::Unused) => {
                self.vbr.iter_mut().for_each(|vbr| vbr.last_served = None);
                self.service_is_pending = true;
                self.boundary = outlet.pass_slot_at(self.boundary);
                Next::Rests(Some(self.boundary.time))
            }
            None => {
                self.service_is_pending = false;
                Next::Rests(self.rest_until_vbr())
            }
        }
    }

    /// Nobody waits: gives when the next VBR cell is to be served. A UBR cell may come earlier.
    fn rest_until_vbr(&mut self) -> Option<Time> {
        let arrival = self.vbr.as_ref()?.next_arrival()?;
        self.stand_before_service(arrival);
        Some(self.boundary.time)
    }

    /// The line is idle and a cell arrives at `now`: it is served when its slot ends, or at once.
    #[inline]
    fn stand_before_service(&mut self, now: Time) {
        if self.is_slotted {
            self.slot = self.cell_slots.slot_of(now);
            self.boundary = self.cell_slots.boundary(self.slot + 1);
        } else {
            self.boundary = LineClock::at(now);
        }
    }
}
