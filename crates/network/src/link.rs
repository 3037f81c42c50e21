//! A line: a transmitter that sends one cell after another, and the cells that are on their way to the other end.
//!
//! Where packets travel whole, a packet is one cell of its own size.

mod changing;
mod counts;
mod feed;
mod granted;
mod relay;
mod terminals;
mod train;

pub use feed::Feed;
pub use relay::Relay;
pub use terminals::Terminals;
pub use train::Train;

use std::collections::VecDeque;

use changing::Changing;
use granted::Granted;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{LineClock, Rate, Span, Time, TransmissionTime};

use crate::capacity::Grants;
use crate::framing::{Cell, Packets, Unit};
use crate::path::Conditions;
use crate::reordering::Order;

/// Transmission times of a packet of `bits` bits: of its first cell, or of all of it where packets travel whole, and of all its cells.
#[derive(Clone, Copy)]
struct Transmission {
    bits: u64,
    of_first: TransmissionTime,
    of_all: TransmissionTime,
}

impl Default for Transmission {
    fn default() -> Self {
        Self { bits: 0, of_first: TransmissionTime::NONE, of_all: TransmissionTime::NONE }
    }
}

/// A directed line between two nodes, fed in order and without loss.
///
/// What is sent waits until the transmitter is free: the transmitter is a FIFO without limit. Since nothing can
/// overtake or vanish, every arrival time is known when a cell is handed over, and only the head is ever an event.
///
/// Where every cell goes straight on to a line that is fed by this one alone and not slower, it can never wait there: such a
/// [`Relay`] is part of this line, and costs no event. That is true of cells only: of two packets back to back, a small one has
/// arrived before the relay has sent the large one in front of it, and must wait.
pub struct Line {
    unit: Unit,
    rate: Rate,
    /// Transmission time of a cell; without meaning where packets travel whole.
    cell_time: TransmissionTime,
    delay: Span,
    is_relayed: bool,
    /// Time of a cell on the relay, its propagation included; zero if there is none.
    relay_time: TransmissionTime,
    /// Time of a cell from the beginning of its transmission to the end of the line, the relay included.
    time_to_end: TransmissionTime,
    /// When the transmitter has finished all that was handed to it.
    free: LineClock,
    /// Transmission of the latest whole packet. Most packets are as long as the one before, and reusing it saves a division.
    latest: Transmission,
    trains: VecDeque<Train>,
    cells_carried: u64,
    packets_carried: u64,
    /// Cells and packets that were not to be relayed.
    cells_left: u64,
    packets_left: u64,
    /// Bits of the packets that a switch has handed over whole.
    bits_whole: u64,
    /// If it changes over time.
    changing: Option<Box<Changing>>,
    /// If its capacity is asked for and granted.
    granted: Option<Box<Granted>>,
}

impl Line {
    /// An idle line. Cells take `cell_time` on it, which is exactly that of the rate if there is a relay.
    ///
    /// # Panics
    /// If packets that travel whole are to be relayed.
    #[must_use]
    pub fn new(unit: Unit, rate: Rate, cell_time: TransmissionTime, delay: Span, relay: Option<Relay>) -> Self {
        assert!(unit == Unit::Cell || relay.is_none(), "a packet may have to wait where a cell never does");
        let relay_time = relay.map_or(TransmissionTime::NONE, |relay| relay.time_behind(rate));
        Self {
            unit,
            rate,
            cell_time,
            delay,
            is_relayed: relay.is_some(),
            relay_time,
            time_to_end: cell_time.longer_by(delay).and(relay_time),
            free: LineClock::default(),
            latest: Transmission::default(),
            trains: VecDeque::new(),
            cells_carried: 0,
            packets_carried: 0,
            cells_left: 0,
            packets_left: 0,
            bits_whole: 0,
            changing: None,
            granted: None,
        }
    }

    /// From now on changes as a path does, and draws what holds packets up from `jitter`. Nothing was sent yet, and packets travel whole.
    ///
    /// Where their order is free, all packets take the least delay of the path on the line itself, which so remains a FIFO, and
    /// [the rest](Self::take_rest) behind it.
    pub fn follow(&mut self, conditions: Conditions, jitter: Stream, order: Order) {
        let rate = self.rate;
        if let Some(grants) = self.grants_mut() {
            grants.follow(conditions.clone(), rate);
        }
        self.changing = Some(Box::new(Changing::new(conditions, jitter, order)));
    }

    /// From now on packets for `terminals` are sent at the rates of these. To be called of a line that [follows](Self::follow) a path.
    pub fn share(&mut self, terminals: &Terminals) {
        self.changing.iter_mut().for_each(|changing| changing.share(terminals.clone()));
    }

    /// Whether a relay is part of it.
    #[must_use]
    pub fn is_relayed(&self) -> bool {
        self.is_relayed
    }

