//! The SACK scoreboard with arbitrary acknowledgments.

use longfat_engine::transport::{Blocks, Scoreboard};

/// Number of bytes, limited by the bits of an integer.
const BYTES: usize = 128;

/// A reference scoreboard with one bit per byte.
#[derive(Default)]
struct ByteByByte {
    arrived: u128,
    retransmitted: usize,
}

/// Bits below `end`, which may be one past the last.
fn below(end: usize) -> u128 {
    if end < BYTES { (1 << end) - 1 } else { u128::MAX }
}

impl ByteByByte {
    /// Reference for `Scoreboard::update`.
    fn update(&mut self, next: usize, highest: usize, blocks: &[(usize, usize)]) -> u64 {
        self.arrived &= !below(next);
        let before = self.arrived;
        for &(begin, end) in blocks.iter().filter(|(begin, end)| begin < end && *begin >= next && *end <= highest) {
            self.arrived |= below(end) & !below(begin);
        }
        u64::from((self.arrived & !before).count_ones())
    }

    /// First range from `from` on that has not arrived and lies below data that has.
    fn gap_from(&self, from: usize) -> Option<(u64, u64)> {
        let begin = (!self.arrived & !below(from)).trailing_zeros();
        let end = (self.arrived & !below(begin as usize)).trailing_zeros();
        ((end as usize) < BYTES).then_some((begin.into(), end.into()))
    }

    /// Sequence number below which `IsLost` of RFC 6675 holds for data that has not arrived.
    fn lost_below(&self, duplicates: u32, mss: u32) -> u64 {
        let mut begins = self.arrived & !(self.arrived << 1);
        let mut lost = 0;
        while begins != 0 {
            let begin = begins.trailing_zeros();
            let blocks = begins.count_ones();
            let bytes = (self.arrived & !below(begin as usize)).count_ones();
            if blocks >= duplicates || bytes > (duplicates - 1) * mss {
                lost = begin.into();
            }
            begins &= begins - 1;
        }
        lost
    }
}

/// A scoreboard agrees with the reference, and ignores blocks that are not in flight. Octets are interpreted as operations.
pub fn scoreboard(bytes: &[u8]) {
    let mut acts = bytes.iter().map(|octet| usize::from(octet % 128));
    let mut ours = Scoreboard::default();
    let mut theirs = ByteByByte::default();
    while act(&mut acts, &mut ours, &mut theirs).is_some() {}
    compare(&ours, &theirs);
    huge(bytes);
}

/// Applies one operation, decoded from the octets; `None` at their end.
fn act(octets: &mut impl Iterator<Item = usize>, ours: &mut Scoreboard, theirs: &mut ByteByByte) -> Option<()> {
    match octets.next()? % 8 {
        0 => {
            ours.clear();
            *theirs = ByteByByte::default();
        }
        1 => {
            let end = octets.next()?;
            ours.note_retransmission(end as u64);
            theirs.retransmitted = theirs.retransmitted.max(end);
        }
        2 => {
            let end = octets.next()?;
            ours.begin_recovery(end as u64);
            theirs.retransmitted = end;
        }
        3 => compare(ours, theirs),
        blocks => {
            let (next, highest) = (octets.next()?, octets.next()?);
            let blocks = (3..blocks).map(|_| Some((octets.next()?, octets.next()?))).collect::<Option<Vec<_>>>()?;
            let said: Blocks = blocks.iter().map(|&(begin, end)| (begin as u64, end as u64)).collect();
            assert_eq!(ours.update(next as u64, highest as u64, &said), theirs.update(next, highest, &blocks));
        }
    }
    Some(())
}

/// Compares all queries of the scoreboards.
fn compare(ours: &Scoreboard, theirs: &ByteByByte) {
    assert_eq!(ours.arrived().bytes(), u64::from(theirs.arrived.count_ones()));
    assert_eq!(ours.retransmitted(), theirs.retransmitted as u64);
    for from in (0..BYTES).step_by(17) {
        assert_eq!(ours.next_gap(from as u64), theirs.gap_from(from));
        assert_eq!(ours.next_hole(from as u64), theirs.gap_from(from.max(theirs.retransmitted)));
        let missing = !theirs.arrived & below(from) & !below(17);
        assert_eq!(ours.missing(17, from as u64), u64::from(missing.count_ones()));
    }
    for (duplicates, mss) in [(1, 1), (2, 5), (3, 1), (3, 10)] {
        assert_eq!(ours.lost_below(duplicates as usize, mss.into()), theirs.lost_below(duplicates, mss));
    }
}

/// Sequence numbers of any size: counts never exceed the data in flight.
fn huge(bytes: &[u8]) {
    let mut scoreboard = Scoreboard::default();
    let numbers: Vec<u64> =
        bytes.chunks_exact(8).map(|octets| u64::from_le_bytes(octets.try_into().expect("eight"))).collect();
    for said in numbers.chunks_exact(6) {
        let blocks: Blocks = [(said[2], said[3]), (said[4], said[5])].into_iter().collect();
        let before = scoreboard.arrived().end();
        scoreboard.update(said[0], said[1], &blocks);
        assert!(scoreboard.arrived().ranges().iter().all(|range| range.0 >= said[0] && range.0 < range.1));
        assert!(scoreboard.arrived().ranges().windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(scoreboard.arrived().end() <= before.max(Some(said[1])));
    }
}
