//! The segments in flight, one by one, with the time of the last transmission of each.

use std::collections::VecDeque;

use longfat_foundation::units::Time;

use super::acknowledgment::Blocks;
use super::ranges::{Range, RangeSet};
use super::{Acknowledgment, Piece};

/// A segment in flight, with a note of the user of this module.
#[derive(Clone, Copy, Debug)]
pub struct Transmission<T> {
    /// Its first byte.
    pub begin: u64,
    /// The byte after its last.
    pub end: u64,
    /// When it was sent last.
    pub sent: Time,
    /// True if `sent` is the time of a retransmission.
    pub was_sent_before: bool,
    /// Whether a selective acknowledgment has covered it.
    pub has_arrived: bool,
    /// Note of the user, for example the counters when it was sent.
    pub note: T,
}

/// Segments in flight in order of sequence, without gaps.
#[derive(Debug)]
pub struct UnderWay<T> {
    segments: VecDeque<Transmission<T>>,
    /// Number of segments selectively acknowledged, and their ranges.
    arrived: usize,
    reported: RangeSet,
    /// Blocks of the latest acknowledgment: they repeat, and have nothing new to tell.
    latest: Blocks,
    /// Segments from here on were sent once, and no block has reported anything since the first of them was sent.
    undisturbed_from: u64,
}

impl<T> Default for UnderWay<T> {
    fn default() -> Self {
        Self {
            segments: VecDeque::new(),
            arrived: 0,
            reported: RangeSet::default(),
            latest: Blocks::default(),
            undisturbed_from: 0,
        }
    }
}

impl<T: Copy> UnderWay<T> {
    /// Whether nothing is under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Number of segments selectively acknowledged.
    #[must_use]
    pub fn arrived(&self) -> usize {
        self.arrived
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.segments.capacity() * size_of::<Transmission<T>>() + self.reported.memory_bytes()
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

    /// Mutable [`from`](Self::from); callers must not change `has_arrived`, which is counted.
    pub fn from_mut(&mut self, sequence: u64) -> impl Iterator<Item = &mut Transmission<T>> {
        let first = self.first_from(sequence);
        self.segments.range_mut(first..)
    }

    /// Number of segments that begin below `sequence`.
    fn first_from(&self, sequence: u64) -> usize {
        let within = self.whole_below(sequence);
        within + usize::from(self.segments.get(within).is_some_and(|segment| segment.begin < sequence))
    }

    /// Number of segments that end at `sequence` or below. Nearly all segments have one length, so the first, if it is whole, tells where
    /// to look; a search does where it does not.
    #[inline]
    fn whole_below(&self, sequence: u64) -> usize {
        let Some(first) = self.segments.front().filter(|first| first.end <= sequence) else { return 0 };
        let guess = (sequence - first.begin) / (first.end - first.begin);
        let guess = usize::try_from(guess).unwrap_or(usize::MAX).min(self.segments.len());
        let is_right = self.segments[guess - 1].end <= sequence
            && self.segments.get(guess).is_none_or(|beyond| sequence < beyond.end);
        if is_right { guess } else { self.segments.partition_point(|segment| segment.end <= sequence) }
    }

    /// Whether a piece lies beyond all that was sent.
    #[inline]
    pub fn is_new(&self, piece: Piece) -> bool {
        self.segments.back().is_none_or(|last| last.end <= piece.sequence)
    }

    /// [`note_sent`](Self::note_sent) of a piece that [is new](Self::is_new).
    #[inline]
    pub fn note_new(&mut self, now: Time, piece: Piece, note: T) {
        let (begin, end) = (piece.sequence, piece.end());
        let segment = Transmission { begin, end, sent: now, was_sent_before: false, has_arrived: false, note };
        self.segments.push_back(segment);
    }

    /// Records a transmission, original or repeated.
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
        if sent.begin < known_end {
            self.note_sent_again(sent);
        }
        if sent.end > known_end {
            self.segments.push_back(Transmission { begin: sent.begin.max(known_end), ..sent });
        }
        if sent.begin < known_end {
            self.disturb();
        }
    }

    /// The segments that were sent once, of which no block has reported any since the first of them was sent, ascending.
    pub fn undisturbed(&self) -> impl Iterator<Item = &Transmission<T>> {
        let is_none = self.segments.back().is_none_or(|last| last.end <= self.undisturbed_from);
        let first = if is_none { self.segments.len() } else { self.first_from(self.undisturbed_from) };
        self.segments.range(first..)
    }

    /// Excludes the segments that are under way now from [`advance`](Self::advance): they may arrive in any order.
    pub fn disturb(&mut self) {
        self.undisturbed_from = self.segments.back().map_or(self.undisturbed_from, |last| last.end);
    }

    /// Removes the segments below a cumulative acknowledgment without blocks where these were sent once, in order, and no block has reported
    /// any. Returns the first and the last; `None` if they are not such, or the acknowledgment ends within a segment:
    /// [`take_in`](Self::take_in) serves all.
    #[inline]
    pub fn advance(&mut self, next: u64) -> Option<(Transmission<T>, Transmission<T>)> {
        let first = *self.segments.front().filter(|first| first.begin >= self.undisturbed_from && first.end <= next)?;
        let (mut last, mut whole) = (first, 1);
        while last.end < next {
            last = *self.segments.get(whole)?;
            whole += 1;
        }
        if last.end > next {
            return None;
        }
        for _ in 0..whole {
            self.segments.pop_front();
        }
        Some((first, last))
    }

