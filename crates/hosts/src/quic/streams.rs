//! The streams of a connection at one end: whose turn it is to send, flow control, and the number of streams (RFC 9000 sections 2 to 4).
//!
//! Stream 0 of the model is one unidirectional stream of each end. Others are bidirectional, and numbered from 1 on in the order in which one end
//! opens them; the other end answers. Each carries one message in each direction.

use std::collections::{BTreeMap, VecDeque};

use super::credit::Credit;
use super::frame::Frame;
use super::settings::Settings;
use super::stream::{Incoming, Outgoing};
use super::{Packet, Side};
use crate::end_system::{Message, Progress};
use crate::transport::ReceivedBytes;
use crate::transport::ranges::Range;

/// A stream.
#[derive(Debug)]
struct Stream {
    /// Its number on the line, of what is sent and of what is received.
    ids: [u64; 2],
    outgoing: Outgoing,
    incoming: Incoming,
    credit: Credit,
    /// True if nothing follows what was offered.
    is_complete: bool,
    /// End of what is received, once that is known.
    ends: Option<u64>,
    takes_turns: bool,
    /// End of the data in packets that were counted.
    counted_to: u64,
}

impl Stream {
    fn new(ids: [u64; 2], window: u64) -> Self {
        Self {
            ids,
            outgoing: Outgoing::default(),
            incoming: Incoming::default(),
            credit: Credit::of(window),
            is_complete: false,
            ends: None,
            takes_turns: false,
            counted_to: 0,
        }
    }

    /// Takes a message to send, after which nothing follows.
    fn take_message(&mut self, message: Message) {
        (self.outgoing.offered, self.is_complete, self.takes_turns) = (message.bytes, true, message.takes_turns);
    }

    /// Up to which byte it may send, where the connection has room for so many new ones.
    fn allowed(&self, room: u64) -> u64 {
        self.credit.limit.min(self.outgoing.sent_to + room)
    }

    fn is_whole(&self) -> bool {
        self.ends == Some(self.incoming.delivered)
    }

    fn is_over(&self) -> bool {
        self.is_complete && self.is_whole() && self.outgoing.acknowledged_to() == self.outgoing.offered
    }

    fn memory_bytes(&self) -> usize {
        self.outgoing.memory_bytes() + self.incoming.memory_bytes()
    }
}

/// The streams of an end.
#[derive(Debug)]
pub struct Streams {
    side: Side,
    /// Bytes that the peer may send beyond what was read, on a stream and on all, and streams that it may have open.
    stream_window: u64,
    connection_window: u64,
    most: u64,
    /// Stream 0, and those of messages that are not over.
    first: Stream,
    others: BTreeMap<u64, Stream>,
    connection: Credit,
    number: Credit,
    /// Streams that this end has opened, the last that the peer has opened, and how many of the peer's are over.
    opened: u64,
    opened_by_peer: u64,
    over: u64,
    /// Messages that wait for the peer to allow another stream, and streams with whole messages of which the application does not know.
    waiting: VecDeque<Message>,
    whole: VecDeque<u64>,
    /// Bytes of stream 0 that were delivered and not read, where the application does not read at once.
    unread: Option<u64>,
    /// Bytes of all streams: ends of what was sent, and delivered.
    sent: u64,
    delivered: u64,
    /// Bytes that streams that are over have sent, and received.
    past: [u64; 2],
    /// The stream whose turn it is.
    turn: u64,
}

impl Streams {
    /// Those of an end with that role.
    #[must_use]
    pub fn new(settings: &Settings, side: Side) -> Self {
        Self {
            side,
            stream_window: settings.stream_window,
            connection_window: settings.connection_window,
            most: settings.streams,
            first: Stream::new([side, side.other()].map(|side| UNIDIRECTIONAL | bit(side)), settings.stream_window),
            others: BTreeMap::new(),
            connection: Credit::of(settings.connection_window),
            number: Credit::of(settings.streams),
            opened: 0,
            opened_by_peer: 0,
            over: 0,
            waiting: VecDeque::new(),
            whole: VecDeque::new(),
            unread: None,
            sent: 0,
            delivered: 0,
            past: [0; 2],
            turn: 0,
        }
    }

