//! The scoreboard compared with a reference with one entry per byte.

use longfat_engine::random::{Chance, Stream};
use longfat_engine::transport::ranges::Range;
use longfat_engine::transport::{Blocks, DUPLICATE_THRESHOLD, Scoreboard};

/// State of each byte from `first` on: simple, not fast.
#[derive(Default)]
struct ByteScoreboard {
    first: u64,
    arrived: Vec<bool>,
    retransmitted: u64,
}

#[expect(clippy::cast_possible_truncation, reason = "a window of a few hundred bytes")]
impl ByteScoreboard {
    fn update(&mut self, next: u64, highest: u64, blocks: &[Range]) -> u64 {
        self.arrived.drain(..((next - self.first) as usize).min(self.arrived.len()));
        self.first = next;
        self.arrived.resize((highest - next) as usize, false);
        let mut news = 0;
        for &(begin, end) in blocks.iter().filter(|block| block.0 >= next && block.1 <= highest) {
            for byte in begin..end {
                let arrived = &mut self.arrived[(byte - next) as usize];
                news += u64::from(!std::mem::replace(arrived, true));
            }
        }
        news
    }

    fn has(&self, byte: u64) -> bool {
        byte >= self.first && self.arrived.get((byte - self.first) as usize) == Some(&true)
    }

    fn highest(&self) -> u64 {
        self.first + self.arrived.len() as u64
    }

    /// First run of missing bytes from `begin` on that lies below an arrived byte.
    fn gap_from(&self, begin: u64) -> Option<Range> {
        let last = (begin..self.highest()).rev().find(|&byte| self.has(byte))?;
        let first = (begin..last).find(|&byte| !self.has(byte))?;
        let end = (first..=last).find(|&byte| self.has(byte)).expect("the last has arrived");
        Some((first, end))
    }

    fn missing(&self, begin: u64, end: u64) -> u64 {
        (begin..end).filter(|&byte| !self.has(byte)).count() as u64
    }

    /// RFC 6675 section 4, `IsLost`, word by word: "either when DupThresh discontiguous SACKed sequences have arrived above
    /// 'SeqNum' or when more than (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed".
    fn is_lost(&self, byte: u64, mss: u64) -> bool {
        let above = || byte + 1..self.highest();
        let sequences = above().filter(|&byte| self.has(byte) && !self.has(byte - 1)).count();
        let bytes = above().filter(|&byte| self.has(byte)).count() as u64;
        sequences >= DUPLICATE_THRESHOLD as usize || bytes > u64::from(DUPLICATE_THRESHOLD - 1) * mss
    }
}

/// Random number in [`low`, `high`).
fn any(chance: &mut Stream, low: u64, high: u64) -> u64 {
    low + chance.draw() % high.saturating_sub(low).max(1)
}

/// A random course of a connection: acknowledgments that move the left edge, blocks of a few segments, new data.
struct Course {
    chance: Stream,
    mss: u64,
    next: u64,
    highest: u64,
    board: Scoreboard,
    reference: ByteScoreboard,
}

impl Course {
    fn new(number: u64) -> Self {
        let mut chance = Chance { seed: 6675, replication: number }.stream("scoreboard");
        let mss = any(&mut chance, 1, 6);
        Self { chance, mss, next: 0, highest: 0, board: Scoreboard::default(), reference: ByteScoreboard::default() }
    }

    /// Delivers an acknowledgment with up to three blocks, sometimes with an invalid one. Returns the number of segments, or parts of
    /// segments, in the blocks.
    fn acknowledge(&mut self) -> u64 {
        self.highest += any(&mut self.chance, 0, 4 * self.mss);
        if any(&mut self.chance, 0, 8) == 0 || self.highest - self.next > 60 * self.mss {
            self.next = any(&mut self.chance, self.next, self.highest + 1);
        }
        // The receiver's next byte is never in a block.
        while self.reference.has(self.next) {
            self.next += 1;
        }
        let blocks: Vec<Range> = (0..any(&mut self.chance, 0, 4)).map(|_| self.block()).collect();
        let news = self.board.update(self.next, self.highest, &blocks.iter().copied().collect::<Blocks>());
        assert_eq!(news, self.reference.update(self.next, self.highest, &blocks), "{blocks:?}");
        assert!(self.board.arrived().ranges().iter().all(|range| range.0 > self.next || range.1 <= self.highest));
        blocks.iter().map(|block| (block.1 - block.0).div_ceil(self.mss)).sum()
    }

    fn block(&mut self) -> Range {
        let nonsense = any(&mut self.chance, 0, 50) == 0;
        let (low, high) = if nonsense { (0, self.highest + 9) } else { (self.next + 1, self.highest) };
        let begin = any(&mut self.chance, low, high);
        let length = any(&mut self.chance, 1, 3 * self.mss);
        (begin, if nonsense { begin + length } else { (begin + length).min(self.highest.max(begin)) })
    }

    fn send_holes_again(&mut self) {
        match any(&mut self.chance, 0, 40) {
            0 => {
                self.board.clear();
                self.reference.arrived.fill(false);
                self.reference.retransmitted = 0;
            }
            1 => {
                self.board.begin_recovery(self.next + self.mss);
                self.reference.retransmitted = self.next + self.mss;
            }
            _ => {
                if let Some((begin, end)) = self.board.next_hole(self.next) {
                    let end = end.min(begin + self.mss);
                    self.board.note_retransmission(end);
                    self.reference.retransmitted = self.reference.retransmitted.max(end);
                }
            }
        }
    }

    fn compare(&mut self) {
        let (board, reference) = (&self.board, &self.reference);
        let begin = reference.retransmitted.max(self.next);
        assert_eq!(board.next_hole(self.next), reference.gap_from(begin));
        assert_eq!(board.retransmitted(), reference.retransmitted);
        let lost_below = board.lost_below(DUPLICATE_THRESHOLD as usize, self.mss);
        for byte in (self.next..self.highest).filter(|&byte| !reference.has(byte)) {
            assert_eq!(
                byte < lost_below,
                reference.is_lost(byte, self.mss),
                "{byte} of {:?}",
                board.arrived().ranges()
            );
        }
        let (low, high) =
            (any(&mut self.chance, self.next, self.highest), any(&mut self.chance, self.next, self.highest));
        assert_eq!(board.missing(low, high), reference.missing(low, high), "{low}..{high}");
        assert_eq!(board.next_gap(low), reference.gap_from(low), "from {low}");
    }
}

#[test]
fn the_scoreboard_agrees_with_one_that_has_an_entry_for_each_byte() {
    let (mut segments, mut lost, mut holes) = (0, 0, 0);
    for number in 0.. {
        if segments > 1_000_000 {
            break;
        }
        let mut course = Course::new(number);
        for step in 0..1000 {
            segments += course.acknowledge();
            if step % 8 == 0 {
                course.compare();
                lost += u64::from(course.board.lost_below(3, course.mss) > course.next);
                holes += u64::from(course.board.next_hole(course.next).is_some());
            }
            course.send_holes_again();
        }
    }
    // The comparisons would hold on an empty scoreboard; this one was not.
    assert!(lost > 10_000 && holes > 10_000, "{segments} segments, {lost} lost, {holes} holes");
}
