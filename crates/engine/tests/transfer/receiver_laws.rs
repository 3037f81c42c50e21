//! Laws of every receiver: it acknowledges exactly the data that has arrived, and in time.

use longfat_engine::config::Parameter;
use longfat_engine::transport::ranges::Range;
use longfat_engine::transport::{Acknowledgment, OutOfOrder, Receiver, TcpConfig};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::support::byte_receiver::ByteReceiver;

/// A receiver whose every step is compared with the reference receiver.
pub struct LawfulReceiver<'c> {
    config: &'c TcpConfig,
    pub receiver: Receiver,
    reference: ByteReceiver,
    bytes_kept: u64,
    bytes_received: u64,
    /// Number of unacknowledged segments, and its maximum.
    waiting: u64,
    most_waiting: u64,
    most_reports: u64,
    longest_delay: Span,
    delays_repetitions: bool,
}

impl<'c> LawfulReceiver<'c> {
    pub fn new(config: &'c TcpConfig) -> Self {
        let rule = config.acknowledgments.resolved();
        let number = |key: &str| rule[key].as_u64();
        Self {
            config,
            receiver: Receiver::new(config),
            reference: ByteReceiver::new(config),
            bytes_kept: 0,
            bytes_received: 0,
            waiting: 0,
            most_waiting: number("segments").unwrap_or(if rule["kind"] == "linux" { 2 } else { 1 }),
            // One in order may have waited before them.
            most_reports: number("most_reports").map_or(0, |most| most + 2),
            longest_delay: Span(number("delay_ps").unwrap_or(0)),
            delays_repetitions: rule["answer_to_repetition"] == "delayed",
        }
    }

    pub fn receive(
        &mut self,
        now: Time,
        sequence: u64,
        length: u64,
        sent: Time,
    ) -> Result<Option<Acknowledgment>, TestCaseError> {
        let (before, had_hole) = (self.reference.next(), self.reference.has_hole());
        let blocks_before = self.reference.blocks();
        let acknowledgment = self.receiver.receive(now, sequence, length, sent);
        self.bytes_kept += self.reference.receive(sequence, length, sent);
        self.bytes_received += length;
        self.check_bytes()?;
        self.waiting += 1;
        let repeats_last = self.delays_repetitions && sequence < before && sequence + length == before;
        // A duplicate that has to be reported does not wait.
        let may_wait = (sequence == before || (repeats_last && self.reference.blocks().is_empty())) && !had_hole;
        match acknowledgment {
            // Linux sends reports that wait before a segment apart from two blocks, and without it. Of two, an option may hold one.
            Some(acknowledgment)
                if self.most_reports > 0
                    && blocks_before.len() >= self.config.sack_blocks.count().min(2)
                    && acknowledgment.blocks.as_slice() == blocks_before =>
            {
                self.check_acknowledgment_of(&acknowledgment, &blocks_before)?;
                self.waiting = 1;
            }
            Some(acknowledgment) => self.check_acknowledgment(&acknowledgment)?,
            None => {
                // RFC 5681 section 4.2: a delayed acknowledgment answers every second segment (or as many as the rule says), within its
                // delay; segments out of order, and those that fill a hole, are acknowledged at once.
                // Linux reports several segments beyond a hole at once (`tcp_comp_sack_nr`).
                let reports = self.most_reports > 0 && self.reference.has_hole();
                let most = if reports { self.most_reports } else { self.most_waiting };
                prop_assert!(
                    may_wait || reports,
                    "segment {sequence} is beyond, or fills, a hole and must be acknowledged"
                );
                prop_assert!(self.waiting < most, "{} segments wait", self.waiting);
                let due = self.receiver.due().expect("an acknowledgment is delayed to some time");
                // A segment may arrive at the very time at which the delay of the previous one ends.
                prop_assert!(due >= now && due <= now + self.longest_delay, "due at {due:?}");
            }
        }
        Ok(acknowledgment)
    }

    pub fn acknowledge_late(&mut self, now: Time) -> Result<Acknowledgment, TestCaseError> {
        prop_assert_eq!(self.receiver.due(), Some(now));
        let acknowledgment = self.receiver.acknowledge_late();
        self.check_acknowledgment(&acknowledgment)?;
        Ok(acknowledgment)
    }

    fn check_bytes(&self) -> Result<(), TestCaseError> {
        let receiver = &self.receiver;
        prop_assert_eq!(receiver.next(), self.reference.next());
        prop_assert_eq!(receiver.next() + receiver.bytes_held(), self.bytes_kept, "each byte is kept once");
        let received = receiver.received();
        prop_assert_eq!(received.sum(), self.bytes_received);
        prop_assert_eq!(received.new, self.bytes_kept);
        let throws_away = self.config.out_of_order == OutOfOrder::Discard;
        prop_assert!(throws_away || received.beyond_hole == 0, "{received:?}");
        Ok(())
    }

    fn check_acknowledgment(&mut self, acknowledgment: &Acknowledgment) -> Result<(), TestCaseError> {
        self.check_acknowledgment_of(acknowledgment, &self.reference.blocks())
    }

    fn check_acknowledgment_of(
        &mut self,
        acknowledgment: &Acknowledgment,
        blocks: &[Range],
    ) -> Result<(), TestCaseError> {
        self.waiting = 0;
        prop_assert_eq!(self.receiver.due(), None);
        prop_assert_eq!(acknowledgment.next, self.reference.next());
        prop_assert_eq!(acknowledgment.blocks.as_slice(), blocks, "RFC 2018 section 4");
        let echo = self.reference.acknowledge();
        prop_assert_eq!(acknowledgment.echoed(), echo.filter(|_| self.config.timestamps), "RFC 7323 section 4.3");
        Ok(())
    }
}
