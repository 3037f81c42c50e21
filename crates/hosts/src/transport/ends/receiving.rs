//! The receiving end.

use longfat_foundation::config::Parameter;
use longfat_foundation::units::Time;

use super::room::Room;
use super::{Arriving, Leaving, Segments, Signal};
use crate::end_system::{EndSystem, Progress};
use crate::transport::{Acknowledgment, Codepoint, OptionSize, ReceivedBytes, Receiver, TcpConfig, option_bytes};

/// A receiver with what its packets have besides acknowledgments.
pub struct Receiving {
    receiver: Receiver,
    /// True if its answers to data are acknowledgments alone: it notes no marks and advertises no room.
    is_simple: bool,
    notes_marks: bool,
    option_bytes: u64,
    block_size: OptionSize,
    /// An acknowledgment that waits to be sent, of a segment that was not expected; and other packets.
    unusual: Option<Acknowledgment>,
    kept: Vec<Leaving>,
    /// The room of its application, if that is a proxy.
    room: Option<Box<Room>>,
}

impl Receiving {
    pub(super) fn new(tcp: &TcpConfig, receiver: Receiver, room: Option<Room>) -> Self {
        Self {
            receiver,
            is_simple: tcp.ecn.is_absent() && room.is_none(),
            notes_marks: !tcp.ecn.is_absent(),
            option_bytes: tcp.option_bytes() + tcp.ecn.option_bytes(),
            block_size: tcp.sack_option_size,
            unusual: None,
            kept: Vec::new(),
            room: room.map(Box::new),
        }
    }

    /// The receiver itself, for those who watch it.
    #[must_use]
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Up to which byte it has said that it has room, where its window changes.
    #[must_use]
    pub fn room_reported(&self) -> Option<u64> {
        self.room.as_ref().map(|room| room.reports)
    }

    /// Makes the [usual](Self::take) answer, with the size of its options.
    #[inline(always)]
    pub fn usual_answer(&mut self) -> (Acknowledgment, u64) {
        (self.receiver.acknowledge_in_order(), self.option_bytes)
    }

    /// The acknowledgment that waits to be sent and is not the usual one, with the size of its options. It has [left](Self::note_left) then.
    pub fn unusual_answer(&self) -> Option<(&Acknowledgment, u64)> {
        self.unusual.as_ref().map(|acknowledgment| (acknowledgment, self.option_bytes(acknowledgment)))
    }

    /// The unusual acknowledgment has left.
    pub fn note_left(&mut self) {
        self.unusual = None;
    }

    /// Size of the options of an acknowledgment.
    fn option_bytes(&self, acknowledgment: &Acknowledgment) -> u64 {
        match acknowledgment.blocks.as_slice().len() {
            0 => self.option_bytes,
            blocks => self.option_bytes + self.block_size.bytes(blocks),
        }
    }

    /// True if anything waits to be sent.
    #[must_use]
    #[inline(always)]
    pub fn has_answers(&self) -> bool {
        self.unusual.is_some() || !self.kept.is_empty()
    }

    /// [`receive`](EndSystem::receive) that leaves the usual answer to the caller, an acknowledgment of a segment in order. Tells whether it is to
    /// be [made](Self::usual_answer).
    // Always: nearly all segments take this way, and the acknowledgment is made in its place.
    #[inline(always)]
    pub fn take(&mut self, now: Time, packet: &Arriving<'_>) -> (ReceivedBytes, bool) {
        let Signal::Data { sequence, length, sent, reduced } = packet.signal else {
            return (self.take_opening(packet), false);
        };
        if self.is_simple {
            return self.take_data(now, sequence, length, sent);
        }
        if self.notes_marks {
            self.note_mark(length, packet.codepoint.is_marked(), reduced);
        }
        self.take_data_with_care(now, sequence, length, sent)
    }

