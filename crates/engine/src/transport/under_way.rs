//! The segments under way, one by one, and when each was sent last.

use std::collections::VecDeque;

use super::{Acknowledgment, Piece};
use crate::units::Time;

/// A segment under way, with what its keeper notes of it.
#[derive(Clone, Copy, Debug)]
pub struct Transmission<T> {
    /// Its first byte.
    pub begin: u64,
    /// The byte after its last.
    pub end: u64,
    /// When it was sent last.
    pub sent: Time,
    /// Whether it was sent before that.
    pub was_sent_before: bool,
    /// Whether it has been reported to have arrived, beyond a hole.
    pub has_arrived: bool,
    /// What is noted of it.
    pub note: T,
}

/// Segments under way in the order of their bytes, without gaps.
#[derive(Debug)]
pub struct UnderWay<T> {
    segments: VecDeque<Transmission<T>>,
    /// How many of them have arrived.
    arrived: usize,
}

impl<T> Default for UnderWay<T> {
    fn default() -> Self {
        Self { segments: VecDeque::new(), arrived: 0 }
    }
}

impl<T: Copy> UnderWay<T> {
    /// Whether nothing is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// How many segments have arrived beyond a hole.
    #[must_use]
    pub fn arrived(&self) -> usize {
        self.arrived
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.segments.capacity() * size_of::<Transmission<T>>()
    }

    /// The segment with the highest bytes.
    #[must_use]
    pub fn last(&self) -> Option<&Transmission<T>> {
        self.segments.back()
    }

    /// The segments that begin at `sequence` or beyond, ascending.
    pub fn from(&self, sequence: u64) -> impl Iterator<Item = &Transmission<T>> {
        self.segments.range(self.first_from(sequence)..)
    }

    /// The same, to be changed; not whether they have arrived.
    pub fn from_mut(&mut self, sequence: u64) -> impl Iterator<Item = &mut Transmission<T>> {
        let first = self.first_from(sequence);
        self.segments.range_mut(first..)
    }

    fn first_from(&self, sequence: u64) -> usize {
        self.segments.partition_point(|segment| segment.begin < sequence)
    }

    /// A piece is sent, for the first time or again.
    pub fn note_sent(&mut self, now: Time, piece: Piece, note: T) {
        let sent = Transmission {
            begin: piece.sequence,
            end: piece.end(),
            sent: now,
            was_sent_before: false,
            has_arrived: false,
            note,
        };
        let known_end = self.segments.back().map_or(piece.sequence, |last| last.end);
        self.note_sent_again(sent);
        if sent.end > known_end {
            self.segments.push_back(Transmission { begin: sent.begin.max(known_end), ..sent });
        }
    }

    /// What is sent again stands as when it was sent last, from the beginning of each segment on.
    fn note_sent_again(&mut self, sent: Transmission<T>) {
        let touched = self.from_mut(sent.begin).take_while(|known| known.begin < sent.end);
        for known in touched.filter(|known| !known.has_arrived) {
            *known = Transmission { begin: known.begin, end: known.end, was_sent_before: true, ..sent };
        }
    }

    /// Takes in an acknowledgment, of which blocks beyond `highest` are not believed: tells of each segment that it is the first to report.
    /// What is acknowledged of one that was sent again in part is told of as a segment, and the rest stays.
    pub fn take_in(&mut self, acknowledgment: &Acknowledgment, highest: u64, mut tell: impl FnMut(&Transmission<T>)) {
        let is_sound = |block: &&(u64, u64)| block.0 >= acknowledgment.next && block.1 <= highest;
        for &(begin, end) in acknowledgment.blocks.as_slice().iter().filter(is_sound) {
            let first = self.first_from(begin);
            let reported = self.segments.range_mut(first..).take_while(|known| known.end <= end);
            for known in reported.filter(|known| !known.has_arrived) {
                known.has_arrived = true;
                self.arrived += 1;
                tell(known);
            }
        }
        while let Some(first) = self.segments.front().filter(|first| first.end <= acknowledgment.next) {
            if first.has_arrived {
                self.arrived -= 1;
            } else {
                tell(first);
            }
            self.segments.pop_front();
        }
        if let Some(first) = self.segments.front_mut().filter(|first| first.begin < acknowledgment.next) {
            if !first.has_arrived {
                tell(&Transmission { end: acknowledgment.next, ..*first });
            }
            first.begin = acknowledgment.next;
        }
    }
}
