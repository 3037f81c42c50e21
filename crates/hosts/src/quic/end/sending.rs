//! Sending: datagrams, packets and frames, as far as window and pacing allow.

use longfat_foundation::units::{Span, Time};

use super::super::frame::Frame;
use super::super::number::packet_number_bytes;
use super::super::pacing::Flow;
use super::super::packet::{Kind, Packet, TAG_BYTES};
use super::super::sent::Sent;
use super::super::settings::{Asked, Burst, Pacing, Probe};
use super::{End, Side, Space};
use crate::end_system::Parcel;
use crate::transport::Codepoint;
use crate::transport::law::microseconds;

/// Least size of datagrams with packets of the first kind (RFC 9000 section 14.1).
const LEAST_INITIAL_BYTES: u64 = 1200;

/// Bytes of packet number and frames that header protection needs (RFC 9001 section 5.4.2).
const LEAST_SAMPLE_BYTES: u64 = 4;

/// Room for frames below which no packet is begun.
const LEAST_ROOM_BYTES: u64 = 32;

/// Interval of a burst ([`Burst::Interval`]), and the range of its packets.
const BURST_INTERVAL: Span = Span::from_microseconds(2000);
const BURST_PACKETS: [f64; 2] = [10.0, 256.0];

impl End {
    /// The next datagram, if one may go now.
    pub(super) fn next_datagram(&mut self, now: Time) -> Option<Parcel> {
        if self.is_held_back() {
            return None;
        }
        let may_send = self.may_send(now);
        let is_probing = self.spaces.iter().any(|space| space.probes > 0);
        let (mut packets, mut used): (Vec<Packet>, u64) = (Vec::new(), 0);
        for space in Space::ALL {
            let room = self.settings.packet_bytes - used;
            if let Some(packet) = self.next_packet(now, space, room, may_send, is_probing) {
                used += packet.bytes();
                packets.push(packet);
            }
        }
        packets.first()?;
        // The padding is part of the first packet, which counts as in flight only until its keys are gone.
        let is_client = self.side == Side::Client;
        let initial =
            packets.iter_mut().find(|packet| packet.kind == Kind::Initial && (is_client || packet.is_eliciting()));
        let missing = LEAST_INITIAL_BYTES.saturating_sub(used);
        if let Some(packet) = initial.filter(|_| missing > 0) {
            packet.frames.push(Frame::Padding(missing));
        }
        Some(self.send(now, packets))
    }

    /// True if window and pacing let a packet go; notes why not.
    fn may_send(&mut self, now: Time) -> bool {
        let bytes = self.settings.packet_bytes;
        self.paced_until = None;
        if Space::ALL.into_iter().all(|space| !self.has_pending(space)) {
            self.congestion.note_use(self.congestion.has_room(bytes));
            return true;
        }
        if !self.congestion.has_room(bytes) {
            self.congestion.note_use(false);
            return false;
        }
        let flow = self.flow();
        self.paced_until = flow.and_then(|flow| self.bucket.wait(now, bytes, flow));
        if self.paced_until.is_some() {
            self.congestion.note_use(false);
        }
        self.paced_until.is_none()
    }

    /// The rate at which packets leave, and how many together; `None` without pacing and, but for quinn's, before a round trip was measured.
    fn flow(&mut self) -> Option<Flow> {
        if self.round_trip.first_sample.is_none() && self.settings.burst != Burst::Interval {
            return None;
        }
        let mss = self.congestion.window.mss();
        if self.settings.pacing != Pacing::WindowAlone
            && let Some(rate) = self.congestion.rate()
        {
            return (rate > 0.0).then_some(Flow { rate, capacity: mss, fills_first: false });
        }
        let (window, smoothed) = (self.congestion.window.cwnd, self.round_trip.smoothed.as_seconds());
        if self.settings.pacing == Pacing::None || smoothed == 0.0 {
            return None;
        }
        let rate = self.settings.pacing_gain * window / smoothed;
        Some(match self.settings.burst {
            Burst::ByBundle | Burst::InitialWindow => {
                Flow { rate, capacity: self.congestion.window.initial(), fills_first: false }
            }
            Burst::Interval => {
                let [least, most] = BURST_PACKETS.map(|packets| packets * mss);
                let capacity = (window / smoothed * BURST_INTERVAL.as_seconds()).clamp(least, most);
                Flow { rate, capacity, fills_first: true }
            }
        })
    }

