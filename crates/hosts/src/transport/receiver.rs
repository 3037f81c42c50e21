//! The receiver: reassembly in order, selective acknowledgments, delayed acknowledgments and echoes.

use longfat_foundation::config::Parameter;
use longfat_foundation::units::Time;

use super::acknowledging::{Acknowledging, Arrival};
use super::ranges::{Range, RangeSet};
use super::recovery::Recovery;
use super::{Acknowledgment, Blocks, Echo, MarkEcho, TcpConfig};

longfat_foundation::choice! {
    /// Treatment of a segment beyond a hole (T-15).
    pub enum OutOfOrder {
        /// It is kept: when the hole is filled, one acknowledgment covers all.
        Keep = "keep",
        /// Throws it away.
        Discard = "discard",
    }
}

/// Received bytes by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivedBytes {
    /// Bytes received for the first time and kept.
    pub new: u64,
    /// Bytes that had arrived before.
    pub duplicate: u64,
    /// Bytes discarded beyond a hole.
    pub beyond_hole: u64,
}

impl ReceivedBytes {
    /// Sum of all kinds.
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

/// The receiver of one TCP connection. Its application reads at once.
pub struct Receiver {
    out_of_order: OutOfOrder,
    acknowledging: Box<dyn Acknowledging>,
    acknowledges_at_once: bool,
    /// Maximum of SACK blocks in a segment; 0 without SACK.
    most_blocks: usize,
    /// Whether it reports duplicates (D-SACK, RFC 2883).
    reports_duplicates: bool,
    echoes_timestamps: bool,
    next: u64,
    /// Ranges received beyond `next`.
    islands: RangeSet,
    /// One byte of each range in `islands`, most recent arrival first: the order of SACK blocks (RFC 2018 section 4).
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
    /// Creates a receiver that has received nothing.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        Self::for_recovery(config, &*config.flavor.build(&()).recovery().build(&()))
    }

    /// [`new`](Self::new), given the recovery that `config` names.
    #[must_use]
    pub(super) fn for_recovery(config: &TcpConfig, recovery: &dyn Recovery) -> Self {
        let acknowledging = config.acknowledgments.build(config);
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

    /// Next byte expected, which is also the number of bytes delivered to the application.
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

    /// Bytes of all segments received.
    #[must_use]
    pub fn received(&self) -> ReceivedBytes {
        self.received
    }

    /// Bytes of the latest segment.
    #[must_use]
    pub fn latest(&self) -> ReceivedBytes {
        self.latest
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.islands.memory_bytes()
    }

    /// Time at which a delayed acknowledgment is due.
    #[must_use]
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Records the ECN bits of a segment before it is received: CE, and CWR as `window_is_reduced`. Returns the delayed acknowledgment that
    /// must be sent first, if any (RFC 8257 section 3.2).
    pub fn note_mark(&mut self, length: u64, is_marked: bool, window_is_reduced: bool) -> Option<Acknowledgment> {
        if !self.marks.note(length, is_marked, window_is_reduced) {
            return None;
        }
        let waiting = self.due.is_some().then(|| self.acknowledge_late());
        self.marks.turn(is_marked);
        waiting
    }

    /// Receives a segment that was sent at `sent`; returns the acknowledgment to send at once, if any.
    pub fn receive(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> Option<Acknowledgment> {
        if self.expects(sequence) {
            self.take_expected(now, length, sent).then(|| self.acknowledge_in_order())
        } else {
            self.receive_unexpected(now, sequence, length, sent)
        }
    }

    /// Whether `sequence` is the next byte expected and nothing is held beyond it: the fast path ("header prediction", Jacobson 1990).
    #[must_use]
    #[inline]
    pub fn expects(&self, sequence: u64) -> bool {
        sequence == self.next && self.islands.is_empty()
    }

    /// Fast path of [`receive`](Self::receive), for a segment that it [`expects`](Self::expects); returns whether to
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
            let arrival = Arrival { in_order: true, repeats_last: false, length, ..self.arrival() };
            self.wait(now, arrival);
        }
        self.due.is_none()
    }

    /// General path of [`receive`](Self::receive).
    #[inline(never)]
    pub fn receive_unexpected(&mut self, now: Time, sequence: u64, length: u64, sent: Time) -> Option<Acknowledgment> {
        let end = sequence + length;
        let duplicate = if self.reports_duplicates { self.known((sequence, end)) } else { None };
        let repeats_last = !self.acknowledges_at_once
            && end == self.next
            && length > 0
            && self.islands.is_empty()
            && duplicate.is_none();
        let is_apart = self.due.is_some() && duplicate.is_none() && self.lies_apart(sequence, end);
        let before = (is_apart && self.acknowledging.reports_before(self.next)).then(|| self.acknowledge_late());
        self.latest = self.take(sequence, end);
        self.received += self.latest;
        self.note_timestamp(now, sequence, sent);
        if before.is_some() {
            return before;
        }
        if !self.acknowledges_at_once {
            let repeats = self.latest.duplicate > 0;
            self.wait(now, Arrival { repeats_last, length, repeats, ..self.arrival() });
        }
        if let Some(duplicate) = duplicate {
            return self.due.is_none().then(|| self.acknowledge_with(duplicate));
        }
        self.due.is_none().then(|| self.acknowledge())
    }

