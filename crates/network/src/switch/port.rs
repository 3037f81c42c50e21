//! An output port: a buffer, the drop policy that guards it, and the line it feeds.
//!
//! A [`Port`] is a [`PortState`], which is common to all ports, and a [`PortQueue`], which keeps the waiting cells and decides how they
//! are served: cell by cell (`queue`), in whole rounds (`rounds`), or in advance (`booked`).

use longfat_foundation::random::Stream;
use longfat_foundation::units::{CellSlots, LineClock, Time, TransmissionTime};

use super::buffered::Buffered;
use super::slots::Slots;
use super::vbr::VbrQueue;
use super::{BufferContext, DisciplineCounts, Occupancy, PortConfig, PortCounts, PortStatistics};
use crate::framing::{Cell, Class, Continuity, PacketId};

/// The state of a port after a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sends until then, when it must be served again.
    Sends(Time),
    /// Nothing waits; the time when a VBR cell will, if that is known.
    Rests(Option<Time>),
}

/// The cells that wait at a port, in the order and by the means of its service.
pub trait PortQueue {
    /// UBR cells that wait.
    fn len(&self) -> u64;
    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes that are kept for each of them, nearly.
    fn bytes_of_each(&self) -> usize {
        size_of::<Cell>()
    }
    /// Calls `visit` for the UBR cells that wait, those of each circuit in the order in which they will be sent: cells of one packet in
    /// a row, by the first of them, with their number and whether the packet ends with them.
    fn visit(&self, state: &PortState, visit: &mut dyn FnMut(Cell, u64, bool));
    /// The UBR cell that was sent last.
    fn latest(&self, state: &PortState) -> Option<Cell> {
        state.latest
    }
    /// When the transmitter is free again; meaningful while it sends.
    fn free_at(&self, state: &PortState) -> Time {
        state.boundary.time
    }
    /// Counts of the queue discipline, if there is one.
    fn discipline_counts(&self) -> Option<DisciplineCounts<'_>> {
        None
    }
    /// Empties the distribution of waiting times.
    fn count_anew(&mut self) {}
    /// Brings the occupancy of the buffer by circuit up to date.
    fn settle(&mut self, _state: &mut PortState) {}
}

/// A port whose cells wait in a queue of the kind `Q`.
pub struct Port<Q: ?Sized> {
    pub(super) state: PortState,
    pub(super) queue: Q,
}

/// The part of a port that does not depend on how it is served.
pub struct PortState {
    /// The line it feeds, by number.
    pub line: usize,
    pub(super) buffer: Buffered,
    pub(super) slots: Slots,
    pub(super) is_slotted: bool,
    cell_slots: CellSlots,
    /// Length of a slot: the transmission time of a cell.
    pub(super) cell_time: TransmissionTime,
    /// When the next cell may be sent; meaningful while a service is pending.
    pub(super) boundary: LineClock,
    /// Number of the slot that ends at `boundary`.
    pub(super) slot: u64,
    pub(super) service_is_pending: bool,
    pub(super) counts_cell_in_service: bool,
    /// The circuit of the cell in service, if it still counts.
    pub(super) in_service: Option<usize>,
    /// The UBR cell that was sent last, where cells are told apart.
    pub(super) latest: Option<Cell>,
    /// The queue of the class VBR, if the scheduler has one.
    pub(super) vbr: Option<Box<VbrQueue>>,
}

impl PortState {
    /// Of an idle port in front of `line`, on which a cell takes `cell_time`.
    pub(super) fn new(
        config: &PortConfig,
        buffer: &BufferContext,
        line: usize,
        cell_time: TransmissionTime,
        chance: Stream,
    ) -> Self {
        let policy = config.policy.build(buffer);
        Self {
            line,
            buffer: Buffered {
                occupancy: Occupancy::new(buffer.capacity, buffer.circuits),
                is_ever_asked: policy.is_ever_asked(),
                policy,
                statistics: PortStatistics::default(),
                continuity: None,
            },
            slots: Slots::new(config.arrival_order, buffer.circuits, chance),
            is_slotted: config.arrival_order.is_slotted(),
            cell_slots: CellSlots(cell_time),
            cell_time,
            boundary: LineClock::default(),
            slot: 0,
            service_is_pending: false,
            counts_cell_in_service: config.counts_cell_in_service,
            in_service: None,
            latest: None,
            vbr: None,
        }
    }

    /// Counts of UBR, or of all traffic where there are no service classes.
    #[must_use]
    pub fn statistics(&self) -> &PortStatistics {
        &self.buffer.statistics
    }

    /// The queue of the class VBR, if there are classes.
    #[must_use]
    pub fn vbr(&self) -> Option<&VbrQueue> {
        self.vbr.as_deref()
    }

    /// The class whose cell is being sent, if any is.
    #[must_use]
    pub fn sends(&self) -> Option<Class> {
        let served = self.vbr.as_ref().map_or(Some(Class::Ubr), |vbr| vbr.last_served);
        served.filter(|_| self.service_is_pending)
    }

    /// Whether nothing is being sent.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.service_is_pending
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

    /// When the next cell may be sent; meaningful while one is being sent.
    #[must_use]
    #[inline]
    pub fn boundary(&self) -> LineClock {
        self.boundary
    }

