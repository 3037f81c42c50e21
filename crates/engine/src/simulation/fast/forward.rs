//! The path of data to the bottleneck's port and through it.
//!
//! Arrivals at the port are known up to the next time at which a source can send, plus the least delay of a line to the port. Up to this
//! horizon the port is served without the calendar.

use longfat_foundation::units::{Span, Time};
use longfat_network::framing::{Cell, Continuity, PacketId};
use longfat_network::switch::{BookedQueue, Port, PortState, Queue, RoundQueue};

use super::order::{Moment, Tie};
use super::slotted::Slotted;
use super::whole::Whole;
use super::{Carried, Path};
use crate::observer::Observer;
use crate::simulation::network::{AnyPort, Link, Links, Served, Train};

/// The port and the lines before and behind it.
pub(super) struct Forward {
    /// Lookahead: the least time from a sender to the port.
    pub latency_before: Span,
    latency_behind: Span,
    /// The port is simulated no further ahead at a time: cells of backgrounds may come without end while no end system acts.
    pub most_ahead: Span,
    way: Way,
}

/// Slots that the port may be simulated ahead at a time: some milliseconds of work.
const MOST_SLOTS_AHEAD: u64 = 1 << 18;

/// The port and its lines, by how packets travel.
enum Way {
    Slotted(Slotted, SlottedPort),
    Whole(Whole, WholePort),
}

/// A port of cells, by its service.
enum SlottedPort {
    InRounds(Port<RoundQueue>),
    InSlots(Port<Queue>),
}

/// A port of packets that travel whole, by its service.
enum WholePort {
    InAdvance(Port<BookedQueue>),
    ByPacket(Port<Queue>),
}

impl Forward {
    /// A port that is served first at `first_service`, with the lines of `path`.
    ///
    /// Whole packets are served in advance only where the port is not `watched`.
    pub fn new(
        path: &Path,
        port: Port<Queue>,
        continuity: Continuity,
        watched: bool,
        links: &Links,
        first_service: Option<Time>,
    ) -> Self {
        let way = match &path.behind {
            None => {
                let mut port = if port.is_plain_fifo() {
                    SlottedPort::InRounds(Port::in_rounds(port))
                } else {
                    SlottedPort::InSlots(port)
                };
                port.state_mut().follow(continuity);
                Way::Slotted(Slotted::new(path, links, first_service), port)
            }
            Some(lines) => {
                let port = if port.is_plain_fifo() && !port.state().is_slotted() && !watched {
                    WholePort::InAdvance(Port::in_advance(port))
                } else {
                    WholePort::ByPacket(port)
                };
                Way::Whole(Whole::new(path, lines.clone()), port)
            }
        };
        let slots = Span(links[path.line].line.cell_time().at_most().0.saturating_mul(MOST_SLOTS_AHEAD));
        let most_ahead = if path.behind.is_none() { slots } else { Span(u64::MAX) };
        Self { latency_before: path.latency_before, latency_behind: path.latency_behind, most_ahead, way }
    }

    /// State need not be complete before `until`.
    pub fn proceed(&mut self, until: Time) {
        if let Way::Slotted(way, _) = &mut self.way {
            way.proceed(until);
        }
    }

    /// The least time from a sender to a receiver.
    #[inline]
    pub fn latency(&self) -> Span {
        self.latency_before + self.latency_behind
    }

    /// A sender hands a packet to the line with that number.
    ///
    /// # Errors
    /// If its order with another packet of the same instant is not known.
    #[inline(always)]
    pub fn send(
        &mut self,
        now: Time,
        number: usize,
        link: &mut Link,
        first: Cell,
        cells: u32,
        bits: u64,
    ) -> Result<(), Tie> {
        match &mut self.way {
            Way::Slotted(way, _) => {
                way.send(now, number, &mut link.line, first, cells, bits);
                Ok(())
            }
            Way::Whole(way, _) => way.send(now, number, link, first, bits),
        }
    }

