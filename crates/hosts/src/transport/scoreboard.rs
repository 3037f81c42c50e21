//! The SACK scoreboard of a sender (RFC 6675 section 3).

use super::acknowledgment::Blocks;
use super::ranges::{Range, RangeSet};

/// Which of the bytes under way have arrived, and which were sent again.
///
/// Holes are filled in ascending order, so one number tells what was sent again: every hole below it
/// (HighRxt of RFC 6675 section 2).
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    arrived: RangeSet,
    retransmitted: u64,
}

impl Scoreboard {
    /// Takes in an acknowledgment of all bytes below `next`; gives how many bytes its blocks report for the first time.
    ///
    /// Blocks outside of what is under way, below `highest`, are not believed.
    pub fn update(&mut self, next: u64, highest: u64, blocks: &Blocks) -> u64 {
        self.arrived.remove_below(next);
        let sound = blocks.as_slice().iter().filter(|block| block.0 >= next && block.1 <= highest);
        sound.map(|&block| self.arrived.insert(block)).sum()
    }

    /// Forgets everything (RFC 2018 section 8: after a timeout).
    pub fn clear(&mut self) {
        self.arrived.clear();
        self.retransmitted = 0;
    }

    /// The bytes that have arrived beyond a hole.
    #[must_use]
    pub fn arrived(&self) -> &RangeSet {
        &self.arrived
    }

    /// Every hole below this byte has been sent again.
    #[must_use]
    pub fn retransmitted(&self) -> u64 {
        self.retransmitted
    }

    /// Notes that holes below `end` have been sent again.
    pub fn note_retransmission(&mut self, end: u64) {
        self.retransmitted = self.retransmitted.max(end);
    }

    /// A recovery begins with what lies below `end`: every hole above may be sent again, once more if need be (RFC 6675 section
    /// 5 step 4.3).
    pub fn begin_recovery(&mut self, end: u64) {
        self.retransmitted = end;
    }

    /// The first bytes from `next` on that have not arrived, were not sent again, and have bytes above them that have
    /// arrived.
    #[must_use]
    pub fn next_hole(&self, next: u64) -> Option<Range> {
        self.arrived.gap_from(self.retransmitted.max(next))
    }

    /// The first bytes from `begin` on that have not arrived and have bytes above them that have, sent again or not.
    #[must_use]
    pub fn next_gap(&self, begin: u64) -> Option<Range> {
        self.arrived.gap_from(begin)
    }

    /// Bytes below this one that have not arrived count as lost (`IsLost` of RFC 6675 section 4): at least
    /// `duplicates` separate blocks, or more than `duplicates - 1` segments of `mss` bytes, have arrived above them.
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
