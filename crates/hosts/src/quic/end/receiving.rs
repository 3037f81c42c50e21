//! Receiving: packets, frames and acknowledgments of a datagram.

use longfat_foundation::units::{Span, Time};

use super::super::congestion::Measured;
use super::super::frame::{Ack, DELAY_UNIT_US, Form, Frame};
use super::super::number::whole_packet_number;
use super::super::packet::{Kind, Packet};
use super::super::sent::Numbered;
use super::super::settings::{First, Marking};
use super::{End, Side, Space};
use crate::end_system::Parcel;
use crate::transport::{Codepoint, ReceivedBytes};

impl End {
    /// Takes a datagram, and returns the bytes of streams that it has brought.
    pub(super) fn take_in(&mut self, now: Time, parcel: &Parcel) -> ReceivedBytes {
        let mut brought = ReceivedBytes::default();
        self.received_bytes += parcel.length;
        for (packet, _) in Packet::of_datagram(&parcel.contents, parcel.length, Form::Shortened) {
            brought += self.take_packet(now, &packet, parcel.codepoint);
        }
        self.set_loss_timer(now);
        brought
    }

    /// True if there are keys to read a packet.
    fn can_read(&self, kind: Kind) -> bool {
        let space = &self.spaces[Space::of(kind) as usize];
        let can_decrypt = match kind {
            Kind::Initial => true,
            Kind::Handshake | Kind::ZeroRoundTrip => space.has_keys,
            Kind::OneRoundTrip => self.is_complete,
        };
        can_decrypt && !space.is_discarded
    }

    fn take_packet(&mut self, now: Time, packet: &Packet, codepoint: Codepoint) -> ReceivedBytes {
        let (mut brought, space) = (ReceivedBytes::default(), Space::of(packet.kind));
        if !self.can_read(packet.kind) {
            return brought;
        }
        let received = &mut self.space(space).received;
        let number = whole_packet_number(received.largest(), packet.shortened_number(), packet.number_bytes);
        // A packet so late that its number is completed wrongly fails authentication.
        if number != packet.number || !received.is_new(number) {
            return brought;
        }
        received.note(now, number, packet.is_eliciting(), codepoint);
        if self.side == Side::Server && space == Space::Handshake {
            self.is_validated = true;
            self.discard(Space::Initial);
        }
        for frame in &packet.frames {
            match frame {
                Frame::Ack(ack) => self.take_acknowledgment(now, space, ack),
                Frame::Crypto(range) => _ = self.space(space).crypto_in.take_in(*range),
                Frame::Stream { id, range, is_last, .. } => brought += self.streams.take_in(*id, *range, *is_last),
                Frame::Datagram { contents, .. } => self.datagrams.arrived.push_back(contents.clone()),
                Frame::MaxData(_) | Frame::MaxStreamData(..) | Frame::MaxStreams(_) => self.streams.learn(frame),
                Frame::HandshakeDone => self.confirm(),
                Frame::AckFrequency { packets, delay_us, reordering, .. } => {
                    let delay = Span::from_microseconds(*delay_us);
                    self.space(space).received.follow(packets + 1, delay, *reordering);
                }
                Frame::ImmediateAck => self.space(space).received.hurry(now),
                Frame::Padding(_)
                | Frame::Ping
                | Frame::DataBlocked(_)
                | Frame::StreamDataBlocked(..)
                | Frame::StreamsBlocked(_)
                | Frame::Other(_) => {}
            }
        }
        self.proceed_with_handshake();
        brought
    }

    /// RFC 9002 appendix A.7.
    fn take_acknowledgment(&mut self, now: Time, space: Space, ack: &Ack) {
        let arrived = self.space(space).sent.acknowledge(&ack.ranges);
        let Some((largest, latest)) = arrived.last() else { return };
        let (is_largest, latest_sent) = (*largest == ack.largest(), latest.time);
        let sample = (is_largest && arrived.iter().any(|(_, sent)| sent.is_eliciting)).then(|| now - latest_sent);
        if let Some(sample) = sample {
            self.note_round_trip(now, sample, ack.delay);
        }
        let measured = Measured {
            now,
            sample,
            smoothed: self.round_trip.smoothed,
            departs: self.paced_until.map_or(now, |time| time.max(now)),
        };
        let edge = self.edge();
        let account = self.congestion.take_in(&measured, &arrived, edge);
        if is_largest && self.uses_ecn {
            let share = self.share_of_marks(space, ack, &arrived);
            self.congestion.respond_to_marks(now, &account, share, latest_sent);
        }
        if self.settings.first == First::Growth {
            self.congestion.grow(&measured, &account);
        }
        let lost = self.look_for_losses(now, space);
        if self.settings.first != First::Growth {
            self.congestion.grow(&measured, &account);
        }
        self.congestion.note_delivery(&measured, &account, lost);
        self.end_backoff();
        for (_, sent) in arrived {
            if let Some(number) = sent.acknowledges {
                self.space(space).received.forget_to(number);
            }
            for frame in sent.frames {
                match frame {
                    Frame::Crypto(range) => self.space(space).crypto_out.acknowledge(range),
                    Frame::Stream { id, range, .. } => self.streams.acknowledge(id, range),
                    Frame::AckFrequency { delay_us, .. } => self.peer_delay = Span::from_microseconds(delay_us),
                    _ => {}
                }
            }
        }
    }

    /// The delay that the peer tells counts once the handshake is confirmed up to what it has promised (RFC 9002 section 5.3).
    fn note_round_trip(&mut self, now: Time, sample: Span, delay: u64) {
        let told = Span::from_microseconds(delay * DELAY_UNIT_US);
        let most = self.peer_delay;
        let counted = if self.is_confirmed { told.min(most) } else { told };
        self.round_trip.note(now, sample, counted);
        self.statistics.round_trips.note(sample);
    }

    /// Share of marked packets among those that were acknowledged. Where the path removes codepoints, the end stops to use them (RFC 9000
    /// section 13.4.2).
    #[expect(clippy::cast_precision_loss, reason = "far less than 2^53 packets")]
    fn share_of_marks(&mut self, space: Space, ack: &Ack, arrived: &[Numbered]) -> f64 {
        let capable = arrived.iter().filter(|(_, sent)| sent.is_capable).count() as u64;
        let reported = ack.marks.unwrap_or_default();
        let own = if self.settings.marking == Marking::Scalable { 1 } else { 0 };
        let before = self.space(space).marks;
        let increase = |kind: usize| reported[kind].saturating_sub(before[kind]);
        let (unmarked, marked) = (increase(own), increase(2));
        if unmarked + marked < capable {
            self.uses_ecn = false;
            return 0.0;
        }
        self.space(space).marks = reported;
        marked as f64 / (arrived.len() as f64).max(1.0)
    }
}
