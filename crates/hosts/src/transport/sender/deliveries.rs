//! Delivery samples for the laws that use them.

use longfat_foundation::units::Time;

use super::Sender;
use crate::transport::{Sample, Standing};

impl Sender {
    /// Bytes in the network, and all that were ever sent.
    pub(super) fn look_at_network(&self) -> (u64, u64) {
        (self.recovery.in_flight(&self.connection), self.connection.bytes_sent())
    }

    #[cold]
    pub(super) fn respond_to_deliveries(&mut self, now: Time, before: (u64, u64), sample: Sample) {
        let (in_flight, sent) = self.look_at_network();
        let standing = Standing {
            in_flight_before: before.0,
            in_flight,
            // What is neither in the network any more nor delivered.
            lost: (before.0 + sent - before.1).saturating_sub(in_flight + sample.bytes),
            is_recovering: self.is_recovering,
            unacknowledged: self.connection.unacknowledged(),
            highest: self.connection.highest(),
            departs: self.connection.paced_until().map_or(now, |departs| departs.max(now)),
        };
        self.connection.respond_to_deliveries(now, sample, standing);
    }

    /// Tells a law that goes by deliveries which segments were lost, where the recovery knows.
    pub(super) fn tell_of_losses(&mut self, now: Time) {
        let Self { recovery, connection, .. } = self;
        recovery.tell_lost(&mut |piece| connection.note_lost(now, piece));
    }
}
