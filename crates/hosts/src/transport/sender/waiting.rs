//! The limit that keeps a sender from sending, and its next wake-up.

use longfat_foundation::measure::SendLimit;
use longfat_foundation::units::Time;

use super::sending::earlier;
use super::{Opening, Sender};
pub use crate::end_system::Waiting;

impl Sender {
    /// The limit that binds, as far as the sender can know it: it cannot know whether anything in flight will still make it send.
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

    /// Time at which [`expire`](Self::expire) must be called: the earliest of the retransmission timer, the end of the pause before a delayed
    /// retransmission, pacing, and the recovery's own timers.
    #[must_use]
    pub fn expires(&self) -> Option<Time> {
        match (self.connection.expires(), self.connection.held_until(), self.wakes) {
            (timer, None, None) => timer,
            (timer, held, wakes) => earlier(earlier(timer, held), wakes),
        }
    }

    /// Binding limit and next wake-up.
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
        let connection = &self.connection;
        if self.goes_on_by_recovery
            && !connection.is_paced()
            && connection.flight() > 0
            && connection.has_data_to_send()
        {
            let (expires, limit) = (earlier(connection.expires(), self.wakes), connection.window.send_limit());
            return Waiting { expires, limit, has_timer: expires.is_some() };
        }
        let (expires, timer) = (self.expires(), self.connection.expires());
        let is_timer = expires.is_some() && (expires == timer || expires == self.recovery_due);
        // Probes of a closed window retransmit nothing.
        let has_timer = is_timer && !self.connection.is_shut_out();
        Waiting { expires, limit: self.send_limit(), has_timer }
    }

    /// Next timer of the recovery. It precedes a retransmission timer that expires at the same time, since it may send in its place.
    #[inline]
    pub(super) fn recovery_wakes(&self) -> Option<Time> {
        if self.tells_everything && self.connection.held_until().is_none() {
            self.recovery.wakes(&self.connection)
        } else {
            None
        }
    }

    /// Whether the next wake-up is a timer of the recovery.
    #[must_use]
    pub fn wakes_recovery_next(&self) -> bool {
        self.recovery_due.is_some() && self.recovery_due == self.expires()
    }

    /// Whether the next wake-up is the retransmission timer.
    #[must_use]
    #[inline]
    pub fn times_out_next(&self) -> bool {
        let nothing_else = self.connection.held_until().is_none() && self.wakes.is_none();
        nothing_else || (self.expires() == self.connection.expires() && !self.wakes_recovery_next())
    }
}