    /// The next arrival at a receiver, of packets that have left the port.
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.way {
            Way::Slotted(way, _) => way.next_time(),
            Way::Whole(way, _) => way.next_time(),
        }
    }

    /// The next arrival, with the time at which the event driver would have scheduled it.
    pub fn next(&self) -> Moment {
        match &self.way {
            Way::Slotted(way, _) => way.next(),
            Way::Whole(way, _) => way.next(),
        }
    }

    /// [`Fan::next_follows`](super::fan::Fan::next_follows); not known for cells.
    pub fn next_follows(&self, links: &Links) -> Option<u64> {
        match &self.way {
            Way::Slotted(..) => None,
            Way::Whole(way, _) => way.next_follows(links),
        }
    }

    /// A lower bound of the arrival at a receiver of any packet that the port has not sent yet; never, if it sends nothing before `until`.
    #[inline]
    pub fn bound(&self, until: Time) -> Time {
        match &self.way {
            Way::Slotted(way, _) => way.bound(until),
            Way::Whole(way, _) => way.bound(until),
        }
    }

    /// True if the port has nothing to send, so that the next arrival determines [`bound`](Self::bound).
    #[inline]
    pub fn rests(&self) -> bool {
        match &self.way {
            Way::Slotted(way, _) => way.rests(),
            // A longer lookahead costs more than it saves: packets that overtake others would do so in longer queues.
            Way::Whole(..) => false,
        }
    }

    /// Simulates the port up to `horizon`.
    ///
    /// # Errors
    /// If the order of two packets of one instant is not known.
    pub fn advance<O: Observer>(&mut self, horizon: Time, around: Served<'_, O, ()>) -> Result<(), Tie> {
        match &mut self.way {
            Way::Slotted(way, SlottedPort::InRounds(port)) => way.advance_by_rounds(horizon, &mut around.at(port)),
            Way::Slotted(way, SlottedPort::InSlots(port)) => way.advance_by_slots(horizon, &mut around.at(port)),
            Way::Whole(way, WholePort::InAdvance(port)) => return way.advance_booked(horizon, &mut around.at(port)),
            Way::Whole(way, WholePort::ByPacket(port)) => return way.advance(horizon, &mut around.at(port)),
        }
        Ok(())
    }

    /// The port.
    pub fn port(&self) -> &AnyPort {
        match &self.way {
            Way::Slotted(_, SlottedPort::InRounds(port)) => port,
            Way::Whole(_, WholePort::InAdvance(port)) => port,
            Way::Slotted(_, SlottedPort::InSlots(port)) | Way::Whole(_, WholePort::ByPacket(port)) => port,
        }
    }

    /// Mutable reference to this port.
    pub fn port_mut(&mut self) -> &mut AnyPort {
        match &mut self.way {
            Way::Slotted(_, SlottedPort::InRounds(port)) => port,
            Way::Whole(_, WholePort::InAdvance(port)) => port,
            Way::Slotted(_, SlottedPort::InSlots(port)) | Way::Whole(_, WholePort::ByPacket(port)) => port,
        }
    }

    /// The packets that a receiver takes for a continuation of others, since the last call.
    #[inline]
    pub fn take_spoiled(&mut self) -> impl Iterator<Item = PacketId> {
        let state = match &mut self.way {
            Way::Slotted(_, port) => Some(port.state_mut()),
            Way::Whole(..) => None,
        };
        state.into_iter().flat_map(PortState::take_spoiled)
    }

    /// Takes the next packet that reaches its receiver, by its last cell. Calls `soon` for one that arrives soon, to prefetch it.
    #[inline]
    pub fn take(&mut self, number: u64, links: &mut Links, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        match &mut self.way {
            Way::Slotted(way, _) => way.take(soon),
            Way::Whole(way, _) => way.take(number, links, soon),
        }
    }

    /// Counts the work of lines until `until`.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        if let Way::Slotted(_, SlottedPort::InRounds(port)) = &mut self.way {
            port.take_off_sent(1);
        }
        match &mut self.way {
            Way::Slotted(way, _) => way.settle(until, links),
            Way::Whole(way, _) => way.settle(until, links),
        }
    }

    /// Services of the port.
    pub fn services(&self) -> u64 {
        match &self.way {
            Way::Slotted(way, _) => way.services,
            Way::Whole(way, _) => way.services,
        }
    }

    /// [Trains](longfat_network::link::Line::trains) on lines besides those that the lines keep, of each line in order and before those;
    /// behind the port last cells only.
    pub fn trains(&self) -> Vec<(usize, Train)> {
        match &self.way {
            Way::Slotted(way, _) => way.trains().collect(),
            Way::Whole(way, _) => way.trains().collect(),
        }
    }

    /// Bytes that are allocated for what is under way.
    pub fn memory_bytes(&self) -> usize {
        match &self.way {
            Way::Slotted(way, _) => way.memory_bytes(),
            Way::Whole(way, _) => way.memory_bytes(),
        }
    }

    /// Cells under way besides those that the lines keep.
    pub fn cells_under_way(&self) -> u64 {
        match &self.way {
            Way::Slotted(way, _) => way.cells_under_way(),
            Way::Whole(way, _) => way.cells_under_way(),
        }
    }
}

impl SlottedPort {
    #[inline]
    fn state_mut(&mut self) -> &mut PortState {
        match self {
            Self::InRounds(port) => port.state_mut(),
            Self::InSlots(port) => port.state_mut(),
        }
    }
}
