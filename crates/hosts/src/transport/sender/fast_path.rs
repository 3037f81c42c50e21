//! Fast paths for acknowledgments of new data, while nothing is missing.

use longfat_foundation::units::Time;

use super::{Acknowledgment, Response, Segment, Sender, tells_new_data_alone};

impl Sender {
    #[inline(never)]
    pub(super) fn take_other_acknowledgment(
        &mut self,
        now: Time,
        acknowledgment: &Acknowledgment,
        segments: &mut Vec<Segment>,
    ) {
        let goes_on =
            self.goes_on_by_recovery && tells_new_data_alone(acknowledgment, self.connection.unacknowledged());
        if !(goes_on && self.go_on_by_recovery(now, acknowledgment, segments)) {
            self.take_any_acknowledgment(now, acknowledgment, segments);
        }
    }

    /// Fast path of [`take_any_acknowledgment`](Self::take_any_acknowledgment) where the recovery is told of everything and nothing is missing.
    /// Tells whether that is so.
    #[inline(always)]
    fn go_on_by_recovery(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) -> bool {
        if self.connection.samples_deliveries() {
            return self.go_on_with_deliveries(now, acknowledgment, segments);
        }
        let Some(response) = self.recovery.go_on(now, &self.connection, acknowledgment) else { return false };
        self.advance(now, acknowledgment, response);
        self.send_undisturbed(now, segments);
        true
    }

    /// [`go_on_by_recovery`](Self::go_on_by_recovery) with a sample of what was delivered.
    #[inline(never)]
    fn go_on_with_deliveries(
        &mut self,
        now: Time,
        acknowledgment: &Acknowledgment,
        segments: &mut Vec<Segment>,
    ) -> bool {
        let before = self.connection.observes_deliveries().then(|| self.look_at_network());
        let Some(response) = self.recovery.go_on(now, &self.connection, acknowledgment) else { return false };
        let sample = self.connection.take_in_deliveries(now, acknowledgment);
        if let Some(sample) = sample {
            self.connection.observe_arrivals(now, acknowledgment.next, sample, false);
        }
        self.advance(now, acknowledgment, response);
        match (before, sample) {
            (Some(before), Some(sample)) => self.respond_to_deliveries(now, before, sample),
            _ => self.connection.note_largest_window(),
        }
        self.send_undisturbed(now, segments);
        true
    }

    /// Advances the left edge, measures the round trip and grows the window where nothing is missing.
    #[inline(always)]
    fn advance(&mut self, now: Time, acknowledgment: &Acknowledgment, response: Response) {
        self.is_undisturbed = true;
        let connection = &mut self.connection;
        if let Some(phase) = connection.phase_to_tell(false) {
            connection.observe_round_trip(now, acknowledgment.next, self.recovery.newest_round_trip(), phase);
        }
        let bytes = connection.advance(acknowledgment.next);
        let has_measured = connection.measure_round_trip(now, acknowledgment, false);
        match response.counted {
            Some(counted) => connection.grow_for(now, bytes, counted, has_measured),
            None => connection.grow(now, bytes, has_measured),
        }
        if let Some(before) = connection.window.take_back_off() {
            self.recovery.on_back_off(connection, before);
        }
        connection.renew_timer(now);
    }

    /// Fast path of [`take_any_acknowledgment`](Self::take_any_acknowledgment) ("header prediction", Jacobson 1990). Exact while nothing
    /// is lost and the acknowledgment carries only new data: recovery, marks and delivery rates would not act.
    #[inline(always)]
    pub(super) fn go_on(&mut self, now: Time, acknowledgment: &Acknowledgment, segments: &mut Vec<Segment>) {
        let connection = &mut self.connection;
        let bytes = connection.advance(acknowledgment.next);
        let has_measured = connection.measure_round_trip(now, acknowledgment, false);
        connection.grow(now, bytes, has_measured);
        connection.renew_timer(now);
        connection.send_new(now, connection.window.usable(), segments, |_, _| {});
        self.watch_waiting_data(now);
    }
}