    #[inline(always)]
    fn take_data(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> (ReceivedBytes, bool) {
        if self.receiver.expects(sequence) {
            let is_answered = self.receiver.take_expected(now, length, sent);
            return (ReceivedBytes { new: length, ..ReceivedBytes::default() }, is_answered);
        }
        self.take_unexpected(now, sequence, length, sent);
        (self.receiver.latest(), false)
    }

    #[inline(never)]
    fn take_unexpected(&mut self, now: Time, sequence: u64, length: u64, sent: Time) {
        self.unusual = self.receiver.receive_unexpected(now, sequence, length, sent);
    }

    /// [`take_data`](Self::take_data) where answers have more than an acknowledgment has, or follow others.
    #[inline(never)]
    fn take_data_with_care(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> (ReceivedBytes, bool) {
        let (brought, is_answered) = self.take_data(now, sequence, length, sent);
        if self.room.is_none() && self.kept.is_empty() {
            return (brought, is_answered);
        }
        self.keep_answer(is_answered);
        (brought, false)
    }

    /// Keeps the usual answer or an unusual one.
    fn keep_answer(&mut self, is_usual: bool) {
        let usual = is_usual.then(|| self.receiver.acknowledge_in_order());
        if let Some(acknowledgment) = usual.or_else(|| self.unusual.take()) {
            self.keep(acknowledgment);
        }
    }

    #[cold]
    fn take_opening(&mut self, packet: &Arriving<'_>) -> ReceivedBytes {
        if let Signal::Synchronize { sent } = packet.signal {
            self.keep_packet(Signal::Synchronized { sent }, option_bytes::SYNCHRONIZE, None);
        }
        ReceivedBytes::default()
    }

    fn keep(&mut self, acknowledgment: Acknowledgment) {
        let window = self.room.as_mut().map(|room| room.advertise(&self.receiver));
        let option_bytes = self.option_bytes(&acknowledgment);
        self.keep_packet(Signal::Acknowledgment(acknowledgment), option_bytes, window);
    }

    fn keep_packet(&mut self, signal: Signal<Acknowledgment>, option_bytes: u64, window: Option<u16>) {
        self.kept.push(Leaving { signal, codepoint: Codepoint::NotCapable, option_bytes, again: false, window });
    }

    #[inline(never)]
    fn note_mark(&mut self, length: u64, is_marked: bool, window_is_reduced: bool) {
        if let Some(waiting) = self.receiver.note_mark(length, is_marked, window_is_reduced) {
            self.keep(waiting);
        }
    }
}

impl EndSystem<Segments> for Receiving {
    fn name(&self) -> String {
        "tcp".into()
    }

    /// No effect: what the application at this end sends has a connection of its own.
    fn offer(&mut self, _now: Time, _bytes: u64) {}

    fn receive(&mut self, now: Time, packet: Arriving<'_>) -> ReceivedBytes {
        let (brought, is_usual) = self.take(now, &packet);
        self.keep_answer(is_usual);
        brought
    }

    /// Sends the delayed acknowledgment.
    fn expire(&mut self, _now: Time) {
        let acknowledgment = self.receiver.acknowledge_late();
        self.keep(acknowledgment);
    }

    fn transmit(&mut self, _now: Time) -> Option<Leaving> {
        self.keep_answer(false);
        if self.kept.is_empty() { None } else { Some(self.kept.remove(0)) }
    }

    #[inline(always)]
    fn expires(&mut self) -> Option<Time> {
        self.receiver.due()
    }

    /// Where a proxy takes the data, it tells the other end of more room.
    fn hold(&mut self, unread: u64) {
        let next = self.receiver.next();
        if self.room.as_mut().is_some_and(|room| room.open(next, unread)) {
            let acknowledgment = self.receiver.acknowledge_late();
            self.keep(acknowledgment);
        }
    }

    #[inline(always)]
    fn progress(&self) -> Progress {
        Progress {
            delivered: self.receiver.next(),
            held: self.receiver.bytes_held(),
            received_to: self.receiver.highest(),
            ..Progress::default()
        }
    }

    fn memory_bytes(&self) -> usize {
        let room = self.room.as_ref().map_or(0, |_| size_of::<Room>());
        self.receiver.memory_bytes() + self.kept.capacity() * size_of::<Leaving>() + room
    }
}
