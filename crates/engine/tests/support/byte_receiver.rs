//! A reference receiver with one flag per byte and a list of arrivals: simple, not fast.

use longfat_engine::transport::ranges::Range;
use longfat_engine::transport::{OutOfOrder, TcpConfig};
use longfat_engine::units::Time;

/// A receiver that stores the state of every byte.
pub struct ByteReceiver {
    discards: bool,
    /// Most blocks that it reports; 0 without selective acknowledgments.
    most_blocks: usize,
    reports_duplicates: bool,
    /// First run of bytes of the latest segment that had arrived before.
    duplicate: Option<Range>,
    arrived: Vec<bool>,
    next: usize,
    /// First bytes of the segments kept beyond a hole, in order of arrival.
    arrivals: Vec<usize>,
    /// Timestamp of the earliest segment that the next acknowledgment answers: `TS.Recent` and `Last.ACK.sent` of RFC 7323 section 4.3.
    recent_timestamp: Option<Time>,
    last_acknowledged: usize,
}

#[expect(clippy::cast_possible_truncation, reason = "tests move megabytes")]
fn index(byte: u64) -> usize {
    byte as usize
}

impl ByteReceiver {
    pub fn new(config: &TcpConfig) -> Self {
        let recovery = config.flavor.build(&()).recovery().build(&());
        Self {
            discards: config.out_of_order == OutOfOrder::Discard,
            most_blocks: if recovery.is_selective() { config.sack_blocks.count() } else { 0 },
            reports_duplicates: recovery.reports_duplicates(),
            duplicate: None,
            arrived: Vec::new(),
            next: 0,
            arrivals: Vec::new(),
            recent_timestamp: None,
            last_acknowledged: 0,
        }
    }

    /// Next byte expected.
    pub fn next(&self) -> u64 {
        self.next as u64
    }

    /// True if bytes beyond the next one have arrived.
    pub fn has_hole(&self) -> bool {
        self.arrived.len() > self.next
    }

    /// Receives a segment that was sent at `sent`; returns the number of its bytes that are new and kept.
    pub fn receive(&mut self, sequence: u64, length: u64, sent: Time) -> u64 {
        let (begin, end) = (index(sequence), index(sequence + length));
        // RFC 7323 section 4.3, rule (2).
        if begin <= self.last_acknowledged && self.recent_timestamp.is_none_or(|recent| sent >= recent) {
            self.recent_timestamp = Some(sent);
        }
        self.duplicate = self.first_known(begin, end);
        if begin > self.next {
            if self.discards {
                return 0;
            }
            self.arrivals.push(begin);
        }
        if self.arrived.len() < end {
            self.arrived.resize(end, false);
        }
        let segment = &mut self.arrived[begin..end];
        let gained = segment.iter().filter(|arrived| !**arrived).count();
        segment.fill(true);
        self.next += self.arrived[self.next..].iter().take_while(|arrived| **arrived).count();
        let next = self.next;
        self.arrivals.retain(|&begin| begin >= next);
        gained as u64
    }

    /// First run of bytes in the range that have arrived before.
    fn first_known(&self, begin: usize, end: usize) -> Option<Range> {
        let is_known = |byte: &usize| self.arrived.get(*byte) == Some(&true);
        let first = (begin..end).find(is_known)?;
        let length = (first..end).take_while(is_known).count();
        Some((first as u64, (first + length) as u64))
    }

    /// Records that an acknowledgment is sent; returns the timestamp that it must echo.
    pub fn acknowledge(&mut self) -> Option<Time> {
        self.last_acknowledged = self.next;
        self.recent_timestamp
    }

    /// Blocks that RFC 2018 section 4 requires in an acknowledgment: contiguous and complete; first the one with the segment that arrived
    /// last, then those of the segments before it; as many as fit, none twice. Preceded by the duplicate range (D-SACK, RFC 2883), if
    /// enabled.
    pub fn blocks(&self) -> Vec<Range> {
        let mut blocks: Vec<Range> = Vec::new();
        for &arrival in self.arrivals.iter().rev() {
            if blocks.len() == self.most_blocks {
                break;
            }
            let island = self.island(arrival);
            if !blocks.contains(&island) {
                blocks.push(island);
            }
        }
        if let Some(duplicate) = self.duplicate.filter(|_| self.reports_duplicates) {
            blocks.insert(0, duplicate);
            blocks.truncate(self.most_blocks);
        }
        blocks
    }

    fn island(&self, byte: usize) -> Range {
        let below = self.arrived[..byte].iter().rev().take_while(|arrived| **arrived).count();
        let above = self.arrived[byte..].iter().take_while(|arrived| **arrived).count();
        ((byte - below) as u64, (byte + above) as u64)
    }
}
