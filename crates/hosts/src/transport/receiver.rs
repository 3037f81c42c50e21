//! The receiving end: what has arrived, in order, and what to acknowledge.

use longfat_foundation::config::Parameter;
use longfat_foundation::units::Time;

use super::acknowledging::{Acknowledging, Arrival};
use super::ranges::{Range, RangeSet};
use super::recovery::Recovery;
use super::{Acknowledgment, Blocks, Echo, MarkEcho, TcpConfig};

longfat_foundation::choice! {
    /// What a receiver does with a segment beyond a hole (T-15).
    pub enum OutOfOrder {
        /// It is kept: when the hole is filled, one acknowledgment covers all.
        Keep = "keep",
        /// Throws it away.
        Discard = "discard",
    }
}

/// What the bytes of segments were to their receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedBytes {
    /// New, and kept.
    pub new: u64,
    /// There already.
    pub duplicate: u64,
    /// Thrown away, because a hole lies before them.
    pub beyond_hole: u64,
}

impl ReceivedBytes {
    /// All of them.
    #[must_use]
    pub fn sum(self) -> u64 {
        self.new + self.duplicate + self.beyond_hole
    }
}

impl std::ops::AddAssign for ReceivedBytes {
    fn add_assign(&mut self, other: Self) {
        self.new += other.new;
        self.duplicate += other.duplicate;
        self.beyond_hole += other.beyond_hole;
    }
}

/// One receiving TCP. Its application reads at once.
pub struct Receiver {
    out_of_order: OutOfOrder,
    acknowledging: Box<dyn Acknowledging>,
    acknowledges_at_once: bool,
    /// Most selective acknowledgments in one segment; 0 without.
    most_blocks: usize,
    /// Whether it reports what has arrived twice (RFC 2883).
    reports_duplicates: bool,
    echoes_timestamps: bool,
    next: u64,
    /// What has arrived beyond `next`.
    islands: RangeSet,
    /// A byte in each island, that of the latest arrival first.
    recent: Vec<u64>,
    /// Highest byte number received, plus one.
    highest: u64,
    /// Timestamp to echo (`TS.Recent`), and the last acknowledgment sent (`Last.ACK.sent`; RFC 7323 section 4.3).
    echo: Option<Echo>,
    acknowledged: u64,
    marks: MarkEcho,
    echoes_marks: bool,
    /// When a delayed acknowledgment is due.
    due: Option<Time>,
    /// The bytes of the latest segment, and of all.
    latest: ReceivedBytes,
    received: ReceivedBytes,
}

