//! Service cell by cell: each cell, or packet that travels whole, is taken from the queue when its transmission begins.

use longfat_foundation::config::Parameter;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Time, TransmissionTime};

use super::buffered::Buffered;
use super::queue_discipline::{ActiveQueue, QueueContext, Waiting};
use super::scheduler::{FifoQueue, Scheduler, Turn};
use super::{BufferContext, DisciplineCounts, Dropped, Next, Outlet, Port, PortConfig, PortQueue, PortState};
use crate::background::Background;
use crate::framing::{Cell, Class, Packets};
use crate::link::Terminals;

/// The UBR cells that wait.
pub enum Queue {
    /// In one queue without service classes: nearly every run, and so without a virtual call.
    Fifo(FifoQueue),
    /// As a scheduler keeps them.
    Scheduled(Box<dyn Scheduler>),
    /// As a queue discipline keeps them: packets.
    Managed(Box<ActiveQueue>),
}

impl PortQueue for Queue {
    #[inline]
    fn len(&self) -> u64 {
        match self {
            Self::Fifo(queue) => queue.len() as u64,
            Self::Scheduled(scheduler) => scheduler.len() as u64,
            Self::Managed(queue) => queue.len() as u64,
        }
    }

    fn bytes_of_each(&self) -> usize {
        if let Self::Managed(_) = self { size_of::<Waiting>() } else { size_of::<Cell>() }
    }

    fn visit(&self, _state: &PortState, visit: &mut dyn FnMut(Cell, u64, bool)) {
        let visit = &mut |cell: Cell| visit(cell, 1, cell.is_last());
        match self {
            Self::Fifo(queue) => queue.visit(visit),
            Self::Scheduled(scheduler) => scheduler.visit(visit),
            Self::Managed(queue) => queue.visit(visit),
        }
    }

    fn discipline_counts(&self) -> Option<DisciplineCounts<'_>> {
        if let Self::Managed(queue) = self { Some(queue.counts()) } else { None }
    }

    fn count_anew(&mut self) {
        if let Self::Managed(queue) = self {
            queue.count_anew();
        }
    }
}

impl Queue {
    fn new(config: &PortConfig, buffer: &BufferContext, context: impl FnOnce() -> QueueContext) -> Self {
        if !config.queue.is_absent() {
            Self::Managed(Box::new(ActiveQueue::new(config.queue.build(&context()))))
        } else if config.scheduler.is_absent() {
            Self::Fifo(FifoQueue::default())
        } else {
            Self::Scheduled(config.scheduler.build(buffer))
        }
    }

    /// Queues a cell that arrives, or adds it to `dropped`; a queue discipline may drop others for it.
    // Always: every cell passes here.
    #[inline(always)]
    fn admit(&mut self, now: Time, cell: Cell, buffer: &mut Buffered, packets: &Packets, dropped: &mut Vec<Dropped>) {
        match self {
            Self::Fifo(queue) => {
                if buffer.admits(cell, dropped) {
                    queue.push(cell);
                }
            }
            Self::Scheduled(scheduler) => {
                if buffer.admits(cell, dropped) {
                    scheduler.enqueue(cell);
                }
            }
            Self::Managed(queue) => enqueue(queue, now, cell, buffer, packets, dropped),
        }
    }
}

/// Hands a packet that arrives to a queue discipline, which may drop it or others for it.
#[inline(never)]
pub(super) fn enqueue(
    queue: &mut ActiveQueue,
    now: Time,
    cell: Cell,
    buffer: &mut Buffered,
    packets: &Packets,
    dropped: &mut Vec<Dropped>,
) {
    let before = dropped.len();
    buffer.occupancy.add(cell.circuit());
    queue.enqueue(Waiting::new(cell, packets.get(cell.packet).bits / 8, now), packets, dropped);
    buffer.count_out(&dropped[before..]);
    buffer.note_peak();
}

impl Port<Queue> {
    /// An idle port in front of `line`, on which a cell takes `cell_time`. The `context` is that of its queue discipline, if it has one.
    #[must_use]
    pub fn new(
        config: &PortConfig,
        buffer: &BufferContext,
        context: impl FnOnce() -> QueueContext,
        line: usize,
        cell_time: TransmissionTime,
        chance: Stream,
    ) -> Self {
        let queue = Queue::new(config, buffer, context);
        let has_vbr_queue = matches!(&queue, Queue::Scheduled(scheduler) if scheduler.has_vbr_queue());
        let mut state = PortState::new(config, buffer, line, cell_time, chance);
        state.vbr = has_vbr_queue.then(Box::default);
        Self { state, queue }
    }

