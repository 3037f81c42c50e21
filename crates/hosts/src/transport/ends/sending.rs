//! The sending end.

use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;

use super::room::{Known, Room};
use super::{Arriving, Leaving, Segments, Signal};
use crate::end_system::{EndSystem, Progress, Waiting};
use crate::transport::resume::Resumption;
use crate::transport::{Acknowledgment, Codepoint, ReceivedBytes, Segment, Sender, TcpConfig, TickClock, option_bytes};

/// A sender with what its packets have besides segments.
pub struct Sending {
    sender: Sender,
    /// Segments to send.
    segments: Vec<Segment>,
    /// ECN field of segments, and of those that are sent again.
    codepoints: [Codepoint; 2],
    option_bytes: u64,
    /// The room at the other end, if a proxy is there.
    known: Option<Known>,
}

impl Sending {
    pub(super) fn new(tcp: &TcpConfig, clock: TickClock, room: Option<&Room>) -> Self {
        let sender = Sender::new(tcp, clock);
        let codepoint = tcp.ecn.codepoint();
        let again = if sender.learns_share_of_marks() { codepoint } else { Codepoint::NotCapable };
        Self {
            segments: Vec::new(),
            codepoints: [codepoint, again],
            option_bytes: tcp.option_bytes(),
            known: room.map(Room::known),
            sender,
        }
    }

    /// Gives the window law a stream of random numbers, if it draws any.
    pub fn take_chance(&mut self, chance: impl FnMut() -> Stream) {
        self.sender.take_chance(chance);
    }

    /// The sender itself, for those who watch it.
    #[must_use]
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Up to which byte the receiver has said that it has room, where its window changes.
    #[must_use]
    pub fn known_room(&self) -> Option<u64> {
        self.known.map(|known| known.edge)
    }

    /// All packets that wait to be sent: a quick way around [`transmit`](EndSystem::transmit), of which [`note_left`](Self::note_left) tells.
    #[inline(always)]
    pub fn departures(&self, now: Time) -> impl Iterator<Item = Leaving> {
        self.segments.iter().map(move |segment| self.packet(now, *segment))
    }

    /// All packets have left. Tells whether there were any.
    #[inline(always)]
    pub fn note_left(&mut self) -> bool {
        let sends = !self.segments.is_empty();
        self.segments.clear();
        sends
    }

    #[inline(always)]
    fn packet(&self, now: Time, segment: Segment) -> Leaving {
        let Segment { sequence, length, again, synchronize, reduced } = segment;
        if synchronize {
            let (signal, codepoint) = (Signal::Synchronize { sent: now }, Codepoint::NotCapable);
            return Leaving { signal, codepoint, option_bytes: option_bytes::SYNCHRONIZE, again, window: None };
        }
        let (signal, codepoint) =
            (Signal::Data { sequence, length, sent: now, reduced }, self.codepoints[usize::from(again)]);
        Leaving { signal, codepoint, option_bytes: self.option_bytes, again, window: None }
    }

    /// An acknowledgment has come that tells of the room at the other end.
    #[inline(never)]
    fn learn(&mut self, now: Time, acknowledgment: &Acknowledgment, window: u16) {
        let Some(known) = &mut self.known else { return };
        let (next, unacknowledged) = (acknowledgment.next, self.sender.unacknowledged());
        let opens = known.learn(next, window);
        self.sender.learn_receiver_window(known.edge - next.max(unacknowledged));
        if opens && next == unacknowledged {
            self.sender.take_window_update(now, &mut self.segments);
        } else {
            self.sender.acknowledge(now, *acknowledgment, &mut self.segments);
        }
        self.sender.mind_closed_window();
    }
}

impl EndSystem<Segments> for Sending {
    fn name(&self) -> String {
        "tcp".into()
    }

    fn offer(&mut self, now: Time, bytes: u64) {
        self.sender.offer(now, bytes, &mut self.segments);
    }

    fn committed(&self) -> u64 {
        self.sender.highest()
    }

    fn withdraw(&mut self, _now: Time) {
        self.sender.withdraw();
    }

    #[inline(always)]
    fn receive(&mut self, now: Time, packet: Arriving<'_>) -> ReceivedBytes {
        match packet.signal {
            Signal::Acknowledgment(acknowledgment) if self.known.is_none() => {
                self.sender.take_acknowledgment(now, acknowledgment, &mut self.segments);
            }
            Signal::Acknowledgment(acknowledgment) => self.learn(now, acknowledgment, packet.window),
            Signal::Synchronized { sent } => self.sender.synchronized(now, sent, &mut self.segments),
            Signal::Data { .. } | Signal::Synchronize { .. } => {}
        }
        ReceivedBytes::default()
    }

    fn expire(&mut self, now: Time) {
        self.sender.expire(now, &mut self.segments);
    }

    fn transmit(&mut self, now: Time) -> Option<Leaving> {
        let next = if self.segments.is_empty() { None } else { Some(self.segments.remove(0)) };
        next.map(|segment| self.packet(now, segment))
    }

    #[inline(always)]
    fn waits(&mut self) -> Waiting {
        self.sender.waits_for()
    }

    fn acknowledged(&self) -> u64 {
        self.sender.unacknowledged()
    }

    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.sender.resumption()
    }

    fn progress(&self) -> Progress {
        Progress { offered: self.sender.offered(), sent: *self.sender.statistics(), ..Progress::default() }
    }

    fn count_anew(&mut self) {
        self.sender.count_anew();
    }

    fn memory_bytes(&self) -> usize {
        self.sender.memory_bytes() + self.segments.capacity() * size_of::<Segment>()
    }
}
