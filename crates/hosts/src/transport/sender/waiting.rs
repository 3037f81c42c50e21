//! What a sender waits for, and until when.

use longfat_foundation::measure::SendLimit;
use longfat_foundation::units::Time;

use super::{Opening, Sender};

/// What a sender waits for.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// When it [`expires`](Sender::expires).
    pub expires: Option<Time>,
    /// What it lacks: its [`send_limit`](Sender::send_limit).
    pub limit: SendLimit,
    /// Whether what expires next is a timer that makes it send something again: not pacing, nor the wait before a delayed
    /// retransmission.
    pub has_timer: bool,
}

impl Sender {
    /// What it lacks to send more, as far as it can know: whether anything under way could still make it send, it cannot.
    #[must_use]
    pub fn send_limit(&self) -> SendLimit {
        let connection = &self.connection;
        match self.opening {
            Opening::Closed => SendLimit::NoData,
            Opening::Synchronizing { .. } => SendLimit::Opening,
            Opening::Open if self.is_recovering || connection.held_until().is_some() => SendLimit::Recovery,
            Opening::Open if connection.has_data_to_send() => connection.window.send_limit(),
            Opening::Open if self.tells_everything && self.recovery.has_to_send_again(&self.connection) => {
                connection.window.send_limit()
            }
            Opening::Open => SendLimit::NoData,
        }
    }

    /// When it wants to be woken by [`expire`](Self::expire): when the retransmission timer expires, when the wait before a
    /// delayed retransmission is over, when pacing lets the next segment leave, or when the recovery wants it.
    #[must_use]
    pub fn expires(&self) -> Option<Time> {
        match (self.connection.expires(), self.connection.held_until(), self.wakes) {
            (timer, None, None) => timer,
            (timer, held, wakes) => [timer, held, wakes].into_iter().flatten().min(),
        }
    }

    /// What it waits for.
    #[must_use]
    #[inline]
    pub fn waits_for(&self) -> Waiting {
        if !self.goes_well {
            return self.waits_for_in_general();
        }
        let expires = self.connection.expires();
        let has_data = self.connection.has_data_to_send();
        let limit = if has_data { self.connection.window.send_limit() } else { SendLimit::NoData };
        Waiting { expires, limit, has_timer: expires.is_some() }
    }

    #[inline(never)]
    fn waits_for_in_general(&self) -> Waiting {
        let expires = self.expires();
        let is_timer = expires.is_some() && (self.times_out_next() || self.wakes_recovery_next());
        // Probes of a closed window make nothing be sent again.
        let has_timer = is_timer && !self.connection.is_shut_out();
        Waiting { expires, limit: self.send_limit(), has_timer }
    }

    /// When the recovery wants to be woken. It goes before a timer that expires at the same time, in whose place it may send.
    #[inline]
    pub(super) fn recovery_wakes(&self) -> Option<Time> {
        if self.tells_everything && self.connection.held_until().is_none() {
            self.recovery.wakes(&self.connection)
        } else {
            None
        }
    }

    /// Whether what expires next is a timer of the recovery.
    #[must_use]
    pub fn wakes_recovery_next(&self) -> bool {
        let wakes = self.recovery_wakes();
        wakes.is_some() && wakes == self.expires()
    }

    /// Whether the retransmission timer is what expires next.
    #[must_use]
    #[inline]
    pub fn times_out_next(&self) -> bool {
        let nothing_else = self.connection.held_until().is_none() && self.wakes.is_none();
        nothing_else || (self.expires() == self.connection.expires() && !self.wakes_recovery_next())
    }
}
