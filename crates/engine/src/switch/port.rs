//! An output port: a buffer, the policy that guards it, and the line it feeds.

use std::collections::VecDeque;

use super::drop_policy::{BufferContext, DropPolicy, Verdict};
use super::slots::Slots;
use super::{ArrivalOrder, Occupancy};
use crate::framing::{Cell, Packets};
use crate::link::Line;
use crate::random::Stream;
use crate::registry::Chosen;
use crate::scenario::Buffer;
use crate::units::{CellSlots, LineClock, Rate, Time};

crate::section! {
    /// The bottleneck's output port.
    pub struct PortConfig {
        /// K: cells that can wait, besides the one being sent; packets where they travel whole ("20 packets"). Also
        /// "0.5 RTT" or "1 BDP" (what the bottleneck carries in a round trip without queueing: cells, or full packets) or
        /// "unlimited".
        pub buffer: Buffer,
        /// What is dropped when the buffer fills.
        pub policy: Chosen<dyn DropPolicy> = "tail-drop",
        /// In which order cells that arrive in one cell slot enter the buffer (S-06). The papers say "no randomization in
        /// any component" and no more. Always the same order lets one connection capture the buffer, which their tables
        /// do not show; a seeded random order comes closest to them, and is what "by-framing" means for cells. Packets that
        /// travel whole know no slots: first come, first served.
        pub arrival_order: ArrivalOrder = "by-framing" or ["rotating", "fixed", "first-come-first-served"],
        /// Whether the cell being sent counts as one in the buffer (S-07). Table 1 of UBR+ comes out exactly if not.
        pub counts_cell_in_service: bool = "false" or ["true"],
    }
}

/// What a port has seen.
#[derive(Clone, Debug, Default)]
pub struct PortStatistics {
    /// Cells that arrived.
    pub cells_in: u64,
    /// Cells handed to the line.
    pub cells_out: u64,
    /// Cells dropped.
    pub cells_dropped: u64,
    /// Packets that lost at least one cell here.
    pub packets_dropped: u64,
    /// Most cells in the buffer at any time.
    pub max_queue_cells: u64,
    /// Cells in the buffer, integrated over time in picoseconds.
    queue_integral: u128,
    queue_since: Time,
}

impl PortStatistics {
    /// Mean number of cells in the buffer from the start until `end`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean for reports")]
    pub fn mean_queue_cells(&self, queue: u64, end: Time) -> f64 {
        let integral = self.queue_integral + u128::from(queue) * u128::from(end.0 - self.queue_since.0);
        if end == Time::ZERO { 0.0 } else { integral as f64 / end.0 as f64 }
    }

    #[inline]
    fn integrate(&mut self, queue: u64, now: Time) {
        self.queue_integral += u128::from(queue) * u128::from(now.0 - self.queue_since.0);
        self.queue_since = now;
    }
}

/// A dropped cell and why it was dropped.
pub type Dropped = (Cell, Verdict);

/// The cells that wait, and the policy that decides who joins them.
struct Guarded {
    occupancy: Occupancy,
    policy: Box<dyn DropPolicy>,
    queue: VecDeque<Cell>,
    statistics: PortStatistics,
}

impl Guarded {
    #[inline]
    fn admit(&mut self, cell: Cell, dropped: &mut Vec<Dropped>) {
        let circuit = cell.circuit();
        match self.policy.decide(cell, circuit, &self.occupancy) {
            Verdict::Accept => {
                self.occupancy.add(circuit);
                self.queue.push_back(cell);
                self.statistics.max_queue_cells = self.statistics.max_queue_cells.max(self.occupancy.total());
            }
            verdict => {
                self.statistics.cells_dropped += 1;
                dropped.push((cell, verdict));
            }
        }
    }
}

/// A buffer in front of a line.
pub struct Port {
    /// The line it feeds, by number.
    pub line: usize,
    buffer: Guarded,
    slots: Slots,
    is_slotted: bool,
    cell_slots: CellSlots,
    /// When the next cell may be sent; meaningful while a service is pending.
    boundary: LineClock,
    /// The slot that ends at `boundary`.
    slot: u64,
    service_is_pending: bool,
    counts_cell_in_service: bool,
    /// The circuit of the cell in service, if it still counts.
    in_service: Option<usize>,
}

impl Port {
    /// An empty port in front of `line`, which has the rate `rate`.
    #[must_use]
    pub fn new(config: &PortConfig, buffer: BufferContext, line: usize, rate: Rate, chance: Stream) -> Self {
        Self {
            line,
            buffer: Guarded {
                occupancy: Occupancy::new(buffer.capacity, buffer.circuits),
                policy: config.policy.build(&buffer),
                queue: VecDeque::new(),
                statistics: PortStatistics::default(),
            },
            slots: Slots::new(config.arrival_order, buffer.circuits, chance),
            is_slotted: config.arrival_order.is_slotted(),
            cell_slots: CellSlots(rate),
            boundary: LineClock::default(),
            slot: 0,
            service_is_pending: false,
            counts_cell_in_service: config.counts_cell_in_service,
            in_service: None,
        }
    }

    /// What it has seen.
    #[must_use]
    pub fn statistics(&self) -> &PortStatistics {
        &self.buffer.statistics
    }

    /// Counts a packet that has lost its first cell here.
    pub fn count_dropped_packet(&mut self) {
        self.buffer.statistics.packets_dropped += 1;
    }

    /// Cells that wait, those of the slot that is not over yet included.
    #[must_use]
    pub fn cells_held(&self) -> u64 {
        self.buffer.queue.len() as u64 + self.slots.len()
    }

    /// Mean number of cells in the buffer from the start until `end`.
    #[must_use]
    pub fn mean_queue_cells(&self, end: Time) -> f64 {
        self.buffer.statistics.mean_queue_cells(self.buffer.occupancy.total(), end)
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
            self.slot = self.cell_slots.slot_of(now);
            self.boundary = self.cell_slots.boundary(self.slot + 1);
        } else {
            self.integrate(now);
            self.buffer.admit(cell, dropped);
            if self.service_is_pending || self.buffer.queue.is_empty() {
                return None;
            }
            // Nothing is pending, so the line has sent all it was given.
            self.boundary = LineClock::at(now);
        }
        self.service_is_pending = true;
        Some(self.boundary.time)
    }

    /// Ends a slot: admits the cells that arrived in it and sends the head of the queue. Gives when to serve again.
    pub fn serve(&mut self, now: Time, line: &mut Line, packets: &Packets, dropped: &mut Vec<Dropped>) -> Option<Time> {
        self.integrate(now);
        for &cell in self.slots.close(self.slot) {
            self.buffer.admit(cell, dropped);
        }
        self.slots.clear();
        self.slot += 1;
        if let Some(circuit) = self.in_service.take() {
            self.buffer.occupancy.remove(circuit);
        }
        self.service_is_pending = self.send(line, packets);
        self.service_is_pending.then_some(self.boundary.time)
    }

    #[inline]
    fn integrate(&mut self, now: Time) {
        self.buffer.statistics.integrate(self.buffer.occupancy.total(), now);
    }

    /// Hands the head of the queue to the line; tells whether there was one.
    #[inline]
    fn send(&mut self, line: &mut Line, packets: &Packets) -> bool {
        let Some(cell) = self.buffer.queue.pop_front() else { return false };
        self.boundary = line.send_cell_at(self.boundary, cell, packets);
        self.buffer.statistics.cells_out += 1;
        if self.counts_cell_in_service {
            self.in_service = Some(cell.circuit());
        } else {
            self.buffer.occupancy.remove(cell.circuit());
        }
        true
    }
}
