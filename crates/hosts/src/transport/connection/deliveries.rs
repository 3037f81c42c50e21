//! Delivery rates for the laws that use them, and pacing.

use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::Connection;
use crate::transport::law::{Arrivals, Phase};
use crate::transport::resume::Resumption;
use crate::transport::{Acknowledgment, Piece, Sample, Standing};

impl Connection {
    /// Records a transmission for delivery rates and for the pacer.
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

    /// Time from which pacing lets the next segment go; `None` without pacing.
    #[must_use]
    pub fn paced_until(&self) -> Option<Time> {
        self.pacer.as_ref().map(|pacer| pacer.next())
    }

    /// Whether the host's discipline takes `piece` ahead of its time.
    #[cold]
    pub fn takes_early(&mut self, piece: Piece) -> bool {
        let again = piece.sequence < self.highest;
        let Some(pacer) = self.pacer.as_ref().filter(|pacer| pacer.has_discipline()) else { return false };
        let rate = self.law.pacing_rate(&self.window).or_else(|| pacer.rate(&self.window));
        pacer.takes_early(self.mss, rate, again)
    }

    /// Hands a piece over to the host's discipline, which lets it go at `departs`. Its times are counted from then.
    #[cold]
    pub fn hand_over(&mut self, departs: Time, piece: Piece) {
        let segment = self.segment_of(departs, piece);
        if let Some(pacer) = &mut self.pacer {
            pacer.enqueue(departs, segment);
        }
    }

    /// Whether segments are paced.
    #[inline]
    #[must_use]
    pub fn is_paced(&self) -> bool {
        self.pacer.is_some()
    }

    /// Whether segments are handed over to a discipline at the host's interface.
    #[inline]
    #[must_use]
    pub fn has_discipline(&self) -> bool {
        self.pacer.as_ref().is_some_and(|pacer| pacer.has_discipline())
    }

    /// Sends what is due of the host's discipline.
    #[cold]
    pub fn send_due(&mut self, now: Time) {
        if let Some(pacer) = &mut self.pacer {
            self.outbox.extend(std::iter::from_fn(|| pacer.dequeue(now)));
        }
    }

    /// When the next segment leaves the host's discipline.
    #[must_use]
    pub fn departs(&self) -> Option<Time> {
        self.pacer.as_ref().and_then(|pacer| pacer.departs())
    }

    /// True if segments are followed for a delivery rate or round trips, of which each acknowledgment gives a sample.
    #[inline]
    #[must_use]
    pub fn samples_deliveries(&self) -> bool {
        self.deliveries.is_some()
    }

    /// Whether the law uses delivery rates.
    #[must_use]
    pub fn observes_deliveries(&self) -> bool {
        self.observes_deliveries
    }

    /// True if the law uses neither delivery rates, round trips of single segments nor marks.
    pub fn observes_nothing(&self) -> bool {
        self.deliveries.is_none() && !self.asks_recovery && !self.observes_marks
    }

    /// Sets the bytes in flight by the recovery's estimate, before the next piece is sent.
    pub fn note_in_flight(&mut self, bytes: u64) {
        self.in_flight = bytes;
    }

    /// Passes a piece that the recovery has marked as lost to the law.
    pub fn note_lost(&mut self, now: Time, piece: Piece) {
        if let Some(lost) = self.deliveries.as_mut().and_then(|deliveries| deliveries.note_lost(piece)) {
            self.law.on_lost_segment(&mut self.window, &lost, now);
        }
    }

