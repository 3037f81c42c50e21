//! The ACE field of accurate ECN: a three-bit counter of marked packets in the TCP header. Section numbers are those of RFC 9768; names in
//! code font are the RFC's.

use super::Acknowledgment;
use super::ranges::RangeSet;

/// Modulus (`DIVACE`) and initial value of the field (section 3.2.1).
const MODULUS: u64 = 8;
const BEGINNING: u64 = 5;

/// With more packets per acknowledgment than this on average, acknowledgments are thinned on purpose rather than lost (appendix A.2.1:
/// "well below 8"). The average is exponentially weighted with `WEIGHT`, as in Linux.
const FEW_PACKETS: f64 = 4.0;
const WEIGHT: f64 = 1.0 / 64.0;

/// Value of the field at a receiver of `marked_packets` marked packets.
#[must_use]
pub fn encoded(marked_packets: u64) -> u64 {
    (BEGINNING + marked_packets) % MODULUS
}

/// Decoder of the field at the sender.
///
/// Lines are FIFOs, so acknowledgments arrive in order.
#[derive(Clone, Debug, Default)]
pub struct AceDecoder {
    /// Marked packets so far (`s.cep` less its initial value).
    marked_packets: u64,
    /// Marked packets not yet returned by [`take_marked`](Self::take_marked).
    unused: u64,
    /// Data known to have arrived beyond a hole: from SACK blocks, or from duplicate acknowledgments if there are no blocks.
    beyond_hole: RangeSet,
    repetitions: u64,
    acknowledged: u64,
    /// Bytes known to have arrived.
    arrived: u64,
    packets_per_acknowledgment: Option<f64>,
}

impl AceDecoder {
    /// Processes an acknowledgment; assumes full segments (appendix A.2.1).
    pub fn take_in(&mut self, acknowledgment: &Acknowledgment, mss: u64) {
        let packets = self.newly_arrived(acknowledgment, mss).div_ceil(mss);
        let least = (acknowledgment.marks + MODULUS - encoded(self.marked_packets)) % MODULUS;
        let news = if self.acknowledgments_are_few() { least } else { safest(packets, least) };
        self.marked_packets += news;
        self.unused += news;
        self.note_packets(packets);
    }

    /// Returns the marked packets since the last call.
    pub fn take_marked(&mut self) -> u64 {
        std::mem::take(&mut self.unused)
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.beyond_hole.memory_bytes()
    }

    /// Bytes that an acknowledgment is the first to report (`newlyAckedB`).
    fn newly_arrived(&mut self, acknowledgment: &Acknowledgment, mss: u64) -> u64 {
        let blocks = acknowledgment.blocks.as_slice();
        if acknowledgment.next > self.acknowledged {
            (self.acknowledged, self.repetitions) = (acknowledgment.next, 0);
            self.beyond_hole.remove_below(acknowledgment.next);
        } else if blocks.is_empty() {
            self.repetitions += 1;
        }
        blocks.iter().filter(|block| block.0 > self.acknowledged).for_each(|&block| _ = self.beyond_hole.insert(block));
        let arrived = self.acknowledged + self.beyond_hole.bytes() + self.repetitions * mss;
        let news = arrived.saturating_sub(self.arrived);
        self.arrived = self.arrived.max(arrived);
        news
    }