    /// True if there are frames to send that a window limits.
    fn has_pending(&self, space: Space) -> bool {
        let state = &self.spaces[space as usize];
        if !state.has_keys || state.is_discarded {
            return false;
        }
        let pending = &self.pending;
        let of_data = || {
            pending.handshake_done
                || pending.ack_frequency
                || self.streams.has_control()
                || self.datagrams.next_bytes().is_some()
                || self.streams.next().is_some()
        };
        state.crypto_out.next(u64::MAX).is_some() || (space == Space::Data && of_data())
    }

    /// The next packet of a space with at most `room` bytes. A datagram with a probe takes along what other spaces have in flight (RFC 9002
    /// section 6.2.4).
    fn next_packet(&mut self, now: Time, space: Space, room: u64, may_send: bool, is_probing: bool) -> Option<Packet> {
        let kind = self.kind(space);
        let state = self.space(space);
        if !state.has_keys || state.is_discarded {
            return None;
        }
        let (number, is_probe) = (state.next_number, state.probes > 0);
        let probes = is_probe || (is_probing && state.sent.has_eliciting());
        let number_bytes = packet_number_bytes(number, state.sent.largest_acknowledged);
        let room = room.checked_sub(kind.header_bytes(number_bytes) + TAG_BYTES)?;
        if room < LEAST_ROOM_BYTES {
            return None;
        }
        let is_due = state.received.deadline().is_some_and(|time| time <= now);
        let mut frames = Vec::new();
        let mut left = room;
        self.acknowledge(now, space, is_due, &mut frames, &mut left);
        if probes {
            self.prepare_probe(space);
        }
        if is_probe && kind == Kind::OneRoundTrip && self.settings.asked.is_some() {
            // The acknowledgment of a probe must not wait (draft-ietf-quic-ack-frequency-10 section 5).
            Frame::ImmediateAck.add_to(&mut frames, &mut left);
        }
        if may_send || probes || (space == Space::Data && self.datagrams.goes_freely()) {
            self.add_frames(space, &mut frames, &mut left);
        }
        let is_eliciting = frames.iter().any(Frame::is_eliciting);
        if is_probe && !is_eliciting {
            frames.push(Frame::Ping);
        } else if !is_eliciting && !is_due {
            return None;
        }
        let bytes = number_bytes + frames.iter().map(Frame::bytes).sum::<u64>();
        if bytes < LEAST_SAMPLE_BYTES {
            frames.push(Frame::Padding(LEAST_SAMPLE_BYTES - bytes));
        }
        Some(Packet { kind, number, number_bytes, frames })
    }

    fn kind(&self, space: Space) -> Kind {
        match space {
            Space::Initial => Kind::Initial,
            Space::Handshake => Kind::Handshake,
            Space::Data if self.side == Side::Client && !self.is_complete => Kind::ZeroRoundTrip,
            Space::Data => Kind::OneRoundTrip,
        }
    }

    /// An acknowledgment goes with every packet while there is one to send; with early data there is none. One that is not due gives way to a
    /// datagram that would not fit beside it.
    fn acknowledge(&mut self, now: Time, space: Space, is_due: bool, frames: &mut Vec<Frame>, left: &mut u64) {
        let Some(mut ack) = self.space(space).received.acknowledgment(now, true) else { return };
        while Frame::Ack(ack.clone()).bytes() > *left && ack.ranges.len() > 1 {
            ack.ranges.pop();
        }
        let datagram = self.datagrams.next_bytes().filter(|_| space == Space::Data && !is_due);
        if datagram.is_some_and(|bytes| Frame::Ack(ack.clone()).bytes() + bytes > *left) {
            return;
        }
        Frame::Ack(ack).add_to(frames, left);
    }