    /// Delay that the packet which was received latest has not had on the line: it arrives after that. To be asked of each packet, in turn.
    pub fn take_rest(&mut self) -> Span {
        self.changing.as_mut().map_or(Span::ZERO, |changing| changing.take_rest())
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.trains.capacity() * size_of::<Train>()
            + self.changing.as_ref().map_or(0, |changing| changing.memory_bytes())
            + self.grants().map_or(0, Grants::memory_bytes)
    }

    /// Whether nothing is waiting or under way.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.trains.is_empty()
    }

    /// Bits per second.
    #[must_use]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// The cells that wait for the transmitter or are under way, in order: trains of cells of one packet, each with its next cell, their
    /// number, and whether the packet ends with them.
    pub fn trains(&self) -> impl Iterator<Item = (Cell, u32, bool)> {
        self.trains.iter().map(Train::description).chain(self.granted_beyond().map(|packet| (packet, 1, true)))
    }

    /// Cells that wait for the transmitter or are under way.
    #[must_use]
    pub fn cells_under_way(&self) -> u64 {
        self.trains.iter().map(|train| u64::from(train.cells)).sum::<u64>() + self.granted_beyond().map_or(0, |_| 1)
    }

    /// Hands over a whole packet of `cells` cells and `bits` bits, of which `first` is the first cell.
    pub fn send_packet(&mut self, now: Time, first: Cell, cells: u32, bits: u64) {
        if self.changing.is_some() {
            self.start(now);
            return self.transmit_whole(first, bits);
        }
        let train = self.dispatch(now, first, cells, bits);
        self.keep(train);
    }

    /// Keeps a [dispatched](Self::dispatch) train until it is taken off.
    #[inline]
    pub fn keep(&mut self, train: Train) {
        self.trains.push_back(train);
    }

    /// Hands over a whole packet to be sent, and leaves it to the caller to follow its cells to the end of the line.
    // Always: the compiler no longer would, by itself, and each packet comes here two or three times.
    #[inline(always)]
    pub fn dispatch(&mut self, now: Time, first: Cell, cells: u32, bits: u64) -> Train {
        if self.latest.bits != bits {
            self.latest = self.transmission_of(bits, cells);
        }
        self.start(now);
        let arrival = self.free.delayed(self.delay).after(self.latest.of_first);
        self.free.advance_far(self.latest.of_all);
        Train { arrival, cell: first, cells }
    }

    /// Hands over a packet of `bits` bits that travels whole, which the caller follows. Returns when it arrives.
    // Always: each packet comes here two or three times.
    #[inline(always)]
    pub fn send_whole(&mut self, now: Time, bits: u64) -> Time {
        if self.latest.bits != bits {
            self.latest = self.transmission_of(bits, 1);
        }
        self.start(now);
        self.free.advance_far(self.latest.of_all);
        self.free.time + self.delay
    }

    #[inline(never)]
    fn transmission_of(&self, bits: u64, cells: u32) -> Transmission {
        let of_first = match self.unit {
            Unit::Cell => self.cell_time,
            Unit::Packet => TransmissionTime::of_bits(bits, self.rate),
        };
        Transmission { bits, of_first, of_all: of_first.times(cells.into()) }
    }

    /// Hands over a cell to be sent as soon as the transmitter is free, and leaves it to the caller to take note of it at the
    /// end of the line. Returns when that is.
    #[inline]
    pub fn carry(&mut self, now: Time) -> Time {
        self.start(now);
        let exit = self.exit(self.free);
        self.free.advance(self.cell_time);
        exit
    }

    /// When a cell whose transmission begins at `clock` reaches the end of the line, the relay included.
    #[must_use]
    #[inline]
    pub fn exit(&self, clock: LineClock) -> Time {
        clock.after(self.time_to_end).time
    }

    /// Time of a cell from the beginning of its transmission to the end of the line, the relay included.
    #[must_use]
    pub fn time_to_end(&self) -> TransmissionTime {
        self.time_to_end
    }

    /// No cell that is handed over takes less than this from one end to the other.
    #[must_use]
    pub fn latency(&self) -> Span {
        self.exit(LineClock::default()) - Time::ZERO
    }

    /// The least time of packets of `bits` bits that travel whole.
    #[must_use]
    pub fn latency_of(&self, bits: u64) -> Span {
        TransmissionTime::of_bits(bits, self.rate).rounded_down() + self.delay
    }

    /// No packet that is handed over takes less than this; `None` for a line that changes, has capacity only when granted, or carries cells.
    #[must_use]
    pub fn least_latency(&self) -> Option<Span> {
        (self.unit == Unit::Packet && self.changing.is_none() && self.granted.is_none()).then_some(self.delay)
    }

    /// Hands over a packet of `bits` bits that travels whole and whose transmission begins exactly at `clock`, the transmitter being
    /// free by then, which the caller follows. Returns when it arrives, and when the transmitter is free again.
    #[inline]
    pub fn send_whole_at(&mut self, clock: LineClock, bits: u64) -> (Time, LineClock) {
        self.count_whole(bits);
        self.book_whole_at(clock, bits)
    }

    /// [`send_whole_at`](Self::send_whole_at) for a packet that a switch will hand over then: its bits are [counted](Self::count_whole) when
    /// it does.
    #[inline]
    pub fn book_whole_at(&mut self, clock: LineClock, bits: u64) -> (Time, LineClock) {
        self.free = clock;
        (self.send_whole(clock.time, bits), self.free)
    }

    /// Transmission time of a cell.
    #[must_use]
    pub fn cell_time(&self) -> TransmissionTime {
        self.cell_time
    }

    /// When the cells arrive that were handed over last and are of one packet.
    pub fn latest_arrivals(&self) -> impl Iterator<Item = Time> + use<> {
        let (train, cell_time) = (self.trains.back().copied(), self.cell_time);
        let times = move |train: Train| {
            (0..train.cells).scan(train.arrival, move |clock, _| {
                let time = clock.time;
                clock.advance(cell_time);
                Some(time)
            })
        };
        train.into_iter().flat_map(times)
    }

    /// Takes off the packet, or what is left of it, that is next to arrive, and leaves it to the caller to follow its cells.
    pub fn take_train(&mut self) -> Option<Train> {
        self.trains.pop_front()
    }

    /// When the packet that is next to arrive begins to arrive at the end of the line proper, if any is under way.
    #[must_use]
    #[inline]
    pub fn next_train(&self) -> Option<Time> {
        self.trains.front().map(|train| train.arrival.time)
    }

    /// Hands over one cell, to be sent as soon as the transmitter is free.
    #[inline]
    pub fn send_cell(&mut self, now: Time, cell: Cell, packets: &Packets) {
        self.start(now);
        self.transmit(cell, packets);
    }

    /// Hands over one cell whose transmission begins exactly at `clock`, the transmitter being free by then. Returns when the
    /// transmitter is free again.
    #[inline]
    pub fn send_cell_at(&mut self, clock: LineClock, cell: Cell, packets: &Packets) -> LineClock {
        self.free = clock;
        self.transmit(cell, packets);
        self.free
    }

    /// Sends a cell that no host receives, exactly at `clock`: it leaves the network at the end of the line proper. Returns when the
    /// transmitter is free again.
    pub fn send_anonymous_cell_at(&mut self, clock: LineClock) -> LineClock {
        self.free = clock.after(self.cell_time);
        self.cells_carried += 1;
        self.packets_carried += 1;
        self.cells_left += self.hops() - 1;
        self.packets_left += self.hops() - 1;
        self.free
    }

    /// Leaves a slot empty from `clock` on. Returns when the next transmission may begin.
    pub fn pass_slot_at(&mut self, clock: LineClock) -> LineClock {
        self.free = clock.after(self.cell_time);
        self.free
    }

    // Always: every cell of a run passes here, and one caller is far busier than the others.
    #[inline(always)]
    fn transmit(&mut self, cell: Cell, packets: &Packets) {
        if self.unit == Unit::Packet {
            return self.transmit_whole(cell, packets.get(cell.packet).bits);
        }
        self.push(cell, self.cell_time);
    }

    #[cold]
    fn transmit_whole(&mut self, packet: Cell, bits: u64) {
        self.bits_whole += bits;
        if self.granted.is_some() {
            return self.transmit_granted(packet, bits);
        }
        let Some(changing) = &mut self.changing else {
            return self.push(packet, TransmissionTime::of_bits(bits, self.rate));
        };
        let (arrival, free) = changing.transmit(self.free, packet.circuit(), bits, self.rate);
        self.trains.push_back(Train { arrival, cell: packet, cells: 1 });
        self.free = free;
    }

    fn start(&mut self, now: Time) {
        if self.free.time < now {
            self.free = LineClock::at(now);
        }
    }

    #[inline]
    fn push(&mut self, cell: Cell, transmission: TransmissionTime) {
        let arrival = self.free.delayed(self.delay).after(transmission);
        self.trains.push_back(Train { arrival, cell, cells: 1 });
        self.free.advance(transmission);
    }

    /// When the next cell arrives, if any is under way.
    #[must_use]
    #[inline]
    pub fn next_arrival(&self) -> Option<Time> {
        Some(self.end_of(self.trains.front()?.arrival))
    }

    /// When a cell that is at the end of the line proper at `arrival` is at the end of the relay, if there is one.
    #[inline]
    fn end_of(&self, arrival: LineClock) -> Time {
        arrival.after(self.relay_time).time
    }

    /// Takes the next cell off the line.
    ///
    /// # Panics
    /// If no cell is under way.
    #[inline]
    pub fn receive(&mut self) -> Cell {
        let train = self.trains.front_mut().expect("a cell is under way");
        let cell = if train.cells == 1 {
            let last = train.cell;
            self.trains.pop_front();
            last
        } else {
            train.take(self.cell_time)
        };
        self.cells_carried += 1;
        self.packets_carried += u64::from(cell.is_last());
        cell
    }
}