    #[inline]
    fn note_timestamp(&mut self, now: Time, sequence: u64, sent: Time) {
        // RFC 7323 section 4.3: echo the timestamp of the earliest segment that the acknowledgment answers, never an older one than
        // was echoed last.
        let is_answered = self.echoes_timestamps && sequence <= self.acknowledged;
        if is_answered && self.echo.is_none_or(|echo| echo.sent <= sent) {
            self.echo = Some(Echo::new(sent, now));
        }
    }

    /// The state after a segment, for the acknowledgment rule.
    #[inline]
    fn arrival(&self) -> Arrival {
        let holds = self.most_blocks > 0 && !self.islands.is_empty();
        Arrival { waits: self.due.is_some(), next: self.next, holds, ..Arrival::default() }
    }

    /// Sets or clears the time of the delayed acknowledgment by the acknowledgment rule; marks that must be echoed at once prevent a delay.
    fn wait(&mut self, now: Time, arrival: Arrival) {
        self.due = self.acknowledging.delay(now, arrival).filter(|_| !self.marks.is_urgent());
    }

    /// Whether a segment is out of order and touches neither of the two ranges that are reported first.
    fn lies_apart(&self, sequence: u64, end: u64) -> bool {
        let reported = self.recent.iter().filter(|&&byte| byte >= self.next).take(2);
        let touches =
            |&byte: &u64| self.islands.containing(byte).is_none_or(|island| end >= island.0 && sequence <= island.1);
        sequence > self.next && reported.clone().count() == 2 && !reported.copied().any(|byte| touches(&byte))
    }

    /// First contiguous part of a range that had arrived before (RFC 2883 section 4).
    fn known(&self, (begin, end): Range) -> Option<Range> {
        if begin < self.next {
            return Some((begin, end.min(self.next)));
        }
        let islands = self.islands.ranges();
        let next_island = islands.get(islands.partition_point(|island| island.1 <= begin));
        next_island.filter(|island| island.0 < end).map(|island| (begin.max(island.0), end.min(island.1)))
    }

    /// Acknowledgment whose first block is a D-SACK.
    #[cold]
    fn acknowledge_with(&mut self, duplicate: Range) -> Acknowledgment {
        let mut acknowledgment = self.acknowledge();
        acknowledgment.blocks.push_first(duplicate, self.most_blocks);
        acknowledgment
    }

    /// Sends the delayed acknowledgment.
    pub fn acknowledge_late(&mut self) -> Acknowledgment {
        self.due = None;
        self.acknowledge()
    }

    /// Adds bytes to the reassembly; returns what became of them.
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
            let ranges = self.islands.ranges().len();
            self.islands.insert((sequence, end));
            self.note_recent(sequence, self.islands.ranges().len() < ranges);
            self.highest = self.highest.max(end);
        } else {
            return ReceivedBytes { beyond_hole: end - sequence, ..ReceivedBytes::default() };
        }
        let new = self.next - before + self.islands.bytes() - held;
        ReceivedBytes { new, duplicate: end - sequence - new, beyond_hole: 0 }
    }

    /// Makes the range around `sequence`, which may join ranges, the first SACK block.
    fn note_recent(&mut self, sequence: u64, joins: bool) {
        if self.most_blocks == 0 {
            return;
        }
        let island = self.islands.containing(sequence).expect("it has just arrived");
        // Each range has one byte there, but for those that have just become one, and what was delivered since.
        match self.recent.first_mut().filter(|first| island.0 <= **first && **first < island.1) {
            Some(first) if !joins => *first = sequence,
            _ => {
                self.recent.retain(|&byte| byte < island.0 || byte >= island.1);
                self.recent.insert(0, sequence);
            }
        }
    }

    fn acknowledge(&mut self) -> Acknowledgment {
        if self.next > self.acknowledged {
            self.recent.retain(|&byte| byte >= self.next);
        }
        let islands = self.recent.iter().filter_map(|&byte| self.islands.containing(byte));
        let blocks: Blocks = islands.take(self.most_blocks).collect();
        Acknowledgment { blocks, ..self.acknowledge_in_order() }
    }

    /// Acknowledgment without SACK blocks, for when nothing is held beyond the next byte expected.
    // Always: builds the acknowledgment in place.
    #[inline(always)]
    pub fn acknowledge_in_order(&mut self) -> Acknowledgment {
        self.acknowledged = self.next;
        let marks = if self.echoes_marks { self.marks.take_echo() } else { 0 };
        Acknowledgment { next: self.next, blocks: Blocks::default(), echo: self.echo, marks }
    }
}
