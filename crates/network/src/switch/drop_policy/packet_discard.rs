//! Discarding by packets: what the policies that see packet boundaries share.

use super::{Asked, Occupancy, Verdict};
use crate::framing::Cell;

/// The fate of the cells of a circuit's current packet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// They are accepted while there is room.
    Accepted,
    /// The packet was refused at its first cell: none of it enters.
    Refused,
    /// A cell of it was lost: only its last cell may enter, which marks the end of the packet for the receiver.
    Truncated,
}

/// Remembers for each circuit what becomes of its current packet.
pub struct PacketDiscard {
    fates: Vec<Fate>,
    discards_remainder: bool,
}

impl PacketDiscard {
    /// For `circuits` circuits; `discards_remainder` if a packet that lost a cell to a full buffer loses its
    /// other cells too, but for the last (partial packet discard).
    #[must_use]
    pub fn new(circuits: usize, discards_remainder: bool) -> Self {
        Self { fates: vec![Fate::Accepted; circuits], discards_remainder }
    }

    /// About which cells of a circuit's current packet it must be asked: a packet that was accepted is let in while there is room, and
    /// so is the next one if the policy does not refuse some.
    #[must_use]
    #[inline]
    pub fn asked(&self, circuit: usize, refuses_some: bool) -> Asked {
        match self.fates[circuit] {
            Fate::Accepted if refuses_some => Asked::AtFirst,
            Fate::Accepted => Asked::Never,
            Fate::Refused | Fate::Truncated => Asked::Always,
        }
    }

    /// Decides about a cell; `refuses` is asked once for each packet, at its first cell.
    #[inline]
    pub fn decide(
        &mut self,
        cell: Cell,
        circuit: usize,
        occupancy: &Occupancy,
        refuses: impl FnOnce() -> bool,
    ) -> Verdict {
        if cell.is_first() {
            self.fates[circuit] = if refuses() { Fate::Refused } else { Fate::Accepted };
        }
        match self.fates[circuit] {
            Fate::Refused => Verdict::Refused,
            Fate::Truncated if !cell.is_last() => Verdict::Remainder,
            _ if occupancy.is_full() => {
                if self.discards_remainder {
                    self.fates[circuit] = Fate::Truncated;
                }
                Verdict::Overflow
            }
            _ => Verdict::Accept,
        }
    }
}