    fn all(&self) -> impl Iterator<Item = (u64, &Stream)> {
        std::iter::once((0, &self.first)).chain(self.others.iter().map(|(number, stream)| (*number, stream)))
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        std::iter::once(&mut self.first).chain(self.others.values_mut())
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Stream> {
        if number == 0 { Some(&mut self.first) } else { self.others.get_mut(&number) }
    }

    /// Takes `bytes` more for stream 0; `u64::MAX` for data without end.
    pub fn offer(&mut self, bytes: u64) {
        self.first.outgoing.offered = self.first.outgoing.offered.saturating_add(bytes);
    }

    /// Ends data without end with what was sent.
    pub fn withdraw(&mut self) {
        if self.first.outgoing.offered == u64::MAX {
            self.first.outgoing.offered = self.first.outgoing.sent_to;
        }
    }

    /// Takes a message: an answer on a stream of the peer, or one that opens a stream as soon as the peer allows.
    pub fn send(&mut self, message: Message) {
        if let Some(stream) = self.others.get_mut(&message.stream) {
            return stream.take_message(message);
        }
        self.waiting.push_back(message);
        self.open();
    }

    /// Opens streams for messages that wait, as far as the peer allows.
    fn open(&mut self) {
        while self.opened < self.number.limit
            && let Some(message) = self.waiting.pop_front()
        {
            self.opened += 1;
            debug_assert_eq!(message.stream, self.opened, "streams are opened in order");
            let mut stream = Stream::new([id_of(self.opened, self.side); 2], self.stream_window);
            stream.take_message(message);
            self.others.insert(self.opened, stream);
        }
    }

    /// The next stream with a whole message of which the application does not know.
    pub fn take_whole(&mut self) -> Option<u64> {
        self.whole.pop_front()
    }

    /// True if there is data to send, whatever the peer allows.
    #[must_use]
    pub fn has_data(&self) -> bool {
        !self.waiting.is_empty() || self.all().any(|(_, stream)| stream.outgoing.next(u64::MAX).is_some())
    }

    /// The stream whose turn it is among those with data that the peer allows: the first from the one behind the last on, if that takes turns.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let room = self.connection.limit - self.sent;
        let has_data = |(_, stream): &(u64, &Stream)| stream.outgoing.next(stream.allowed(room)).is_some();
        if self.others.is_empty() {
            return has_data(&(0, &self.first)).then_some(0);
        }
        let later = self.all().filter(|(number, _)| *number >= self.turn).find(has_data);
        later.or_else(|| self.all().find(has_data)).map(|(number, _)| number)
    }

    /// Adds data to a packet as far as there is room: frames of the stream whose turn it is.
    pub fn add_data(&mut self, frames: &mut Vec<Frame>, left: &mut u64) {
        while let Some(number) = self.next() {
            let room = self.connection.limit - self.sent;
            let Some(stream) = self.get_mut(number) else { return };
            let (id, before, limit) = (stream.ids[0], stream.outgoing.sent_to, stream.allowed(room));
            let (offered, is_complete, takes_turns) = (stream.outgoing.offered, stream.is_complete, stream.takes_turns);
            let frame = |range: Range, fills| {
                let is_last = is_complete && range.1 == offered;
                Frame::Stream { id, range, fills, is_last }
            };
            if !stream.outgoing.add_to(limit, frames, left, frame) {
                return;
            }
            let new = stream.outgoing.sent_to - before;
            self.sent += new;
            self.turn = if takes_turns { number + 1 } else { 0 };
        }
    }

    /// Notes which limits block this end now.
    pub fn note_blocked(&mut self) {
        let has_room = self.connection.limit > self.sent;
        let mut is_blocked = false;
        for stream in self.all_mut() {
            let waits = stream.outgoing.offered > stream.outgoing.sent_to;
            let at_limit = stream.outgoing.sent_to >= stream.credit.limit;
            stream.credit.note_blocked(waits && at_limit);
            is_blocked |= waits && !at_limit && !has_room;
        }
        self.connection.note_blocked(is_blocked);
        self.number.note_blocked(!self.waiting.is_empty());
    }

