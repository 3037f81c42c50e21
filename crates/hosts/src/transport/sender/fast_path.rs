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
        if self.goes_on_by_recovery
            && tells_new_data_alone(acknowledgment, self.connection.unacknowledged())
            && let Some(response) = self.recovery.go_on(now, &self.connection, acknowledgment)
        {
            self.go_on_by_recovery(now, acknowledgment, response, segments);
        } else {
            self.take_any_acknowledgment(now, acknowledgment, segments);
        }
    }

    /// Fast path of [`take_any_acknowledgment`](Self::take_any_acknowledgment) where the recovery is told of everything, nothing is missing
    /// and the window alone limits what is sent.
    fn go_on_by_recovery(
        &mut self,
        now: Time,
        acknowledgment: &Acknowledgment,
        response: Response,
        segments: &mut Vec<Segment>,
    ) {
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
        let window = connection.window.usable().max(connection.flight().min(connection.window.receiver_window()));
        let recovery = &mut self.recovery;
        connection.send_new(now, window, segments, |connection, piece| recovery.on_send(now, connection, piece));
        self.wakes = None;
        self.watch_waiting_data(now);
        self.recovery_due = self.recovery.wakes(&self.connection);
        self.wakes = self.recovery_due;
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