    /// A probe carries something that must be acknowledged, and rather data than nothing (RFC 9002 section 6.2.4).
    fn prepare_probe(&mut self, space: Space) {
        if self.has_pending(space) {
            return;
        }
        let repeats_data = self.settings.probe != Probe::Ping || space != Space::Data;
        let frames = self.space(space).sent.probe(|frame| repeats_data || frame.data_bytes() == 0);
        frames.iter().for_each(|frame| self.queue_again(space, frame));
    }

    /// Adds frames that must be acknowledged, as far as there is room.
    fn add_frames(&mut self, space: Space, frames: &mut Vec<Frame>, left: &mut u64) {
        if space == Space::Data {
            self.add_control(frames, left);
            self.datagrams.fill(frames, left);
            self.streams.add_data(frames, left);
            self.streams.note_blocked();
        }
        let crypto = &mut self.space(space).crypto_out;
        while crypto.add_to(u64::MAX, frames, left, |range, _| Frame::Crypto(range)) {}
    }

    fn add_control(&mut self, frames: &mut Vec<Frame>, left: &mut u64) {
        if self.pending.handshake_done {
            self.pending.handshake_done = !Frame::HandshakeDone.add_to(frames, left);
        }
        if let Some(Asked { packets, delay, reordering }) = self.settings.asked.filter(|_| self.pending.ack_frequency) {
            // There is one wish, so its number is the first; until it is acknowledged the peer may do as before.
            let frame =
                Frame::AckFrequency { sequence: 0, packets: packets - 1, delay_us: microseconds(delay), reordering };
            self.pending.ack_frequency = !frame.add_to(frames, left);
            self.peer_delay = self.peer_delay.max(delay);
        }
        self.streams.add_control(frames, left);
    }

    /// Sends packets in a datagram.
    fn send(&mut self, now: Time, packets: Vec<Packet>) -> Parcel {
        let (mut contents, mut length) = (Vec::new(), 0);
        let codepoint = if self.uses_ecn { self.settings.marking.codepoint() } else { Codepoint::NotCapable };
        for packet in packets {
            packet.write(&mut contents);
            length += packet.bytes();
            let kind = packet.kind;
            self.note_sent(now, packet, codepoint.is_capable());
            if self.side == Side::Client && kind == Kind::Handshake {
                self.discard(Space::Initial);
            }
        }
        self.sent_bytes += length;
        self.parcels += 1;
        self.set_loss_timer(now);
        Parcel { length, number: self.parcels - 1, sent: now, codepoint, contents }
    }

    fn note_sent(&mut self, now: Time, packet: Packet, is_capable: bool) {
        let (kind, space, number) = (packet.kind, Space::of(packet.kind), packet.number);
        let (bytes, is_eliciting) = (packet.bytes(), packet.is_eliciting());
        let counts = is_eliciting || packet.frames.iter().any(|frame| matches!(frame, Frame::Padding(_)));
        let in_flight = counts.then(|| self.congestion.send(now, bytes));
        if counts {
            self.bucket.take(bytes);
        }
        self.count(&packet);
        let (mut frames, mut acknowledges) = (packet.frames, None);
        frames.retain(|frame| {
            if let Frame::Ack(ack) = frame {
                acknowledges = Some(ack.largest());
            }
            frame.is_eliciting()
        });
        let sent = Sent {
            kind,
            time: now,
            bytes,
            is_eliciting,
            in_flight,
            frames,
            acknowledges,
            was_probed: false,
            is_capable,
        };
        let state = self.space(space);
        state.next_number += 1;
        state.probes = state.probes.saturating_sub(is_eliciting.into());
        if acknowledges.is_some() {
            state.received.note_acknowledged();
        }
        state.sent.note(number, sent);
    }

    /// Counts a packet with data.
    fn count(&mut self, packet: &Packet) {
        let (has_data, again) = self.streams.count(packet);
        self.statistics.segments_sent += u64::from(has_data);
        self.statistics.segments_retransmitted += u64::from(again);
    }
}