    /// True if frames beside data wait to be sent.
    #[must_use]
    pub fn has_control(&self) -> bool {
        [&self.connection, &self.number].into_iter().any(Credit::is_pending)
            || self.all().any(|(_, stream)| stream.credit.is_pending())
    }

    /// Adds frames beside data to a packet as far as there is room.
    pub fn add_control(&mut self, frames: &mut Vec<Frame>, left: &mut u64) {
        self.connection.add_limit(frames, left, Frame::MaxData);
        for stream in self.all_mut() {
            let id = stream.ids[1];
            stream.credit.add_limit(frames, left, |limit| Frame::MaxStreamData(id, limit));
        }
        self.number.add_limit(frames, left, Frame::MaxStreams);
        for stream in self.all_mut() {
            let id = stream.ids[0];
            stream.credit.add_blocked(frames, left, |limit| Frame::StreamDataBlocked(id, limit));
        }
        self.connection.add_blocked(frames, left, Frame::DataBlocked);
        self.number.add_blocked(frames, left, Frame::StreamsBlocked);
    }

    /// Counts the data of a packet: whether there is any, and whether any was sent before.
    pub fn count(&mut self, packet: &Packet) -> (bool, bool) {
        let (mut has_data, mut again) = (false, false);
        for frame in &packet.frames {
            let Frame::Stream { id, range, .. } = frame else { continue };
            has_data = true;
            let Some(stream) = self.get_mut(number_of(*id)) else { continue };
            again |= range.0 < stream.counted_to;
            stream.counted_to = stream.counted_to.max(range.1);
        }
        (has_data, again)
    }

    /// Takes data that have arrived.
    pub fn take_in(&mut self, id: u64, range: Range, is_last: bool) -> ReceivedBytes {
        let number = number_of(id);
        if number > self.opened_by_peer && id & 1 != bit(self.side) {
            // A stream opens those before it (RFC 9000 section 3.2).
            for number in self.opened_by_peer + 1..=number {
                let stream = Stream::new([id_of(number, self.side.other()); 2], self.stream_window);
                self.others.insert(number, stream);
            }
            self.opened_by_peer = number;
        }
        let Some(stream) = self.get_mut(number) else {
            return ReceivedBytes { duplicate: range.1 - range.0, ..ReceivedBytes::default() };
        };
        let (before, was_whole) = (stream.incoming.delivered, stream.is_whole());
        let brought = stream.incoming.take_in(range);
        if is_last {
            stream.ends = Some(range.1);
        }
        let (new, is_whole) = (stream.incoming.delivered - before, stream.is_whole() && !was_whole);
        self.delivered += new;
        if number == 0 {
            // Until the application says otherwise.
            self.unread = self.unread.map(|unread| unread + new);
        }
        if is_whole {
            self.whole.push_back(number);
        }
        self.raise_limits(number);
        self.end_if_over(number);
        brought
    }

    /// The application reads at once, but for bytes of stream 0 that it holds back. The limit of a stream of which the end is known stays.
    fn raise_limits(&mut self, number: u64) {
        let (stream_window, unread) = (self.stream_window, self.unread.unwrap_or(0));
        if let Some(stream) = self.get_mut(number).filter(|stream| stream.ends.is_none()) {
            let read = stream.incoming.delivered - if number == 0 { unread } else { 0 };
            stream.credit.raise(read, stream_window);
        }
        self.connection.raise(self.delivered - unread, self.connection_window);
    }

    /// The application has not read so many of the bytes that stream 0 has delivered.
    pub fn hold(&mut self, unread: u64) {
        self.unread = Some(unread);
        self.raise_limits(0);
    }

    /// The peer has these bytes.
    pub fn acknowledge(&mut self, id: u64, range: Range) {
        if let Some(stream) = self.get_mut(number_of(id)) {
            stream.outgoing.acknowledge(range);
            self.end_if_over(number_of(id));
        }
    }