    /// Gives the law a stream of random numbers.
    pub fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.law.take_chance(chance);
    }

    /// The rule of resumption beside the law, if there is one.
    pub fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.law.resumption()
    }

    /// Bytes sent so far, retransmissions included; 0 for laws without delivery rates.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.deliveries.as_ref().map_or(0, |deliveries| deliveries.bytes_sent())
    }

    /// Samples deliveries from an acknowledgment, before anything else handles it.
    pub fn take_in_deliveries(&mut self, now: Time, acknowledgment: &Acknowledgment) -> Option<Sample> {
        let highest = self.highest;
        self.deliveries.as_mut().map(|deliveries| deliveries.take_in(now, acknowledgment, highest))
    }

    /// Takes round trips of segments from the recovery, which knows them, unless the law needs to know what was delivered.
    pub fn take_round_trips_from_recovery(&mut self) {
        if self.deliveries.is_some() && !self.observes_deliveries && !self.law.counts_delivered() {
            (self.deliveries, self.asks_recovery) = (None, true);
            self.notes_departures = self.is_paced();
        }
    }

    /// State of the loss recovery, for [`observe_round_trip`](Self::observe_round_trip) if the law uses that.
    #[must_use]
    pub fn phase_to_tell(&self, is_recovering: bool) -> Option<Phase> {
        self.asks_recovery.then(|| self.phase(is_recovering))
    }

    /// Passes an acknowledgment up to `next` to the law, before recovery and growth respond to it.
    pub fn observe_arrivals(&mut self, now: Time, next: u64, sample: Sample, is_recovering: bool) {
        let Some(deliveries) = self.deliveries.as_ref().filter(|_| self.observes_arrivals) else { return };
        let (round_trip, delivered_since) = deliveries.newest(sample, now);
        self.observe(now, next, round_trip, delivered_since, self.phase(is_recovering));
    }

    /// [`observe_arrivals`](Self::observe_arrivals) with the recovery's round trip, in the phase before the acknowledgment.
    pub fn observe_round_trip(&mut self, now: Time, next: u64, round_trip: Option<Span>, phase: Phase) {
        self.observe(now, next, round_trip, 0, phase);
    }

    fn observe(&mut self, now: Time, next: u64, round_trip: Option<Span>, delivered_since: u64, phase: Phase) {
        let bytes = next - self.unacknowledged;
        let arrivals = Arrivals {
            now,
            segments: self.window.in_segments(bytes),
            bytes,
            round_trip,
            delivered_since,
            unacknowledged: next,
            highest: self.highest,
            phase,
            is_paced: self.pacer.is_some(),
        };
        self.law.on_arrivals(&mut self.window, &arrivals);
    }

    /// State of the loss recovery.
    pub(super) fn phase(&self, is_recovering: bool) -> Phase {
        if is_recovering {
            Phase::Recovery
        } else if self.unacknowledged < self.arrived_before_timeout {
            Phase::Loss
        } else if self.scoreboard.arrived().is_empty() {
            Phase::Open
        } else {
            Phase::Disorder
        }
    }

    /// Tells the law that a recovery that has reduced the window is over.
    pub fn note_recovered(&mut self) {
        self.law.on_recovered(&mut self.window, self.highest);
    }

    /// Passes the completed sample to the law, after recovery and growth.
    pub fn respond_to_deliveries(&mut self, now: Time, sample: Sample, standing: Standing) {
        let Some(deliveries) = &mut self.deliveries else { return };
        self.law.on_delivery(&mut self.window, &deliveries.delivery(sample, now, standing));
        if self.law.sends_less_than_it_could() {
            deliveries.limit(standing.in_flight);
        }
        self.note_largest_window();
    }

    /// Records the window if none was larger.
    pub fn note_largest_window(&mut self) {
        self.statistics.max_cwnd = self.statistics.max_cwnd.max(self.window.cwnd);
    }

    /// Marks the connection application-limited: the window has room beyond `in_flight` bytes and there is no data.
    pub fn note_lack_of_data(&mut self, in_flight: u64) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.limit(in_flight);
        }
    }

    /// Notifies the law of a restart from idle.
    pub fn restart_from_idle(&mut self, now: Time) {
        self.law.on_restart_from_idle(now);
    }

    /// Bytes allocated for the state of losses and deliveries.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let deliveries = self.deliveries.as_ref().map_or(0, |deliveries| deliveries.memory_bytes());
        self.scoreboard.arrived().memory_bytes() + self.marks.memory_bytes() + deliveries
    }
}
