//! The SACK scoreboard of a sender (RFC 6675 section 3).

use super::acknowledgment::Blocks;
use super::ranges::{Range, RangeSet};

/// SACK scoreboard: which bytes in flight have arrived, and which were retransmitted.
///
/// Holes are retransmitted in ascending order, so one number (HighRxt of RFC 6675 section 2) says which: all below it.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    arrived: RangeSet,
    retransmitted: u64,
}

impl Scoreboard {
    /// Processes an acknowledgment up to `next`; returns the number of bytes that its blocks report for the first time.
    ///
    /// Ignores blocks that are not in flight, that is, not below `highest`.
    pub fn update(&mut self, next: u64, highest: u64, blocks: &Blocks) -> u64 {
        self.arrived.remove_below(next);
        let sound = blocks.as_slice().iter().filter(|block| block.0 >= next && block.1 <= highest);
        sound.map(|&block| self.arrived.insert(block)).sum()
    }

    /// Forgets everything, after a timeout (RFC 2018 section 8).
    pub fn clear(&mut self) {
        self.arrived.clear();
        self.retransmitted = 0;
    }

    /// Bytes that have arrived beyond a hole.
    #[must_use]
    pub fn arrived(&self) -> &RangeSet {
        &self.arrived
    }

    /// Holes below this sequence number were retransmitted (HighRxt).
    #[must_use]
    pub fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Records that holes below `end` were retransmitted.
    pub fn note_retransmission(&mut self, end: u64) {
        self.retransmitted = self.retransmitted.max(end);
    }

    /// Starts a recovery with the data below `end`: holes above may be retransmitted, again if need be (RFC 6675 section 5, step 4.3).
    pub fn begin_recovery(&mut self, end: u64) {
        self.retransmitted = end;
    }

    /// First range from `next` on that has not arrived, was not retransmitted, and lies below data that has arrived.
    #[must_use]
    pub fn next_hole(&self, next: u64) -> Option<Range> {
        self.arrived.gap_from(self.retransmitted.max(next))
    }

    /// First range from `begin` on that has not arrived and lies below data that has, retransmitted or not.
    #[must_use]
    pub fn next_gap(&self, begin: u64) -> Option<Range> {
        self.arrived.gap_from(begin)
    }

    /// Sequence number below which missing bytes count as lost (`IsLost` of RFC 6675 section 4): at least `duplicates` separate blocks, or
    /// more than `duplicates - 1` segments of `mss` bytes, have arrived above it.
    #[must_use]
    pub fn lost_below(&self, duplicates: usize, mss: u64) -> u64 {
        let (mut above, enough) = (0, (duplicates as u64 - 1) * mss);
        for (count, range) in self.arrived.ranges().iter().rev().enumerate() {
            above += range.1 - range.0;
            if above > enough || count + 1 == duplicates {
                return range.0;
            }
        }
        0
    }

    /// Bytes in `begin..end` that have not arrived.
    #[must_use]
    pub fn missing(&self, begin: u64, end: u64) -> u64 {
        if end <= begin {
            return 0;
        }
        end - begin - (self.arrived.bytes_below(end) - self.arrived.bytes_below(begin))
    }
}
