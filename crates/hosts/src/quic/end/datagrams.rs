//! Datagrams (RFC 9221): data that is sent once, beside the streams.

use std::collections::VecDeque;

use super::super::frame::Frame;
use super::super::packet::{Kind, TAG_BYTES};
use super::super::sent::Sent;
use super::End;

/// Bytes of a packet number at most.
const MOST_NUMBER_BYTES: u64 = 4;

/// Bytes of the largest datagram that a packet of so many bytes carries, whatever its number is.
#[must_use]
pub fn largest_datagram(packet_bytes: u64) -> u64 {
    let room = packet_bytes.saturating_sub(Kind::OneRoundTrip.header_bytes(MOST_NUMBER_BYTES) + TAG_BYTES);
    let header = Frame::Datagram { length: room, contents: Vec::new() }.header_bytes();
    room.saturating_sub(header)
}

/// The datagrams of an end.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    waiting: VecDeque<Frame>,
    waiting_bytes: u64,
    pub(super) arrived: VecDeque<Vec<u8>>,
    lost: u64,
    go_freely: bool,
}

impl Datagrams {
    /// Bytes of the frame that goes next.
    pub(super) fn next_bytes(&self) -> Option<u64> {
        self.waiting.front().map(Frame::bytes)
    }

    /// True if the next one goes whatever window and pacing say.
    pub(super) fn goes_freely(&self) -> bool {
        self.go_freely && !self.waiting.is_empty()
    }

    /// Moves datagrams into a packet as far as there is room.
    pub(super) fn fill(&mut self, frames: &mut Vec<Frame>, left: &mut u64) {
        while self.next_bytes().is_some_and(|bytes| bytes <= *left) {
            let Some(frame) = self.waiting.pop_front() else { return };
            *left -= frame.bytes();
            self.waiting_bytes -= frame.data_bytes();
            frames.push(frame);
        }
    }

    /// Counts the datagrams of a packet that is lost: they are not sent again.
    pub(super) fn note_lost(&mut self, sent: &Sent) {
        self.lost += sent.frames.iter().filter(|frame| matches!(frame, Frame::Datagram { .. })).count() as u64;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let bytes = |frame: &Frame| if let Frame::Datagram { contents, .. } = frame { contents.capacity() } else { 0 };
        let waiting = self.waiting.capacity() * size_of::<Frame>() + self.waiting.iter().map(bytes).sum::<usize>();
        waiting + self.arrived.iter().map(Vec::capacity).sum::<usize>()
    }
}

impl End {
    /// Sends a datagram of so many bytes when window and pacing let it go. The other end gets `contents`.
    pub fn send_datagram(&mut self, length: u64, contents: Vec<u8>) {
        self.datagrams.waiting_bytes += length;
        self.datagrams.waiting.push_back(Frame::Datagram { length, contents });
    }

    /// The next datagram that has arrived.
    pub fn take_datagram(&mut self) -> Option<Vec<u8>> {
        self.datagrams.arrived.pop_front()
    }

    /// Bytes of datagrams that wait.
    #[must_use]
    pub fn waiting_datagram_bytes(&self) -> u64 {
        self.datagrams.waiting_bytes
    }

    /// Datagrams of packets that were taken for lost.
    #[must_use]
    pub fn datagrams_lost(&self) -> u64 {
        self.datagrams.lost
    }

    /// From now on neither window nor pacing holds datagrams back.
    pub fn exempt_datagrams(&mut self) {
        self.datagrams.go_freely = true;
    }
}
