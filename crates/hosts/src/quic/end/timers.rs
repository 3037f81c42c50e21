//! Loss detection and probe timeouts (RFC 9002 section 6 and appendix A).

use longfat_foundation::units::{Span, Time};

use super::super::frame::Frame;
use super::super::sent::{self, Numbered};
use super::{End, Side, Space};

/// Probes at a timeout (RFC 9002 section 6.2.4).
const PROBES: u64 = 2;

/// Largest exponent of the backoff: more would be days.
pub(super) const LARGEST_EXPONENT: u32 = 16;

impl End {
    /// Probe timeout of data, without backoff.
    pub(super) fn probe_timeout(&self) -> Span {
        self.round_trip.probe_timeout() + self.peer_delay
    }

    fn earliest_loss(&self) -> Option<(Time, Space)> {
        let times =
            Space::ALL.into_iter().filter_map(|space| Some((self.spaces[space as usize].sent.loss_time?, space)));
        times.min()
    }

    /// True if the server is known to have validated the client's address (`PeerCompletedAddressValidation`).
    fn is_known_to_be_validated(&self) -> bool {
        self.side == Side::Server
            || self.spaces[Space::Handshake as usize].sent.largest_acknowledged.is_some()
            || self.is_confirmed
    }

    /// True if something that must be acknowledged is under way in a space, or messages of the handshake wait for the window: without a timer
    /// for these, data in flight that the peer cannot read before would hold them back for ever.
    fn awaits_probe(&self, space: Space) -> bool {
        let state = &self.spaces[space as usize];
        state.sent.has_eliciting() || (!state.is_discarded && state.crypto_out.next(u64::MAX).is_some())
    }

    /// When and in which space the next probe goes (`GetPtoTimeAndSpace`).
    fn probe_time(&self, now: Time) -> Option<(Time, Space)> {
        let backoff = 1 << self.probe_timeouts.min(LARGEST_EXPONENT);
        let after = |span: Span, time: Time| time.saturating_add(Span(span.0.saturating_mul(backoff)));
        if !Space::ALL.into_iter().any(|space| self.awaits_probe(space)) {
            let has_keys = self.spaces[Space::Handshake as usize].has_keys;
            let space = if has_keys { Space::Handshake } else { Space::Initial };
            return Some((after(self.round_trip.probe_timeout(), now), space));
        }
        let times = Space::ALL.into_iter().filter_map(|space| {
            let sent = &self.spaces[space as usize].sent;
            let is_ready = self.awaits_probe(space) && (space != Space::Data || self.is_confirmed);
            let timeout = if space == Space::Data { self.probe_timeout() } else { self.round_trip.probe_timeout() };
            is_ready.then(|| (after(timeout, sent.last_eliciting.unwrap_or(now)), space))
        });
        times.min()
    }

    /// Sets the timer (`SetLossDetectionTimer`).
    pub(super) fn set_loss_timer(&mut self, now: Time) {
        let is_calm = Space::ALL.into_iter().all(|space| !self.awaits_probe(space));
        let waits_in_vain = is_calm && self.is_known_to_be_validated();
        self.loss_timer = match self.earliest_loss() {
            Some((time, _)) => Some(time),
            None if self.is_held_back() || waits_in_vain => None,
            None => self.probe_time(now).map(|(time, _)| time),
        };
    }

    /// Does what is due.
    pub(super) fn expire_timers(&mut self, now: Time) {
        if self.paced_until.is_some_and(|time| time <= now) {
            self.paced_until = None;
        }
        if self.loss_timer.is_none_or(|time| time > now) {
            return;
        }
        if let Some((_, space)) = self.earliest_loss() {
            self.look_for_losses(now, space);
        } else {
            self.time_out(now);
        }
        self.set_loss_timer(now);
    }

    /// A probe timeout (`OnLossDetectionTimeout`).
    fn time_out(&mut self, now: Time) {
        let Some((_, space)) = self.probe_time(now) else { return };
        if self.awaits_probe(space) {
            self.statistics.timeouts += 1;
            self.space(space).probes = PROBES;
        } else {
            self.space(space).probes = 1;
        }
        self.probe_timeouts += 1;
    }

    /// Detects losses in a space, and returns the bytes that are lost.
    pub(super) fn look_for_losses(&mut self, now: Time, space: Space) -> u64 {
        let delay = self.round_trip.loss_delay(self.settings.time_threshold);
        let threshold = self.settings.packet_threshold;
        let lost = self.space(space).sent.detect_lost(now, delay, threshold);
        if lost.is_empty() {
            return 0;
        }
        let duration = Span(self.probe_timeout().0 * self.settings.persistent_congestion_threshold);
        let persists = sent::persists(&lost, self.round_trip.first_sample, duration);
        let edge = self.edge();
        let bytes = self.congestion.lose(now, &lost, edge, persists);
        self.lost.extend(lost.iter().map(|(number, sent)| (sent.kind, *number)));
        lost.into_iter().for_each(|lost| self.send_again(space, lost));
        bytes
    }

    fn send_again(&mut self, space: Space, (_, sent): Numbered) {
        self.datagrams.note_lost(&sent);
        if !sent.was_probed {
            sent.frames.iter().for_each(|frame| self.queue_again(space, frame));
        }
    }

    /// Queues a frame of a lost packet again, unless it is out of date (RFC 9000 section 13.3).
    pub(super) fn queue_again(&mut self, space: Space, frame: &Frame) {
        match frame {
            Frame::Crypto(range) => self.space(space).crypto_out.lose(*range),
            Frame::Stream { .. }
            | Frame::MaxData(_)
            | Frame::MaxStreamData(..)
            | Frame::MaxStreams(_)
            | Frame::DataBlocked(_)
            | Frame::StreamDataBlocked(..)
            | Frame::StreamsBlocked(_) => self.streams.lose(frame),
            Frame::HandshakeDone => self.pending.handshake_done = true,
            Frame::AckFrequency { .. } => self.pending.ack_frequency = true,
            Frame::Padding(_) | Frame::Ping | Frame::Ack(_) | Frame::ImmediateAck => {}
            Frame::Datagram { .. } | Frame::Other(_) => {}
        }
    }

    /// The peer can no longer be waiting for an answer to a probe.
    pub(super) fn end_backoff(&mut self) {
        if self.is_known_to_be_validated() {
            self.probe_timeouts = 0;
        }
    }
}