    /// Adds to `circuits` those whose occupancy the next service may change, but for the circuit of the cell that is sent; may add
    /// duplicates.
    #[inline]
    pub fn touched_by_service(&self, circuits: &mut Vec<usize>) {
        circuits.extend(self.in_service);
        circuits.extend(self.slots.waiting().iter().map(|cell| cell.circuit()));
    }

    /// Counts a packet that has lost its first cell here.
    pub fn count_dropped_packet(&mut self) {
        self.buffer.statistics.packets_dropped += 1;
    }

    /// Follows which packets arrive whole, from the first cell on.
    pub fn follow(&mut self, continuity: Continuity) {
        self.buffer.continuity = Some(continuity);
    }

    /// Packets that a receiver takes for a continuation of others, since the last call.
    #[inline]
    pub fn take_spoiled(&mut self) -> impl Iterator<Item = PacketId> {
        self.buffer.continuity.iter_mut().flat_map(Continuity::take_spoiled)
    }

    /// The transmission of the packet in service ends at `free`, as far as that is known.
    pub fn sends_until(&mut self, free: LineClock) {
        self.boundary = free;
    }

    #[inline]
    pub(super) fn integrate(&mut self, now: Time) {
        self.buffer.statistics.integrate(self.buffer.occupancy.total(), now);
    }

    /// Counts a cell that arrives in a slot, at whose end it will be admitted or dropped. Returns when to serve the port, if no service
    /// was pending.
    #[inline(always)]
    pub(super) fn receive_in_slot(&mut self, now: Time, cell: Cell) -> Option<Time> {
        self.buffer.statistics.cells_in += 1;
        self.slots.push(cell);
        if self.service_is_pending { None } else { Some(self.begin_service(now)) }
    }

    /// The line is idle, and a cell has arrived at `now`. Returns when to serve the port.
    #[inline(always)]
    pub(super) fn begin_service(&mut self, now: Time) -> Time {
        self.stand_before_service(now);
        self.service_is_pending = true;
        self.boundary.time
    }

    /// The line is idle and a cell arrives at `now`: it is served when its slot ends, or at once.
    #[inline]
    pub(super) fn stand_before_service(&mut self, now: Time) {
        if self.is_slotted {
            self.slot = self.cell_slots.slot_of(now);
            self.boundary = self.cell_slots.boundary(self.slot + 1);
        } else {
            self.boundary = LineClock::at(now);
        }
    }
}

impl<Q: PortQueue + ?Sized> Port<Q> {
    /// The part that does not depend on how the port is served.
    #[must_use]
    #[inline]
    pub fn state(&self) -> &PortState {
        &self.state
    }

    /// [`state`](Self::state), to be changed.
    #[inline]
    pub fn state_mut(&mut self) -> &mut PortState {
        &mut self.state
    }

    /// When the transmitter is free again; meaningful while it sends.
    #[must_use]
    pub fn free_at(&self) -> Time {
        self.queue.free_at(&self.state)
    }

    /// The UBR cell that was sent last.
    #[must_use]
    #[inline]
    pub fn latest(&self) -> Option<Cell> {
        self.queue.latest(&self.state)
    }

    /// Brings the occupancy of the buffer by circuit up to date.
    #[inline]
    pub fn settle_shares(&mut self) {
        self.queue.settle(&mut self.state);
    }

    /// Calls `visit` for the UBR cells that wait, as [`PortQueue::visit`] does, and then for those of the slot that is not over yet.
    pub fn visit_cells(&self, mut visit: impl FnMut(Cell, u64, bool)) {
        self.queue.visit(&self.state, &mut visit);
        self.state.slots.waiting().iter().for_each(|&cell| visit(cell, 1, cell.is_last()));
    }

    /// UBR cells that wait, those of the slot that is not over yet included.
    #[must_use]
    pub fn cells_held(&self) -> u64 {
        self.queue.len() + self.state.slots.len()
    }

    /// Bytes that are allocated for what waits, nearly: queues double when they are full.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        usize::try_from(self.cells_held()).map_or(usize::MAX, |cells| 2 * cells * self.queue.bytes_of_each())
    }

    /// Counts of the queue discipline, if there is one.
    #[must_use]
    pub fn discipline_counts(&self) -> Option<DisciplineCounts<'_>> {
        self.queue.discipline_counts()
    }

    /// Counts until `now`, the present time.
    #[must_use]
    pub fn counts(&self, now: Time) -> PortCounts {
        let PortState { buffer, vbr, .. } = &self.state;
        let ubr = buffer.statistics.until(buffer.occupancy.total(), now);
        self.counts_with(ubr, vbr.as_ref().map(|vbr| vbr.statistics_until(now)))
    }

    /// Counts until `now`, the present time; peaks and waiting times are counted anew afterwards.
    pub fn count_anew(&mut self, now: Time) -> PortCounts {
        let PortState { buffer, vbr, .. } = &mut self.state;
        let ubr = buffer.statistics.count_anew(buffer.occupancy.total(), now);
        let vbr = vbr.as_mut().map(|vbr| vbr.count_anew(now));
        self.queue.count_anew();
        self.counts_with(ubr, vbr)
    }

    fn counts_with(&self, ubr: PortStatistics, vbr: Option<PortStatistics>) -> PortCounts {
        let counts = self.queue.discipline_counts();
        PortCounts {
            ubr,
            vbr,
            packets_marked: counts.map_or(0, |counts| counts.packets_marked),
            acknowledgments_superseded: counts.map_or(0, |counts| counts.acknowledgments_superseded),
        }
    }
}
