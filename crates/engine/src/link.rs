//! A line: a transmitter that sends one cell after another, and the cells that are on their way to the other end.

use std::collections::VecDeque;

use crate::framing::{Cell, PacketId};
use crate::units::{CellTime, LineClock, Rate, Span, Time};

/// One cell, or the cells of a whole packet sent back to back.
#[derive(Clone, Copy)]
struct Train {
    /// When the next cell of the train has arrived completely.
    arrival: LineClock,
    /// The next cell.
    cell: Cell,
    /// Cells still to come, the next one included.
    cells: u32,
}

/// A directed line between two nodes, fed in order and without loss.
///
/// What is sent waits until the transmitter is free: the transmitter is a FIFO without limit. Since nothing can
/// overtake or vanish, every arrival time is known when a cell is handed over, and only the head is ever an event.
///
/// Where every cell goes straight on to a line of the same rate that is fed by this one alone, it can never wait there: such a
/// relay is part of this line, and costs no event.
pub struct Line {
    cell_time: CellTime,
    delay: Span,
    /// Propagation delay of the relay, if there is one.
    relay: Option<Span>,
    /// When the transmitter has finished all that was handed to it.
    free: LineClock,
    trains: VecDeque<Train>,
    cells_carried: u64,
    packets_carried: u64,
}

impl Line {
    /// An idle line.
    #[must_use]
    pub fn new(rate: Rate, delay: Span, relay: Option<Span>) -> Self {
        Self {
            cell_time: CellTime::at(rate),
            delay,
            relay,
            free: LineClock::default(),
            trains: VecDeque::new(),
            cells_carried: 0,
            packets_carried: 0,
        }
    }

    /// Duration of a cell on this line.
    #[must_use]
    pub fn cell_time(&self) -> CellTime {
        self.cell_time
    }

    /// Cells carried so far, counted at every hop.
    #[must_use]
    pub fn cell_hops(&self) -> u64 {
        self.cells_carried * self.hops()
    }

    /// Packets carried so far, counted at every hop by their last cells.
    #[must_use]
    pub fn packet_hops(&self) -> u64 {
        self.packets_carried * self.hops()
    }

    fn hops(&self) -> u64 {
        1 + u64::from(self.relay.is_some())
    }

    /// Whether nothing is waiting or under way.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.trains.is_empty()
    }

    /// Cells that wait for the transmitter or are under way.
    #[must_use]
    pub fn cells_under_way(&self) -> u64 {
        self.trains.iter().map(|train| u64::from(train.cells)).sum()
    }

    /// Hands over a whole packet of `cells` cells on `circuit`.
    pub fn send_packet(&mut self, now: Time, packet: PacketId, circuit: u32, cells: u32) {
        self.start(now);
        self.push(Cell::new(packet, circuit, true, cells == 1), cells);
        self.free.advance_by(self.cell_time, u64::from(cells));
    }

    /// Hands over one cell, to be sent as soon as the transmitter is free.
    #[inline]
    pub fn send_cell(&mut self, now: Time, cell: Cell) {
        self.start(now);
        self.push(cell, 1);
        self.free.advance(self.cell_time);
    }

    /// Hands over one cell whose transmission begins exactly at `clock`, the transmitter being free by then.
    #[inline]
    pub fn send_cell_at(&mut self, clock: LineClock, cell: Cell) {
        self.free = clock;
        self.push(cell, 1);
        self.free.advance(self.cell_time);
    }

    fn start(&mut self, now: Time) {
        if self.free.time < now {
            self.free = LineClock::at(now);
        }
    }

    #[inline]
    fn push(&mut self, cell: Cell, cells: u32) {
        let arrival = self.free.delayed(self.delay).after(self.cell_time);
        self.trains.push_back(Train { arrival, cell, cells });
    }

    /// When the next cell arrives, if any is under way.
    #[must_use]
    #[inline]
    pub fn next_arrival(&self) -> Option<Time> {
        let arrival = self.trains.front()?.arrival;
        Some(match self.relay {
            None => arrival.time,
            Some(delay) => arrival.after(self.cell_time).time + delay,
        })
    }

    /// Takes the next cell off the line.
    ///
    /// # Panics
    /// If no cell is under way.
    #[inline]
    pub fn receive(&mut self) -> Cell {
        let train = self.trains.front_mut().expect("a cell is under way");
        let cell = train.cell;
        if train.cells == 1 {
            self.trains.pop_front();
        } else {
            train.cells -= 1;
            train.cell = cell.following(train.cells == 1);
            train.arrival.advance(self.cell_time);
        }
        self.cells_carried += 1;
        self.packets_carried += u64::from(cell.is_last());
        cell
    }
}
