//! What a connection does for window laws that go by deliveries, and for pacing.

use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;

use super::Connection;
use crate::transport::{Acknowledgment, Piece, Sample, Standing};

impl Connection {
    /// A piece leaves of a connection that is paced.
    #[cold]
    pub(super) fn note_paced(&mut self, now: Time, piece: Piece) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.note_sent(now, piece, self.in_flight + piece.length);
        }
        if let Some(pacer) = &mut self.pacer {
            let rate = self.law.pacing_rate(&self.window).or_else(|| pacer.rate(&self.window));
            pacer.note_sent(now, piece.length, rate);
        }
    }

    /// When the next segment may leave, if segments are paced.
    #[must_use]
    pub fn paced_until(&self) -> Option<Time> {
        self.pacer.as_ref().map(|pacer| pacer.next())
    }

    /// Whether the window law goes by deliveries.
    #[must_use]
    pub fn observes_deliveries(&self) -> bool {
        self.deliveries.is_some()
    }

    /// Whether the window law is told neither of deliveries nor of marks.
    pub fn observes_nothing(&self) -> bool {
        !self.observes_deliveries() && !self.observes_marks
    }

    /// The recovery says how many bytes are in the network, before the next piece is sent.
    pub fn note_in_flight(&mut self, bytes: u64) {
        self.in_flight = bytes;
    }

    /// The recovery has found a piece to be lost: the window law hears of it.
    pub fn note_lost(&mut self, now: Time, piece: Piece) {
        if let Some(lost) = self.deliveries.as_mut().and_then(|deliveries| deliveries.note_lost(piece)) {
            self.law.on_lost_segment(&mut self.window, &lost, now);
        }
    }

    /// Gives the window law its chance.
    pub fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.law.take_chance(chance);
    }

    /// Bytes that were sent so far, again or not, where deliveries are observed.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.deliveries.as_ref().map_or(0, |deliveries| deliveries.bytes_sent())
    }

    /// Takes in what an acknowledgment tells of deliveries, before all else.
    pub fn take_in_deliveries(&mut self, now: Time, acknowledgment: &Acknowledgment) -> Option<Sample> {
        let highest = self.highest;
        self.deliveries.as_mut().map(|deliveries| deliveries.take_in(now, acknowledgment, highest))
    }

    /// Lets the window law answer to it, after all else.
    pub fn respond_to_deliveries(&mut self, now: Time, sample: Sample, standing: Standing) {
        let Some(deliveries) = &mut self.deliveries else { return };
        self.law.on_delivery(&mut self.window, &deliveries.delivery(sample, now, standing));
        if self.law.sends_less_than_it_could() {
            deliveries.limit(standing.in_flight);
        }
        self.statistics.max_cwnd = self.statistics.max_cwnd.max(self.window.cwnd);
    }

    /// The application has no more to send, though the window would allow it with `in_flight` bytes in the network.
    pub fn note_lack_of_data(&mut self, in_flight: u64) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.limit(in_flight);
        }
    }

    /// The application hands over data when nothing is under way.
    pub fn restart_from_idle(&mut self, now: Time) {
        self.law.on_restart_from_idle(now);
    }

    /// Bytes that are allocated for what is known of losses and deliveries.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let deliveries = self.deliveries.as_ref().map_or(0, |deliveries| deliveries.memory_bytes());
        self.scoreboard.arrived().memory_bytes() + self.marks.memory_bytes() + deliveries
    }
}
