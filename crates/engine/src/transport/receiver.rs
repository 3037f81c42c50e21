//! The receiving end: what has arrived, in order, and what to acknowledge.

use super::acknowledging::{Acknowledging, Arrival};
use super::ranges::RangeSet;
use super::{Acknowledgment, Blocks, TcpConfig};
use crate::units::Time;

crate::choice! {
    /// What a receiver does with a segment beyond a hole (T-15).
    pub enum OutOfOrder {
        /// Keeps it: when the hole is filled, one acknowledgment covers all.
        Keep = "keep",
        /// Throws it away.
        Discard = "discard",
    }
}

/// One receiving TCP. Its application reads at once.
pub struct Receiver {
    out_of_order: OutOfOrder,
    acknowledging: Box<dyn Acknowledging>,
    /// Most selective acknowledgments in one segment; 0 without.
    most_blocks: usize,
    echoes_timestamps: bool,
    next: u64,
    /// What has arrived beyond `next`.
    islands: RangeSet,
    /// A byte in each island, that of the latest arrival first.
    recent: Vec<u64>,
    /// Highest byte number received, plus one.
    highest: u64,
    /// Timestamp to echo (`TS.Recent`), and the last acknowledgment sent (`Last.ACK.sent`; RFC 7323 section 4.3).
    echo: Option<Time>,
    acknowledged: u64,
    /// When a delayed acknowledgment is due.
    due: Option<Time>,
    /// Bytes of data in all segments that arrived.
    pub bytes_received: u64,
    /// Bytes that were already there, or were thrown away beyond a hole.
    pub bytes_discarded: u64,
}

impl Receiver {
    /// A receiver that has nothing yet.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        let is_selective = config.flavor.build(&()).recovery().is_selective();
        Self {
            out_of_order: config.out_of_order,
            acknowledging: config.acknowledgments.build(&()),
            most_blocks: if is_selective { config.sack_blocks.count() } else { 0 },
            echoes_timestamps: config.timestamps,
            next: 0,
            islands: RangeSet::default(),
            recent: Vec::new(),
            highest: 0,
            echo: None,
            acknowledged: 0,
            due: None,
            bytes_received: 0,
            bytes_discarded: 0,
        }
    }

    /// The next byte expected, which is also the number of bytes delivered to the application, all in order.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Highest byte number received, plus one.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Bytes held beyond a hole.
    #[must_use]
    pub fn bytes_held(&self) -> u64 {
        self.islands.bytes()
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.islands.memory_bytes()
    }

    /// When a delayed acknowledgment is due.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Takes a segment that was sent at `sent`; gives the acknowledgment to send at once, if any.
    pub fn receive(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> Option<Acknowledgment> {
        let end = sequence + length;
        let had_hole = !self.islands.is_empty();
        let before = self.next;
        let gained = self.take(sequence, end);
        self.bytes_received += length;
        self.bytes_discarded += length - gained;
        // RFC 7323 section 4.3: the earliest segment that an acknowledgment answers is echoed, never one that was sent before
        // what was echoed last.
        if self.echoes_timestamps && sequence <= self.acknowledged {
            self.echo = self.echo.max(Some(sent));
        }
        let arrival =
            Arrival { in_order: self.next > before && !had_hole && sequence == before, waits: self.due.is_some() };
        self.due = self.acknowledging.delay(now, arrival);
        self.due.is_none().then(|| self.acknowledge())
    }

    /// The acknowledgment that was delayed is due.
    pub fn acknowledge_late(&mut self) -> Acknowledgment {
        self.due = None;
        self.acknowledge()
    }

    /// Takes in bytes; gives how many were new and kept.
    fn take(&mut self, sequence: u64, end: u64) -> u64 {
        let held = self.islands.bytes();
        let before = self.next;
        if sequence <= self.next {
            self.next = self.next.max(end);
            if let Some((_, end)) = self.islands.containing(self.next) {
                self.next = end;
            }
            self.islands.remove_below(self.next);
            self.highest = self.highest.max(end);
        } else if self.out_of_order == OutOfOrder::Keep {
            self.islands.insert((sequence, end));
            self.note_recent(sequence);
            self.highest = self.highest.max(end);
        }
        self.next - before + self.islands.bytes() - held
    }

    /// The island around `sequence` becomes the first to be reported.
    fn note_recent(&mut self, sequence: u64) {
        if self.most_blocks == 0 {
            return;
        }
        let island = self.islands.containing(sequence).expect("it has just arrived");
        self.recent.retain(|&byte| byte < island.0 || byte >= island.1);
        self.recent.insert(0, sequence);
    }

    fn acknowledge(&mut self) -> Acknowledgment {
        self.acknowledged = self.next;
        self.recent.retain(|&byte| byte >= self.next);
        let islands = self.recent.iter().filter_map(|&byte| self.islands.containing(byte));
        let blocks: Blocks = islands.take(self.most_blocks).collect();
        Acknowledgment { next: self.next, blocks, echo: self.echo }
    }
}