impl Receiver {
    /// A receiver that has nothing yet.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self::for_recovery(config, &*config.flavor.build(&()).recovery())
    }

    /// The same for a sender that repairs losses in that way, which is the one configured.
    #[must_use]
    pub(super) fn for_recovery(config: &TcpConfig, recovery: &dyn Recovery) -> Self {
        let acknowledging = config.acknowledgments.build(&());
        Self {
            out_of_order: config.out_of_order,
            acknowledges_at_once: acknowledging.is_at_once(),
            acknowledging,
            most_blocks: if recovery.is_selective() { config.sack_blocks.count() } else { 0 },
            reports_duplicates: recovery.reports_duplicates(),
            echoes_timestamps: config.timestamps,
            next: 0,
            islands: RangeSet::default(),
            recent: Vec::new(),
            highest: 0,
            echo: None,
            acknowledged: 0,
            marks: MarkEcho::new(config.ecn),
            echoes_marks: !config.ecn.is_absent(),
            due: None,
            latest: ReceivedBytes::default(),
            received: ReceivedBytes::default(),
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

    /// What the bytes of all segments were.
    #[must_use]
    pub fn received(&self) -> ReceivedBytes {
        self.received
    }

    /// What the bytes of the latest segment were.
    #[must_use]
    pub fn latest(&self) -> ReceivedBytes {
        self.latest
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

    /// A segment is about to be taken: whether a queue has marked it, and whether it announces a reduced window. Gives the
    /// acknowledgment that waits and must be sent before, if there is one.
    pub fn note_mark(&mut self, length: u64, is_marked: bool, window_is_reduced: bool) -> Option<Acknowledgment> {
        if !self.marks.note(length, is_marked, window_is_reduced) {
            return None;
        }
        let waiting = self.due.is_some().then(|| self.acknowledge_late());
        self.marks.turn(is_marked);
        waiting
    }

    /// Takes a segment that was sent at `sent`; gives the acknowledgment to send at once, if any.
    pub fn receive(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> Option<Acknowledgment> {
        if self.expects(sequence) {
            self.take_expected(now, length, sent).then(|| self.acknowledge_in_order())
        } else {
            self.receive_unexpected(now, sequence, length, sent)
        }
    }

    /// Whether a segment that begins with that byte is the next one, and nothing is held beyond it: nearly always ("header prediction",
    /// Jacobson 1990).
    #[must_use]
    #[inline]
    pub fn expects(&self, sequence: u64) -> bool {
        sequence == self.next && self.islands.is_empty()
    }

    /// As [`receive`](Self::receive), for a segment that it [`expects`](Self::expects); tells whether to
    /// [acknowledge](Self::acknowledge_in_order) it at once.
    #[inline(always)]
    pub fn take_expected(&mut self, now: Time, length: u64, sent: Time) -> bool {
        let sequence = self.next;
        self.next += length;
        self.highest = self.highest.max(self.next);
        self.latest = ReceivedBytes { new: length, ..ReceivedBytes::default() };
        self.received.new += length;
        self.note_timestamp(now, sequence, sent);
        if !self.acknowledges_at_once {
            self.wait(now, true);
        }
        self.due.is_none()
    }

    /// As [`receive`](Self::receive), for another.
    #[inline(never)]
    pub fn receive_unexpected(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> Option<Acknowledgment> {
        let end = sequence + length;
        let duplicate = if self.reports_duplicates { self.known((sequence, end)) } else { None };
        self.latest = self.take(sequence, end);
        self.received += self.latest;
        self.note_timestamp(now, sequence, sent);
        self.wait(now, false);
        if let Some(duplicate) = duplicate {
            return self.due.is_none().then(|| self.acknowledge_with(duplicate));
        }
        self.due.is_none().then(|| self.acknowledge())
    }

    #[inline]
    fn note_timestamp(&mut self, now: Time, sequence: u64, sent: Time) {
        // RFC 7323 section 4.3: the earliest segment that an acknowledgment answers is echoed, never one that was sent before
        // what was echoed last.
        let is_answered = self.echoes_timestamps && sequence <= self.acknowledged;
        if is_answered && self.echo.is_none_or(|echo| echo.sent <= sent) {
            self.echo = Some(Echo::new(sent, now));
        }
    }

    /// Lets the acknowledgment of a segment wait that has come, in order or not, if it may.
    fn wait(&mut self, now: Time, in_order: bool) {
        let arrival = Arrival { in_order, waits: self.due.is_some() };
        self.due = self.acknowledging.delay(now, arrival).filter(|_| !self.marks.is_urgent());
    }

    /// The first of some bytes that are there already (RFC 2883 section 4).
    fn known(&self, (begin, end): Range) -> Option<Range> {
        if begin < self.next {
            return Some((begin, end.min(self.next)));
        }
        let islands = self.islands.ranges();
        let next_island = islands.get(islands.partition_point(|island| island.1 <= begin));
        next_island.filter(|island| island.0 < end).map(|island| (begin.max(island.0), end.min(island.1)))
    }

    /// An acknowledgment that reports a duplicate before all else.
    #[cold]
    fn acknowledge_with(&mut self, duplicate: Range) -> Acknowledgment {
        let mut acknowledgment = self.acknowledge();
        acknowledgment.blocks.push_first(duplicate, self.most_blocks);
        acknowledgment
    }

    /// The acknowledgment that was delayed is due.
    pub fn acknowledge_late(&mut self) -> Acknowledgment {
        self.due = None;
        self.acknowledge()
    }

    /// Takes in bytes; tells what they were.
    fn take(&mut self, sequence: u64, end: u64) -> ReceivedBytes {
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
        } else {
            return ReceivedBytes { beyond_hole: end - sequence, ..ReceivedBytes::default() };
        }
        let new = self.next - before + self.islands.bytes() - held;
        ReceivedBytes { new, duplicate: end - sequence - new, beyond_hole: 0 }
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
        self.recent.retain(|&byte| byte >= self.next);
        let islands = self.recent.iter().filter_map(|&byte| self.islands.containing(byte));
        let blocks: Blocks = islands.take(self.most_blocks).collect();
        Acknowledgment { blocks, ..self.acknowledge_in_order() }
    }

    /// An acknowledgment when nothing is held beyond the next byte expected.
    // Always: it is made in its place then.
    #[inline(always)]
    pub fn acknowledge_in_order(&mut self) -> Acknowledgment {
        self.acknowledged = self.next;
        let marks = if self.echoes_marks { self.marks.take_echo() } else { 0 };
        Acknowledgment { next: self.next, blocks: Blocks::default(), echo: self.echo, marks }
    }
}