    fn acknowledgments_are_few(&self) -> bool {
        self.packets_per_acknowledgment.is_some_and(|mean| mean > FEW_PACKETS)
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 packets")]
    fn note_packets(&mut self, packets: u64) {
        if packets > 0 {
            let mean = self.packets_per_acknowledgment.unwrap_or(packets as f64);
            self.packets_per_acknowledgment = Some(mean + WEIGHT * (packets as f64 - mean));
        }
    }
}

/// The largest number of marks among `packets` newly acknowledged packets that is consistent with a field increment of `least`
/// (`dSafer.cep`).
fn safest(packets: u64, least: u64) -> u64 {
    if packets < least { least } else { packets - (packets - least) % MODULUS }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    const MSS: u64 = 100;

    fn acknowledgment(segments: u64, marked_packets: u64) -> Acknowledgment {
        Acknowledgment { next: MSS * segments, marks: encoded(marked_packets), ..Acknowledgment::default() }
    }

    /// A decoder after ten acknowledgments of one segment each, none marked.
    fn used_to_single_segments() -> AceDecoder {
        let mut decoder = AceDecoder::default();
        (1..=10).for_each(|segments| decoder.take_in(&acknowledgment(segments, 0), MSS));
        assert_eq!(decoder.take_marked(), 0);
        decoder
    }

    #[test]
    fn the_field_begins_with_five_and_goes_round() {
        let values: Vec<u64> = (0..10).map(encoded).collect();
        assert_eq!(values, [5, 6, 7, 0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn one_acknowledgment_after_another_tells_of_every_mark_however_often_the_field_goes_round() {
        let mut decoder = AceDecoder::default();
        let marked = |segments: u64| segments / 2 + segments / 3;
        let counted: u64 = (1..=300)
            .map(|segments| {
                decoder.take_in(&acknowledgment(segments, marked(segments)), MSS);
                decoder.take_marked()
            })
            .sum();
        assert_eq!(counted, marked(300));
    }

    #[test]
    fn the_examples_of_appendix_a_2_1_come_out() {
        for (segments, least, expected) in [(9, 2, 2), (10, 2, 10)] {
            let mut decoder = used_to_single_segments();
            decoder.take_in(&acknowledgment(10 + segments, least), MSS);
            assert_eq!(decoder.take_marked(), expected, "{segments} segments");
        }
    }

    #[test]
    fn where_acknowledgments_are_few_by_habit_the_field_is_taken_at_its_word() {
        let mut decoder = AceDecoder::default();
        for number in 1..=10 {
            decoder.take_in(&acknowledgment(10 * number, 0), MSS);
        }
        // The first acknowledgment covers 10 packets, so 8 marks could have gone unseen.
        assert_eq!(decoder.take_marked(), 8);
        decoder.take_in(&acknowledgment(110, 2), MSS);
        assert_eq!(decoder.take_marked(), 2);
    }

    #[test]
    fn segments_that_were_reported_beyond_a_hole_are_no_news_when_it_is_filled() {
        let with_blocks = |arrived: u64| Acknowledgment {
            blocks: [(1100, 1100 + MSS * arrived)].into_iter().collect(),
            ..acknowledgment(10, 0)
        };
        let mut decoder = used_to_single_segments();
        (1..=20).for_each(|arrived| decoder.take_in(&with_blocks(arrived), MSS));
        decoder.take_in(&acknowledgment(31, 0), MSS);
        assert_eq!(decoder.take_marked(), 0, "reported by blocks");
        let mut decoder = used_to_single_segments();
        (1..=20).for_each(|_| decoder.take_in(&acknowledgment(10, 0), MSS));
        decoder.take_in(&acknowledgment(31, 0), MSS);
        assert_eq!(decoder.take_marked(), 0, "reported by repeated numbers");
    }

    #[test]
    fn never_fewer_marks_are_counted_than_there_were_and_no_more_than_could_have_been_whatever_acknowledgments_are_lost()
     {
        let mut chance = Chance { seed: 1, replication: 0 }.stream("test");
        let mut decoder = used_to_single_segments();
        let (mut marked, mut counted, mut covered) = (0, 0, 10);
        for segments in 11..20_000 {
            marked += u64::from(chance.happens(0.3));
            // Loses a run of consecutive acknowledgments now and then.
            if segments % 200 < 20 || chance.happens(0.3) {
                continue;
            }
            decoder.take_in(&acknowledgment(segments, marked), MSS);
            let news = decoder.take_marked();
            assert!(news <= segments - covered, "{news} of {} segments", segments - covered);
            counted += news;
            // An overestimate is never taken back; counting continues from it.
            assert!(counted >= marked && (counted - marked) % MODULUS == 0, "{counted} for {marked}");
            covered = segments;
        }
        assert!(counted < 2 * marked, "{counted} for {marked}");
    }
}
