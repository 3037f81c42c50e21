//! Lines whose capacity is asked for and granted.

use longfat_foundation::units::{LineClock, Time};

use super::{Line, Train};
use crate::capacity::Grants;
use crate::framing::Cell;

/// The grants of such a line, and its transmission in progress.
pub(super) struct Granted {
    grants: Grants,
    /// The packet that is being sent, where it takes more than is granted so far.
    beyond: Option<Cell>,
}

impl Line {
    /// From now on its capacity is asked for. Nothing was sent yet, and packets travel whole.
    pub fn ask_for_capacity(&mut self, grants: Grants) {
        self.granted = Some(Box::new(Granted { grants, beyond: None }));
    }

    /// Its grants, if its capacity is asked for.
    #[must_use]
    pub fn grants(&self) -> Option<&Grants> {
        self.granted.as_ref().map(|granted| &granted.grants)
    }

    /// Its grants, to ask for more.
    pub fn grants_mut(&mut self) -> Option<&mut Grants> {
        self.granted.as_mut().map(|granted| &mut granted.grants)
    }

    /// Whether the packet that is being sent takes more than was granted when it was looked at last.
    #[must_use]
    #[inline]
    pub fn is_sending_beyond_grants(&self) -> bool {
        self.granted.is_some() && self.granted_beyond().is_some()
    }

    /// The packet of which that is so.
    pub(super) fn granted_beyond(&self) -> Option<Cell> {
        self.granted.as_ref().and_then(|granted| granted.beyond)
    }

    /// Begins to send a packet of `bits` bits.
    pub(super) fn transmit_granted(&mut self, packet: Cell, bits: u64) {
        let Some(granted) = &mut self.granted else { return };
        let sent = granted.grants.send(self.free.time, bits);
        granted.beyond = Some(packet);
        self.note_sent(sent);
    }

    /// Goes on with the packet that takes more than was granted until now. Returns when it is sent, or until when more is granted.
    pub fn go_on(&mut self) -> LineClock {
        if let Some(granted) = &mut self.granted {
            let sent = granted.grants.go_on(self.free.time);
            self.note_sent(sent);
        }
        self.free
    }

    /// Notes when the packet is sent, if that is known.
    fn note_sent(&mut self, sent: Option<Time>) {
        let Some(granted) = &mut self.granted else { return };
        self.free = LineClock::at(sent.unwrap_or_else(|| granted.grants.decided_until()));
        if sent.is_some() {
            let constant = self.free.delayed(self.delay);
            let arrival = self.changing.as_mut().map_or(constant, |changing| changing.arrival_of(self.free));
            self.trains.extend(granted.beyond.take().map(|cell| Train { arrival, cell, cells: 1 }));
        }
    }
}
