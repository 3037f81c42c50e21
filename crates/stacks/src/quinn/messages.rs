//! Messages of the application above quinn, each on a bidirectional stream that its request opens.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use longfat_hosts::end_system::{Message, Progress};
use longfat_hosts::transport::ReceivedBytes;
use longfat_hosts::transport::ranges::{Range, RangeSet};
use quinn_proto::{Connection, Dir, StreamId};

use super::end::ZEROS;

/// A stream with a message in each direction.
struct Exchange {
    id: StreamId,
    /// Bytes of the message that is sent, once there is one, and those of them that the stack has taken.
    offered: Option<u64>,
    written: u64,
    /// End of the data in packets that were counted.
    sent_to: u64,
    /// True if the peer has all of it.
    is_acknowledged: bool,
    arrived: RangeSet,
    delivered: u64,
    is_whole: bool,
}

impl Exchange {
    fn on(id: StreamId) -> Self {
        Self {
            id,
            offered: None,
            written: 0,
            sent_to: 0,
            is_acknowledged: false,
            arrived: RangeSet::default(),
            delivered: 0,
            is_whole: false,
        }
    }

    /// Takes a message to send. One that takes no turns has the priority of its number.
    fn take(&mut self, connection: &mut Connection, message: Message) {
        self.offered = Some(message.bytes);
        if !message.takes_turns {
            let number = i32::try_from(message.stream).unwrap_or(i32::MAX);
            // The stream was opened, and is not finished.
            let _ = connection.send_stream(self.id).set_priority(-number);
        }
    }

    /// Writes what the stack takes. The stream ends with its message.
    fn write(&mut self, connection: &mut Connection) {
        let Some(offered) = self.offered else { return };
        let mut stream = connection.send_stream(self.id);
        while self.written < offered {
            let length = (offered - self.written).min(ZEROS.len() as u64);
            let mut chunk = [Bytes::from_static(&ZEROS[..usize::try_from(length).unwrap_or(ZEROS.len())])];
            match stream.write_chunks(&mut chunk) {
                Ok(taken) if taken.bytes > 0 => self.written += taken.bytes as u64,
                _ => return,
            }
            if self.written == offered {
                let _ = stream.finish();
            }
        }
    }

    /// Reads what has arrived, in order or not. Returns the bytes that are new.
    fn read(&mut self, connection: &mut Connection) -> u64 {
        let mut incoming = connection.recv_stream(self.id);
        let Ok(mut chunks) = incoming.read(false) else { return 0 };
        let mut new = 0;
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    let length = chunk.bytes.len() as u64;
                    new += length;
                    self.arrived.insert((chunk.offset, chunk.offset + length));
                }
                Ok(None) => {
                    self.is_whole = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
        self.delivered = self.arrived.containing(self.delivered).map_or(self.delivered, |(_, end)| end);
        self.arrived.remove_below(self.delivered);
        new
    }
}

/// The messages of an end.
#[derive(Default)]
pub struct Messages {
    /// Those that wait for a stream or for the end of the handshake.
    waiting: VecDeque<Message>,
    open: BTreeMap<u64, Exchange>,
    whole: VecDeque<u64>,
    /// Bytes of messages that are over: sent, and received.
    past: [u64; 2],
}

impl Messages {
    /// Takes a message to send, as soon as there is a stream for it.
    pub fn push(&mut self, message: Message) {
        self.waiting.push_back(message);
    }

    /// The next stream on which a message has arrived whole, once.
    pub fn take_whole(&mut self) -> Option<u64> {
        self.whole.pop_front()
    }

    /// Opens streams as far as the peer allows, and writes what the stack takes.
    pub fn write(&mut self, connection: &mut Connection) {
        while let Some(message) = self.waiting.front().copied() {
            let exchange = match self.open.entry(message.stream) {
                Entry::Occupied(open) => open.into_mut(),
                Entry::Vacant(new) => {
                    let id = if connection.is_handshaking() { None } else { connection.streams().open(Dir::Bi) };
                    let Some(id) = id else { break };
                    new.insert(Exchange::on(id))
                }
            };
            exchange.take(connection, message);
            self.waiting.pop_front();
        }
        self.open.values_mut().for_each(|exchange| exchange.write(connection));
    }

    /// Reads what has arrived.
    pub fn read(&mut self, connection: &mut Connection) -> ReceivedBytes {
        while let Some(id) = connection.streams().accept(Dir::Bi) {
            self.open.insert(number_of(id.into()), Exchange::on(id));
        }
        let mut brought = ReceivedBytes::default();
        for (number, exchange) in self.open.iter_mut().filter(|(_, exchange)| !exchange.is_whole) {
            brought.new += exchange.read(connection);
            if exchange.is_whole {
                self.whole.push_back(*number);
            }
        }
        self.forget_past();
        brought
    }

    /// The peer has all of a message.
    pub fn finish(&mut self, id: StreamId) {
        if let Some(exchange) = self.open.get_mut(&number_of(id.into())) {
            exchange.is_acknowledged = true;
        }
        self.forget_past();
    }

    fn forget_past(&mut self) {
        let past = &mut self.past;
        self.open.retain(|_, exchange| {
            let is_over = exchange.is_acknowledged && exchange.is_whole;
            if is_over {
                past[0] += exchange.written;
                past[1] += exchange.delivered;
            }
            !is_over
        });
    }

    /// Counts data that leave on a stream. Tells whether any was sent before.
    pub fn note_sent(&mut self, id: u64, range: Range) -> bool {
        let Some(exchange) = self.open.get_mut(&number_of(id)) else { return false };
        let again = range.0 < exchange.sent_to;
        exchange.sent_to = exchange.sent_to.max(range.1);
        again
    }

    /// Bytes that the stack has taken, and those of them that were sent.
    pub fn taken(&self) -> [u64; 2] {
        let add = |sums: [u64; 2], it: &Exchange| [sums[0] + it.written, sums[1] + it.sent_to];
        self.open.values().fold([self.past[0]; 2], add)
    }

    /// Adds the bytes of messages to an account.
    pub fn add_to(&self, progress: &mut Progress) {
        progress.offered += self.past[0] + self.waiting.iter().map(|message| message.bytes).sum::<u64>();
        progress.delivered += self.past[1];
        progress.received_to += self.past[1];
        for exchange in self.open.values() {
            progress.offered += exchange.offered.unwrap_or(0);
            progress.delivered += exchange.delivered;
            progress.held += exchange.arrived.bytes();
            progress.received_to += exchange.arrived.end().unwrap_or(exchange.delivered).max(exchange.delivered);
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let ranges: usize = self.open.values().map(|exchange| exchange.arrived.memory_bytes()).sum();
        ranges
            + self.open.len() * size_of::<(u64, Exchange)>()
            + self.waiting.capacity() * size_of::<Message>()
            + self.whole.capacity() * size_of::<u64>()
    }
}

/// Number of a bidirectional stream, from 1, by that on the line (RFC 9000 section 2.1).
fn number_of(id: u64) -> u64 {
    id / 4 + 1
}
