//! The interface between the network and its drivers: how packets cross the network, and in which order of computation.

use longfat_foundation::calendar::Slot;
use longfat_foundation::units::Time;
use longfat_network::framing::{Cell, Packets};
use longfat_network::switch::{Port, PortCounts, PortQueue};

use super::{Event, Network};
use crate::observer::Observer;

/// A way to advance time. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Every cell is an event on every line.
    Events,
    /// Conservative lookahead and batch service; by events where those are not exact.
    #[default]
    Fast,
}

impl Driver {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Fast => "fast",
        }
    }
}

/// A managed port, whatever its service.
pub type AnyPort = Port<dyn PortQueue>;

/// Cells of one packet on a line: the next of them, their number, and whether the packet ends with them.
pub type Train = (Cell, u32, bool);

/// A driver as the network sees it: it owns the managed ports and carries packets from one end system to another.
pub trait Drive: Sized {
    /// Which driver it is.
    const DRIVER: Driver;
    /// Whether every cell under way is known, and not only the last one of each packet.
    const FOLLOWS_ALL_CELLS: bool;

    /// An end system hands a packet of `cells` cells and `bits` bits to its line.
    fn send<O: Observer>(network: &mut Network<O, Self>, now: Time, line: usize, first: Cell, cells: u32, bits: u64);
    /// An event of a port, a line or another part of the network is due.
    fn act<O: Observer>(network: &mut Network<O, Self>, now: Time, event: Event);
    /// An event of an end system is put into the calendar, or taken out.
    #[inline(always)]
    fn note_scheduled(&mut self, _slot: Slot, _now: Time) {}
    /// The calendar has grown to `slots` slots.
    fn make_room(&mut self, _slots: usize) {}

    /// The managed ports, in the order of their lines.
    fn ports(&self) -> impl Iterator<Item = &AnyPort>;
    /// Counts of each port until `now`; peaks and waiting times are counted anew afterwards.
    fn count_ports_anew(&mut self, now: Time) -> Vec<PortCounts>;
    /// Forgets a cell that a port has dropped, and with its last cell the packet.
    fn forget_dropped(packets: &mut Packets, cell: Cell);

    /// Trains on lines besides those that the lines keep themselves: of each line in order.
    fn trains(&self) -> Vec<(usize, Train)> {
        Vec::new()
    }
    /// Cells under way besides those that the lines keep themselves.
    fn cells_under_way(&self) -> u64 {
        0
    }
    /// When the next packet reaches an end system, where that is no event of the calendar.
    fn next_arrival(&self) -> Time {
        Time::NEVER
    }
    /// Bytes that are allocated for what is under way, besides those of lines and ports.
    fn memory_bytes(&self) -> usize {
        0
    }
    /// Events so far, at least, besides the `counted` ones.
    fn events_not_counted(&self, _counted: u64) -> u64 {
        0
    }
    /// Cells, and packets, that were lost outside of ports.
    fn lost(&self) -> Lost {
        Lost::default()
    }
    /// Why the driver that was asked for is not at work.
    fn handed_over(&self) -> Option<&str> {
        None
    }
}

/// Losses outside of ports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lost {
    pub cells: u64,
    pub packets: u64,
}