    /// Forgets a stream that is over. When more than an eighth of those that the peer may have open are, it may open as many again, as quinn-proto
    /// 0.11.19 has it.
    fn end_if_over(&mut self, number: u64) {
        let Some(stream) = self.others.get(&number).filter(|stream| stream.is_over()) else { return };
        self.past[0] += stream.outgoing.offered;
        self.past[1] += stream.incoming.delivered;
        let is_of_peer = stream.ids[0] & 1 != bit(self.side);
        self.others.remove(&number);
        self.over += u64::from(is_of_peer);
        let allowed = self.over + self.most;
        if allowed - self.number.own > self.most / 8 {
            (self.number.own, self.number.tells) = (allowed, true);
        }
    }

    /// Follows a limit that the peer sets. Other frames have no effect.
    pub fn learn(&mut self, frame: &Frame) {
        match frame {
            Frame::MaxData(limit) => self.connection.learn(*limit),
            Frame::MaxStreamData(id, limit) => {
                if let Some(stream) = self.get_mut(number_of(*id)) {
                    stream.credit.learn(*limit);
                }
            }
            Frame::MaxStreams(limit) => {
                self.number.learn(*limit);
                self.open();
            }
            _ => {}
        }
    }

    /// Queues a frame of a lost packet again, unless it is out of date (RFC 9000 section 13.3). Other frames have no effect.
    pub fn lose(&mut self, frame: &Frame) {
        match frame {
            Frame::Stream { id, range, .. } => {
                if let Some(stream) = self.get_mut(number_of(*id)) {
                    stream.outgoing.lose(*range);
                }
            }
            Frame::MaxData(limit) => self.connection.tells |= *limit == self.connection.own,
            Frame::MaxStreamData(id, limit) => {
                if let Some(stream) = self.get_mut(number_of(*id)) {
                    stream.credit.tells |= *limit == stream.credit.own;
                }
            }
            Frame::MaxStreams(limit) => self.number.tells |= *limit == self.number.own,
            Frame::DataBlocked(_) | Frame::StreamDataBlocked(..) | Frame::StreamsBlocked(_) => {
                self.all_mut().for_each(|stream| stream.credit.told = None);
                (self.connection.told, self.number.told) = (None, None);
            }
            _ => {}
        }
    }

    /// Bytes of stream 0 that the peer has from the beginning on.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.first.outgoing.acknowledged_to()
    }

    /// The account of all streams together. Sums of ends of ranges stand for ends.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let sum = |of: fn(&Stream) -> u64| self.all().map(|(_, stream)| of(stream)).fold(0, u64::saturating_add);
        let waiting: u64 = self.waiting.iter().map(|message| message.bytes).sum();
        Progress {
            offered: sum(|stream| stream.outgoing.offered).saturating_add(waiting + self.past[0]),
            delivered: self.delivered,
            held: sum(|stream| stream.incoming.held()),
            received_to: sum(|stream| stream.incoming.received_to) + self.past[1],
            ..Progress::default()
        }
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let streams: usize = self.all().map(|(_, stream)| stream.memory_bytes()).sum();
        streams
            + self.others.len() * size_of::<(u64, Stream)>()
            + self.waiting.capacity() * size_of::<Message>()
            + self.whole.capacity() * size_of::<u64>()
    }
}

/// Bit of the number of a unidirectional stream on the line (RFC 9000 section 2.1).
const UNIDIRECTIONAL: u64 = 2;

/// Bit of the number of a stream on the line that tells who opens it.
fn bit(side: Side) -> u64 {
    match side {
        Side::Client => 0,
        Side::Server => 1,
    }
}

/// Number on the line of the bidirectional stream `number`, from 1, of an end.
fn id_of(number: u64, side: Side) -> u64 {
    4 * (number - 1) + bit(side)
}

/// Number of a stream by that on the line.
fn number_of(id: u64) -> u64 {
    if id & UNIDIRECTIONAL == 0 { id / 4 + 1 } else { 0 }
}
