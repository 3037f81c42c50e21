//! The way of data to the bottleneck's port and through it, ahead of everything else.
//!
//! What is on the lines to the port is known until the next moment at which a source can send, and a line's delay longer. So far
//! the port can be served without asking the calendar.

use longfat_foundation::units::{Span, Time};
use longfat_network::framing::Cell;

use super::order::{Moment, Tie};
use super::served::Served;
use super::slotted::Slotted;
use super::whole::Whole;
use super::{Carried, Path};
use crate::observer::Observer;
use crate::simulation::{Link, Links};

/// The port and the lines before and behind it.
pub(super) struct Forward {
    pub port: usize,
    /// What is sent takes at least as long to the port.
    pub latency_before: Span,
    latency_behind: Span,
    way: Way,
}

/// How packets travel.
enum Way {
    Slotted(Slotted),
    Whole(Whole),
}

impl Forward {
    /// For a port that is served first at `first_service`, and the lines of `path`.
    pub fn new(port: usize, path: &Path, links: &Links, first_service: Option<Time>) -> Self {
        let way = match &path.behind {
            None => Way::Slotted(Slotted::new(path, links, first_service)),
            Some(lines) => Way::Whole(Whole::new(path, lines.clone())),
        };
        Self { port, latency_before: path.latency_before, latency_behind: path.latency_behind, way }
    }

    /// Nobody looks before `until`.
    pub fn proceed(&mut self, until: Time) {
        if let Way::Slotted(way) = &mut self.way {
            way.proceed(until);
        }
    }

    /// What is sent takes at least as long to the receivers.
    #[inline]
    pub fn latency(&self) -> Span {
        self.latency_before + self.latency_behind
    }

    /// A sender hands a packet to the line with that number.
    ///
    /// # Errors
    /// If it cannot be told whether it comes before another.
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
            Way::Slotted(way) => {
                way.send(now, number, &mut link.line, first, cells, bits);
                Ok(())
            }
            Way::Whole(way) => way.send(now, number, link, first, bits),
        }
    }

    /// When the next packet reaches its receiver, of those that have left the port.
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.way {
            Way::Slotted(way) => way.next_time(),
            Way::Whole(way) => way.next_time(),
        }
    }

    /// The same, and when, by events, that was put into the calendar.
    pub fn next(&self) -> Moment {
        match &self.way {
            Way::Slotted(way) => way.next(),
            Way::Whole(way) => way.next(),
        }
    }

    /// As [`Fan::next_follows`](super::fan::Fan::next_follows); of cells it is not known.
    pub fn next_follows(&self, links: &Links) -> Option<u64> {
        match &self.way {
            Way::Slotted(_) => None,
            Way::Whole(way) => way.next_follows(links),
        }
    }

    /// What the port has not sent yet, of what is on its way to it or from it, arrives no earlier than this, if it sends anything before
    /// `until`.
    #[inline]
    pub fn bound(&self, until: Time) -> Time {
        match &self.way {
            Way::Slotted(way) => way.bound(until),
            Way::Whole(way) => way.bound(until),
        }
    }

    /// Whether the port has nothing to send and what comes next is sent first, where the bound goes by that.
    #[inline]
    pub fn rests(&self) -> bool {
        match &self.way {
            Way::Slotted(way) => way.rests(),
            // Far ahead of the ends, packets that overtake others would have to do so in longer rows.
            Way::Whole(_) => false,
        }
    }

    /// Lets everything happen before `horizon` at the port.
    ///
    /// # Errors
    /// If it cannot be told which of two packets arrives first.
    pub fn advance<O: Observer>(&mut self, horizon: Time, served: &mut Served<'_, O>) -> Result<(), Tie> {
        match &mut self.way {
            Way::Slotted(way) => {
                way.advance(horizon, served);
                Ok(())
            }
            Way::Whole(way) if served.port.books_packets() => way.advance_booked(horizon, served),
            Way::Whole(way) => way.advance(horizon, served),
        }
    }

    /// Takes the next packet that reaches its receiver, by its last cell, and tells of one that will soon.
    #[inline]
    pub fn take(&mut self, number: u64, links: &mut Links, soon: impl FnOnce(&Cell)) -> Option<Cell> {
        match &mut self.way {
            Way::Slotted(way) => way.take(soon),
            Way::Whole(way) => way.take(number, links, soon),
        }
    }

    /// Counts what was carried until now.
    pub fn settle(&mut self, until: Time, links: &mut Links) -> Carried {
        match &mut self.way {
            Way::Slotted(way) => way.settle(until, links),
            Way::Whole(way) => way.settle(until, links),
        }
    }

    /// Services of the port.
    pub fn services(&self) -> u64 {
        match &self.way {
            Way::Slotted(way) => way.services,
            Way::Whole(way) => way.services,
        }
    }

    /// What is on lines and they do not know of: trains as [`Line::trains`] gives them, of each line in order and before those that
    /// it knows of; of last cells only behind the port.
    pub fn trains(&self) -> Vec<(usize, (Cell, u32, bool))> {
        match &self.way {
            Way::Slotted(way) => way.trains().collect(),
            Way::Whole(way) => way.trains().collect(),
        }
    }

    /// Cells on the way that the lines do not know of.
    pub fn cells_under_way(&self) -> u64 {
        match &self.way {
            Way::Slotted(way) => way.cells_under_way(),
            Way::Whole(way) => way.cells_under_way(),
        }
    }
}