    /// Overwrites the record of every segment that begins within a retransmission.
    fn note_sent_again(&mut self, sent: Transmission<T>) {
        let touched = self.from_mut(sent.begin).take_while(|known| known.begin < sent.end);
        for known in touched.filter(|known| !known.has_arrived) {
            *known = Transmission { begin: known.begin, end: known.end, was_sent_before: true, ..sent };
        }
    }

    /// Applies an acknowledgment: calls `tell` once for each newly acknowledged segment and removes those below the cumulative number.
    /// Ignores blocks beyond `highest`. A segment acknowledged in part is reported up to the number; the rest stays.
    pub fn take_in(&mut self, acknowledgment: &Acknowledgment, highest: u64, mut tell: impl FnMut(&Transmission<T>)) {
        if !acknowledgment.blocks.is_empty() {
            self.take_in_blocks(acknowledgment, highest, &mut tell);
        }
        while let Some(first) = self.segments.front().filter(|first| first.end <= acknowledgment.next) {
            if first.has_arrived {
                self.arrived -= 1;
            } else {
                tell(first);
            }
            self.segments.pop_front();
        }
        self.reported.remove_below(acknowledgment.next);
        if let Some(first) = self.segments.front_mut().filter(|first| first.begin < acknowledgment.next) {
            if !first.has_arrived {
                tell(&Transmission { end: acknowledgment.next, ..*first });
            }
            first.begin = acknowledgment.next;
            // A block that covered the end of this segment covers the rest of it now.
            self.latest = Blocks::default();
        }
    }

    #[inline(never)]
    fn take_in_blocks(
        &mut self,
        acknowledgment: &Acknowledgment,
        highest: u64,
        tell: &mut impl FnMut(&Transmission<T>),
    ) {
        let is_sound = |block: &Range| block.0 >= acknowledgment.next && block.1 <= highest;
        let mut sound = acknowledgment.blocks;
        if !sound.as_slice().iter().all(is_sound) {
            sound = sound.as_slice().iter().copied().filter(is_sound).collect();
        }
        let known = std::mem::replace(&mut self.latest, sound);
        self.disturb();
        for &block in sound.as_slice().iter().filter(|block| !known.as_slice().contains(block)) {
            self.report(block, tell);
        }
    }

    /// Marks the segments within a block as arrived. Skips ranges that earlier blocks covered: blocks repeat, and with large windows
    /// looking at every segment would cost O(window) per acknowledgment.
    fn report(&mut self, (begin, end): Range, tell: &mut impl FnMut(&Transmission<T>)) {
        let begin = self.reported.containing(begin).map_or(begin, |known| known.1);
        if begin >= end {
            return;
        }
        let (mut news, beyond) = (self.first_from(begin), self.whole_below(end));
        if news >= beyond {
            return;
        }
        let whole = (self.segments[news].begin, self.segments[beyond - 1].end);
        let mut at = whole.0;
        loop {
            let known = self.reported.ranges().partition_point(|range| range.1 <= at);
            let known =
                self.reported.ranges().get(known).map_or((whole.1, whole.1), |&range| (range.0.min(whole.1), range.1));
            for segment in self.segments.range_mut(news..).take_while(|segment| segment.begin < known.0) {
                segment.has_arrived = true;
                self.arrived += 1;
                tell(segment);
            }
            at = known.1;
            if at >= whole.1 {
                break;
            }
            news = self.first_from(at);
        }
        self.reported.insert(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Segments that an acknowledgment up to `next` with these blocks newly reports, found by testing every segment.
    fn looked_up(known: &mut Vec<(u64, u64, bool)>, next: u64, blocks: &[Range], highest: u64) -> Vec<(u64, u64)> {
        let mut told = Vec::new();
        for &(begin, end) in blocks.iter().filter(|block| block.0 >= next && block.1 <= highest) {
            for segment in known.iter_mut().filter(|segment| segment.0 >= begin && segment.1 <= end && !segment.2) {
                segment.2 = true;
                told.push((segment.0, segment.1));
            }
        }
        for segment in known.iter_mut().filter(|segment| segment.0 < next) {
            if !segment.2 {
                told.push((segment.0, segment.1.min(next)));
            }
            segment.0 = next.min(segment.1);
        }
        known.retain(|segment| segment.0 < segment.1);
        told
    }

    fn any_acknowledgments() -> impl Strategy<Value = Vec<(u64, Vec<Range>)>> {
        let block = (0_u64..60, 1_u64..40).prop_map(|(begin, length)| (5 * begin, 5 * (begin + length)));
        prop::collection::vec((0_u64..6, prop::collection::vec(block, 0..4)), 1..40)
    }

    proptest! {
        #[test]
        fn each_segment_is_told_of_once_whatever_blocks_repeat_overlap_or_cut(
            lengths in prop::collection::vec(1_u64..4, 1..60),
            acknowledgments in any_acknowledgments(),
        ) {
            let (mut under_way, mut known, mut highest) = (UnderWay::default(), Vec::new(), 0);
            for length in lengths {
                under_way.note_sent(Time::ZERO, Piece { sequence: highest, length: 5 * length }, ());
                known.push((highest, highest + 5 * length, false));
                highest += 5 * length;
            }
            let mut next = 0;
            for (steps, blocks) in acknowledgments {
                next = (next + 5 * steps).min(highest);
                let expected = looked_up(&mut known, next, &blocks, highest);
                let mut told = Vec::new();
                let acknowledgment =
                    Acknowledgment { next, blocks: blocks.into_iter().collect(), ..Acknowledgment::default() };
                under_way.take_in(&acknowledgment, highest, |segment| told.push((segment.begin, segment.end)));
                prop_assert_eq!(told, expected);
                prop_assert_eq!(under_way.arrived(), known.iter().filter(|segment| segment.2).count());
            }
        }
    }
}