    /// Adds a source of VBR. Returns when to [`serve`](Self::serve) first.
    ///
    /// # Panics
    /// If the scheduler has no queue for it.
    pub fn add_vbr(&mut self, source: Box<dyn Background>) -> Option<Time> {
        self.state.vbr.as_mut().expect("a checked scenario has a scheduler with classes").add(source);
        self.rest_until_vbr()
    }

    /// Tells the queue discipline that `terminals` share the line.
    pub fn know_terminals(&mut self, terminals: &Terminals) {
        if let Queue::Managed(queue) = &mut self.queue {
            queue.know_terminals(terminals);
        }
    }

    /// True if the port has a single FIFO queue that does not count the cell in service. Such a port may be served in batches, or ahead
    /// of the end systems.
    #[must_use]
    pub fn is_plain_fifo(&self) -> bool {
        let is_fifo = matches!(self.queue, Queue::Fifo(_)) || self.decides_on_arrival();
        is_fifo && !self.state.counts_cell_in_service
    }

    /// Whether a queue discipline keeps the packets that may drop or mark them after their arrival, or change their order.
    #[must_use]
    pub fn decides_later(&self) -> bool {
        matches!(self.queue, Queue::Managed(_)) && !self.decides_on_arrival()
    }

    fn decides_on_arrival(&self) -> bool {
        matches!(&self.queue, Queue::Managed(queue) if queue.decides_on_arrival())
    }

    /// Takes a cell that arrives at `now`. Returns when to [`serve`](Self::serve) the port, if no service was pending.
    #[inline(always)]
    pub fn receive(&mut self, now: Time, cell: Cell, packets: &Packets, dropped: &mut Vec<Dropped>) -> Option<Time> {
        let Self { state, queue } = self;
        if state.is_slotted {
            return state.receive_in_slot(now, cell);
        }
        state.buffer.statistics.cells_in += 1;
        state.integrate(now);
        queue.admit(now, cell, &mut state.buffer, packets, dropped);
        if state.service_is_pending || queue.is_empty() { None } else { Some(state.begin_service(now)) }
    }

    /// Ends a slot: admits the cells that arrived in it and sends the head of the queue.
    pub fn serve(
        &mut self,
        now: Time,
        packets: &Packets,
        outlet: &mut impl Outlet,
        dropped: &mut Vec<Dropped>,
    ) -> Next {
        let Self { state, queue } = self;
        state.integrate(now);
        if state.is_slotted {
            if !state.slots.is_empty() {
                for &cell in state.slots.close(state.slot) {
                    queue.admit(now, cell, &mut state.buffer, packets, dropped);
                }
                state.slots.clear();
            }
            state.slot += 1;
        }
        if let Some(circuit) = state.in_service.take() {
            state.buffer.occupancy.remove(circuit);
        }
        match queue {
            Queue::Fifo(queue) => state.send(queue.pop(), outlet),
            Queue::Scheduled(_) => self.serve_classes(now, outlet),
            Queue::Managed(queue) => {
                let before = dropped.len();
                let cell = queue.dequeue(now, dropped);
                state.buffer.count_out(&dropped[before..]);
                state.send(cell, outlet)
            }
        }
    }

    /// Lets the scheduler decide which class sends.
    #[inline(never)]
    fn serve_classes(&mut self, now: Time, outlet: &mut impl Outlet) -> Next {
        let Self { state, queue: Queue::Scheduled(scheduler) } = self else { return Next::Rests(None) };
        let vbr_waits = state.vbr.as_mut().is_some_and(|vbr| vbr.gather(now, state.is_slotted));
        match scheduler.dequeue(vbr_waits) {
            Some(Turn::Ubr(cell)) => {
                state.vbr.iter_mut().for_each(|vbr| vbr.last_served = Some(Class::Ubr));
                state.send(Some(cell), outlet)
            }
            Some(Turn::Vbr) => {
                state.vbr.as_mut().expect("it has a cell that waits").take();
                state.service_is_pending = true;
                state.boundary = outlet.send_anonymous_cell_at(state.boundary);
                Next::Sends(state.boundary.time)
            }
            Some(Turn::Unused) => {
                state.vbr.iter_mut().for_each(|vbr| vbr.last_served = None);
                state.service_is_pending = true;
                state.boundary = outlet.pass_slot_at(state.boundary);
                Next::Rests(Some(state.boundary.time))
            }
            None => {
                state.service_is_pending = false;
                Next::Rests(self.rest_until_vbr())
            }
        }
    }

    /// Nothing waits: returns when the next VBR cell is to be served. A UBR cell may come earlier.
    fn rest_until_vbr(&mut self) -> Option<Time> {
        let arrival = self.state.vbr.as_ref()?.next_arrival()?;
        self.state.stand_before_service(arrival);
        Some(self.state.boundary.time)
    }
}

impl PortState {
    /// Hands a cell to the line, if there is one.
    // Always: every cell of a run passes here, and one caller is far busier than the others.
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
}
