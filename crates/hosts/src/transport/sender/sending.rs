//! Segments that leave a sender: what the window, the recovery and pacing allow.

use longfat_foundation::units::Time;

use super::{Opening, Segment, Sender};
use crate::transport::segment::Piece;

impl Sender {
    /// Sends all segments that the window, the recovery and pacing allow.
    pub(super) fn send_allowed(&mut self, now: Time, segments: &mut Vec<Segment>) {
        (self.wakes, self.recovery_due) = (None, None);
        if self.goes_on_undisturbed() {
            // Without a loss every recovery sends new data within the window.
            self.connection.empty_outbox(segments);
            self.connection.send_new(now, self.connection.window.usable(), segments, |_, _| {});
            self.watch_waiting_data(now);
            return;
        }
        let has_discipline = self.connection.has_discipline();
        if has_discipline {
            self.connection.send_due(now);
        }
        if self.opening == Opening::Open && self.connection.held_until().is_none() {
            self.send_as_recovery_says(now);
        }
        if has_discipline {
            self.watch_departures();
        }
        self.connection.empty_outbox(segments);
    }

    /// [`send_allowed`](Self::send_allowed) where all that is in flight is in the network, and the recovery is told of everything.
    // Always: without pacing there is one caller.
    #[inline(always)]
    pub(super) fn send_undisturbed(&mut self, now: Time, segments: &mut Vec<Segment>) {
        let Self { connection, recovery, .. } = self;
        let usable = connection.window.usable();
        let window = usable.max(connection.flight().min(connection.window.receiver_window()));
        if connection.is_paced() {
            return self.send_paced(now, usable, window, segments);
        }
        connection.send_new(now, window, segments, |connection, piece| recovery.on_send(now, connection, piece));
        self.wakes = None;
        self.watch_waiting_data(now);
        self.recovery_due = self.recovery.wakes(&self.connection);
        self.wakes = self.recovery_due;
    }

    /// Sends new data up to `window` bytes from the first unacknowledged on, as pacing allows. `usable` is the window alone; `window` is not below what is in flight.
    #[inline(never)]
    fn send_paced(&mut self, now: Time, usable: u64, window: u64, segments: &mut Vec<Segment>) {
        let has_discipline = self.connection.has_discipline();
        if has_discipline {
            self.connection.send_due(now);
        }
        self.wakes = None;
        self.send_pieces(now, |sender| sender.connection.next_within(window));
        let connection = &mut self.connection;
        if !connection.has_data_to_send() && connection.flight() < usable {
            connection.note_lack_of_data(connection.flight());
        }
        self.watch_waiting_data(now);
        self.recovery_due = self.recovery.wakes(&self.connection);
        self.wakes = earlier(self.wakes, self.recovery_due);
        if has_discipline {
            self.watch_departures();
        }
        self.connection.empty_outbox(segments);
    }

    /// Sends one piece after another until there is no `next`, or pacing has it wait.
    #[inline(always)]
    fn send_pieces(&mut self, now: Time, next: impl Fn(&Self) -> Option<Piece>) {
        while let Some(piece) = next(self) {
            let departs = self.connection.paced_until().filter(|until| *until > now);
            if departs.is_some() && !self.connection.takes_early(piece) {
                self.wakes = departs;
                break;
            }
            match departs {
                Some(departs) => self.hand_over(departs, piece),
                None => self.send(now, piece),
            }
        }
    }

    #[inline(never)]
    fn send_as_recovery_says(&mut self, now: Time) {
        self.send_pieces(now, |sender| sender.recovery.next(&sender.connection));
        let lacks_data = !self.connection.has_data_to_send() && !self.recovery.has_to_send_again(&self.connection);
        if lacks_data && self.connection.observes_deliveries() {
            let (in_flight, _) = self.look_at_network();
            if in_flight < self.connection.window.usable() {
                self.connection.note_lack_of_data(in_flight);
            }
        }
        self.watch_waiting_data(now);
        self.recovery_due = self.recovery_wakes();
        self.wakes = earlier(self.wakes, self.recovery_due);
    }

    #[cold]
    fn watch_departures(&mut self) {
        self.wakes = earlier(self.wakes, self.connection.departs());
    }

    #[inline]
    pub(super) fn watch_waiting_data(&mut self, now: Time) {
        // A window below one segment, possible with `window_after_loss = "half"`, sends nothing even when nothing is in flight. The
        // timer then runs, as in ns-2; otherwise the connection would stall forever.
        if self.connection.expires().is_none() && self.connection.has_waiting_data() && self.wakes.is_none() {
            self.connection.restart_timer(now);
        }
    }

    pub(super) fn send(&mut self, now: Time, piece: Piece) {
        self.note_sending(now, piece);
        self.connection.send(now, piece);
    }

    #[cold]
    fn hand_over(&mut self, departs: Time, piece: Piece) {
        self.note_sending(departs, piece);
        self.connection.hand_over(departs, piece);
    }

    fn note_sending(&mut self, departs: Time, piece: Piece) {
        if self.connection.observes_deliveries() {
            self.connection.note_in_flight(self.recovery.in_flight(&self.connection));
        }
        self.recovery.on_send(departs, &mut self.connection, piece);
    }
}

/// The earlier of two times, where there are any.
#[inline]
pub(super) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}
