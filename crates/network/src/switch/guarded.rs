//! What waits at a port, and who decides who joins it.

use longfat_foundation::config::Parameter;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Time;

use super::booked::BookedQueue;
use super::drop_policy::{DropPolicy, Verdict};
use super::queue_discipline::{ActiveQueue, Waiting};
use super::rounds::RoundQueue;
use super::scheduler::{FifoQueue, Scheduler};
use super::{BufferContext, Dropped, Occupancy, PortStatistics};
use crate::framing::{Cell, Continuity, Packets};

/// The UBR cells that wait.
pub(super) enum Queue {
    /// In one queue without service classes: nearly every run, and so without a virtual call.
    Fifo(FifoQueue),
    /// The same by whole rounds, for the fast driver.
    ByRounds(RoundQueue),
    /// The same with the times at which packets will be sent, for the fast driver.
    Booked(BookedQueue),
    /// As a scheduler keeps them.
    Scheduled(Box<dyn Scheduler>),
    /// As a queue discipline keeps them: packets.
    Managed(Box<ActiveQueue>),
}

impl Queue {
    pub(super) fn new(chosen: &Chosen<dyn Scheduler>, buffer: &BufferContext) -> Self {
        if chosen.is_absent() { Self::Fifo(FifoQueue::default()) } else { Self::Scheduled(chosen.build(buffer)) }
    }

    // Always: every cell that is let in passes here.
    #[inline(always)]
    fn enqueue(&mut self, cell: Cell) {
        match self {
            Self::Fifo(queue) => queue.push(cell),
            Self::ByRounds(queue) => queue.push(cell),
            Self::Scheduled(scheduler) => scheduler.enqueue(cell),
            Self::Booked(_) => unreachable!("packets are booked with the times at which they will be sent"),
            Self::Managed(_) => unreachable!("packets enter a managed queue with their sizes"),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Fifo(queue) => queue.len() as u64,
            Self::ByRounds(queue) => queue.len(),
            Self::Booked(queue) => queue.len(),
            Self::Scheduled(scheduler) => scheduler.len() as u64,
            Self::Managed(queue) => queue.len() as u64,
        }
    }
}

/// The UBR cells that wait, and the policy that decides who joins them.
pub(super) struct Guarded {
    pub(super) occupancy: Occupancy,
    pub(super) policy: Box<dyn DropPolicy>,
    /// Whether it must ever be asked while there is room.
    pub(super) is_ever_asked: bool,
    pub(super) queue: Queue,
    pub(super) statistics: PortStatistics,
    /// Which packets arrive whole, where nobody follows their cells to the receivers.
    pub(super) continuity: Option<Continuity>,
}

impl Guarded {
    /// Counts a cell that is let in, and leaves it to the caller to queue it.
    #[inline(always)]
    fn count_in(&mut self, cell: Cell) {
        self.occupancy.add(cell.circuit());
        if let Some(continuity) = &mut self.continuity {
            continuity.admit(cell);
        }
        self.statistics.max_queue_cells = self.statistics.max_queue_cells.max(self.occupancy.total());
    }

    /// A packet arrives at a queue discipline, which may drop it or others for it.
    pub(super) fn enqueue_managed(&mut self, packet: Waiting, packets: &Packets, dropped: &mut Vec<Dropped>) {
        let Queue::Managed(queue) = &mut self.queue else { return };
        let before = dropped.len();
        self.occupancy.add(packet.cell.circuit());
        queue.enqueue(packet, packets, dropped);
        self.forget_dropped(&dropped[before..]);
        self.statistics.max_queue_cells = self.statistics.max_queue_cells.max(self.occupancy.total());
    }

    /// Takes the packet that a queue discipline sends; others that it drops on the way are gone.
    pub(super) fn dequeue_managed(&mut self, now: Time, dropped: &mut Vec<Dropped>) -> Option<Cell> {
        let Queue::Managed(queue) = &mut self.queue else { return None };
        let before = dropped.len();
        let cell = queue.dequeue(now, dropped);
        self.forget_dropped(&dropped[before..]);
        cell
    }

    /// Packets that were in the buffer are not any more.
    fn forget_dropped(&mut self, dropped: &[Dropped]) {
        self.statistics.cells_dropped += dropped.len() as u64;
        dropped.iter().for_each(|(cell, _)| self.occupancy.remove(cell.circuit()));
    }

    /// Lets in a cell, if the policy accepts it; tells whether it does.
    #[inline(always)]
    pub(super) fn admit(&mut self, cell: Cell, dropped: &mut Vec<Dropped>) -> bool {
        let is_in = self.let_pass(cell, dropped);
        if is_in {
            self.queue.enqueue(cell);
        }
        is_in
    }

    /// The same, but leaves it to the caller to queue it.
    #[inline(always)]
    pub(super) fn let_pass(&mut self, cell: Cell, dropped: &mut Vec<Dropped>) -> bool {
        let has_room = !self.is_ever_asked && !self.occupancy.is_full();
        let verdict =
            if has_room { Verdict::Accept } else { self.policy.decide(cell, cell.circuit(), &self.occupancy) };
        if verdict == Verdict::Accept {
            self.count_in(cell);
            return true;
        }
        self.statistics.cells_dropped += 1;
        dropped.push((cell, verdict));
        false
    }
}
