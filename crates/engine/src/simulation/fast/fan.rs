//! The lines behind a common one, each to a host of its own, where packets travel whole. A small packet may wait there behind a large one,
//! so that a packet for another host overtakes it.

use longfat_foundation::units::Time;
use longfat_network::framing::Cell;

use super::Carried;
use super::arrivals::{Arrivals, Coming, CountedAhead};
use super::order::{Moment, Tie};
use crate::simulation::network::Links;

/// The packets that have left the common line's transmitter and have not been delivered.
pub(super) struct Fan {
    /// The common line, and the one behind it on which each connection's packets go on.
    line: usize,
    lines: Vec<u32>,
    /// Packets that have left the common line's transmitter, those counted as carried to its end, and those counted as delivered.
    passed: u64,
    crossed: u64,
    counted: u64,
    /// Packets on the lines behind, which are counted as carried when they pass.
    ahead: CountedAhead,
    /// At the ends of the lines behind it.
    arrivals: Arrivals<Cell>,
    /// Two packets of one instant whose order is not known.
    tie: Option<Tie>,
}

impl Fan {
    /// For a common line and the `lines` behind it.
    pub fn new(line: usize, lines: Vec<u32>) -> Self {
        Self {
            line,
            lines,
            passed: 0,
            crossed: 0,
            counted: 0,
            ahead: CountedAhead::default(),
            arrivals: Arrivals::new(),
            tie: None,
        }
    }

    /// A packet of `bits` bits reaches the end of the common line at `crosses`.
    // Always: every packet passes here twice.
    #[inline(always)]
    pub fn pass(&mut self, crosses: Time, packet: Cell, bits: u64, links: &mut Links) {
        self.passed += 1;
        let number = self.lines[packet.circuit() / 2] as usize;
        let link = &mut links[number];
        link.line.count_carried(1, 1);
        let arrival = link.line.send_whole(crosses, bits);
        if let Err(tie) = self.arrivals.send(crosses, number, &mut link.latest, packet, arrival, arrival) {
            self.tie = Some(tie);
        }
    }

    /// Succeeds if the order of all packets that have passed is known.
    ///
    /// # Errors
    /// With two packets whose order is not.
    pub fn check(&self) -> Result<(), Tie> {
        self.tie.map_or(Ok(()), Err)
    }

    /// The next arrival.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.arrivals.next_time()
    }

    /// The next arrival, with the time at which the event driver would have scheduled it.
    pub fn next(&self) -> Moment {
        self.arrivals.first().map_or(Moment::NEVER, |coming| coming.moment())
    }

    /// Sequence number of the event during which the event driver would have scheduled the next arrival. `None` unless that was an arrival
    /// over the same line.
    pub fn next_follows(&self, links: &Links) -> Option<u64> {
        self.arrivals.first().and_then(Coming::follows).map(|line| links[line].arrived)
    }

    /// Takes the next packet that arrives, as event `number` of the end systems. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, number: u64, links: &mut Links, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        let coming = self.arrivals.take(Time::NEVER, soon)?;
        links[coming.line()].arrived = number;
        Some(coming.load)
    }

    /// Counts the packets that have reached the end of the common line before `until`, and those that were taken.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        self.ahead.take_back(&self.arrivals, links);
        let under_way = self.arrivals.cells_under_way();
        let delivered = self.passed - under_way - self.counted;
        self.counted += delivered;
        let not_yet = under_way - self.arrivals.sent_before(until);
        // Zero, if all before a later time are counted already.
        let crossed = (self.passed - not_yet).saturating_sub(self.crossed);
        self.crossed += crossed;
        links[self.line].line.count_carried(crossed, crossed);
        Carried { events: crossed + delivered, delivered }
    }

    /// Packets under way that cross the common line before `time`, as [trains](longfat_network::link::Line::trains) on the lines behind it.
    pub fn trains_before(&self, time: Time) -> impl Iterator<Item = (usize, (Cell, u32, bool))> {
        self.arrivals.trains_sent_before(time)
    }

    /// Packets under way that cross the common line before `time`.
    pub fn passed_before(&self, time: Time) -> u64 {
        self.arrivals.sent_before(time)
    }

    /// Bytes that are allocated for what is under way.
    pub fn memory_bytes(&self) -> usize {
        self.ahead.memory_bytes() + self.arrivals.memory_bytes()
    }

    /// Packets under way.
    pub fn cells_under_way(&self) -> u64 {
        self.arrivals.cells_under_way()
    }
}
