//! Acknowledgments that wait and say nothing that a newer one does not say.

use longfat_hosts::transport::Acknowledgment;

use super::{PacketQueue, Waiting};
use crate::framing::{Content, Packets};

longfat_foundation::choice! {
    /// Which waiting acknowledgments are dropped when a newer one of the same connection arrives.
    pub enum Superseded {
        /// None.
        Kept = "kept",
        /// The first one that the newer one makes redundant, if a second one remains: CAKE's `ack-filter`.
        Conservative = "conservative",
        /// The same, or the only one if nothing of its connection arrived in between and no mark is lost: CAKE's `ack-filter-aggressive`.
        Aggressive = "aggressive",
    }
}

impl Superseded {
    /// The place in a queue of the acknowledgment that is dropped for a newer packet, if there is one.
    pub fn find(self, queue: &PacketQueue, newer: &Waiting, packets: &Packets) -> Option<usize> {
        let newest = match &packets.get(newer.cell.packet).content {
            Content::Acknowledgment(newest) if self != Self::Kept => newest,
            _ => return None,
        };
        let circuit = newer.cell.circuit();
        let mut first: Option<Candidate> = None;
        for (place, packet) in queue.iter().enumerate().filter(|(_, packet)| packet.cell.circuit() == circuit) {
            first.iter_mut().for_each(|candidate| candidate.is_latest = false);
            let Content::Acknowledgment(older) = &packets.get(packet.cell.packet).content else { continue };
            // The marks that it echoes would be lost with it.
            first = first.filter(|candidate| candidate.marks == older.marks);
            if !supersedes(newest, older) {
                continue;
            }
            if let Some(candidate) = first {
                return Some(candidate.place);
            }
            first = Some(Candidate { place, marks: older.marks, is_latest: true });
        }
        let may_go =
            |candidate: &Candidate| self == Self::Aggressive && candidate.is_latest && candidate.marks == newest.marks;
        first.filter(may_go).map(|candidate| candidate.place)
    }
}

/// An acknowledgment that could be dropped.
#[derive(Clone, Copy)]
struct Candidate {
    place: usize,
    marks: u64,
    /// Whether no other packet of its connection has arrived since.
    is_latest: bool,
}

/// Whether one acknowledgment says all that an older one says, and more: duplicates say that a segment has arrived, and stay.
fn supersedes(newer: &Acknowledgment, older: &Acknowledgment) -> bool {
    let is_covered =
        |block: &(u64, u64)| newer.blocks.as_slice().iter().any(|other| other.0 <= block.0 && block.1 <= other.1);
    let says_all = older.next <= newer.next
        && older.echoed() <= newer.echoed()
        && older.duplicate().is_none()
        && older.blocks.as_slice().iter().all(is_covered);
    says_all && (older.next < newer.next || bytes_in_blocks(older) < bytes_in_blocks(newer))
}

fn bytes_in_blocks(acknowledgment: &Acknowledgment) -> u64 {
    acknowledgment.blocks.as_slice().iter().map(|(begin, end)| end - begin).sum()
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::{Span, Time};
    use longfat_hosts::transport::Echo;

    use super::*;
    use crate::framing::Cell;

    /// A queue of acknowledgments of a circuit, and one of another circuit at its head.
    struct Bench {
        packets: Packets,
        queue: PacketQueue,
    }

    impl Bench {
        fn new(waiting: &[Acknowledgment]) -> Self {
            let mut bench = Self { packets: Packets::default(), queue: PacketQueue::default() };
            let other = bench.packet(3, Content::Acknowledgment(1.into()));
            bench.queue.push(other);
            for &acknowledgment in waiting {
                let packet = bench.packet(1, Content::Acknowledgment(acknowledgment));
                bench.queue.push(packet);
            }
            bench
        }

        fn packet(&mut self, circuit: u32, content: Content) -> Waiting {
            let id = self.packets.insert(content, 1, 320);
            Waiting::new(Cell::new(id, circuit, true, true), 40, Time::ZERO)
        }

        /// Which of those that wait, counted from 0, would be dropped.
        fn dropped(&mut self, rule: Superseded, newer: Acknowledgment) -> Option<usize> {
            let newer = self.packet(1, Content::Acknowledgment(newer));
            rule.find(&self.queue, &newer, &self.packets).map(|place| place - 1)
        }
    }

    fn with_blocks(next: u64, blocks: &[(u64, u64)]) -> Acknowledgment {
        Acknowledgment { blocks: blocks.iter().copied().collect(), ..next.into() }
    }

    fn marked(next: u64) -> Acknowledgment {
        Acknowledgment { marks: 1, ..next.into() }
    }

    #[test]
    fn two_acknowledgments_always_remain_or_only_the_newest() {
        let dropped = |waiting: &[Acknowledgment], rule| Bench::new(waiting).dropped(rule, 9000.into());
        let (one, two, three) = ([1000.into()], [1000.into(), 2000.into()], [1000.into(), 2000.into(), 3000.into()]);
        assert_eq!(dropped(&[], Superseded::Aggressive), None);
        assert_eq!((dropped(&one, Superseded::Conservative), dropped(&one, Superseded::Aggressive)), (None, Some(0)));
        assert_eq!(
            (dropped(&two, Superseded::Conservative), dropped(&two, Superseded::Aggressive)),
            (Some(0), Some(0))
        );
        assert_eq!(dropped(&three, Superseded::Conservative), Some(0));
        assert_eq!(dropped(&three, Superseded::Kept), None);
    }

    #[test]
    fn duplicates_and_what_acknowledges_more_stay() {
        let mut bench = Bench::new(&[5000.into(), 5000.into(), 6000.into()]);
        assert_eq!(bench.dropped(Superseded::Aggressive, 5000.into()), None);
    }

    #[test]
    fn selective_acknowledgments_stay_unless_the_newer_one_reports_the_same_and_more() {
        let older = with_blocks(1000, &[(3000, 4000)]);
        let dropped = |newer| Bench::new(&[older]).dropped(Superseded::Aggressive, newer);
        assert_eq!(dropped(2000.into()), None);
        assert_eq!(dropped(with_blocks(1000, &[(3000, 4000)])), None, "a duplicate");
        assert_eq!(dropped(with_blocks(1000, &[(5000, 6000)])), None);
        assert_eq!(dropped(with_blocks(1000, &[(3000, 5000)])), Some(0));
        assert_eq!(dropped(with_blocks(1000, &[(6000, 7000), (3000, 4000)])), Some(0));
        assert_eq!(dropped(with_blocks(2000, &[(3000, 4000)])), Some(0));
    }

    #[test]
    fn reports_of_duplicate_segments_stay() {
        let mut bench = Bench::new(&[with_blocks(2000, &[(1000, 2000)])]);
        assert_eq!(bench.dropped(Superseded::Aggressive, with_blocks(3000, &[(1000, 2000)])), None);
    }

    #[test]
    fn echoes_of_marks_and_of_later_timestamps_stay() {
        let mut bench = Bench::new(&[1000.into(), marked(2000)]);
        assert_eq!(bench.dropped(Superseded::Aggressive, 3000.into()), None, "the mark is not echoed again");
        assert_eq!(bench.dropped(Superseded::Aggressive, marked(3000)), Some(1), "it is");
        assert_eq!(bench.dropped(Superseded::Conservative, marked(3000)), None);
        let time = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
        let at = |microseconds| Some(Echo::new(time(microseconds), time(100)));
        let mut bench = Bench::new(&[Acknowledgment { echo: at(7), ..1000.into() }]);
        assert_eq!(bench.dropped(Superseded::Aggressive, Acknowledgment { echo: at(6), ..2000.into() }), None);
        assert_eq!(bench.dropped(Superseded::Aggressive, Acknowledgment { echo: at(7), ..2000.into() }), Some(0));
    }

    #[test]
    fn data_supersedes_nothing_and_is_not_superseded() {
        let data = Content::Data { sequence: 0, length: 1460, sent: Time::ZERO, reduced: false };
        let mut bench = Bench::new(&[1000.into(), 2000.into()]);
        let packet = bench.packet(1, data);
        assert_eq!(Superseded::Aggressive.find(&bench.queue, &packet, &bench.packets), None);
        bench.queue = PacketQueue::default();
        bench.queue.push(packet);
        let newer = bench.packet(1, Content::Acknowledgment(9000.into()));
        assert_eq!(Superseded::Aggressive.find(&bench.queue, &newer, &bench.packets), None);
    }

    #[test]
    fn an_acknowledgment_that_fills_a_hole_between_blocks_says_more_though_it_has_fewer() {
        let mut bench = Bench::new(&[with_blocks(1000, &[(3000, 4000), (5000, 6000)])]);
        assert_eq!(bench.dropped(Superseded::Aggressive, with_blocks(1000, &[(3000, 6000)])), Some(0));
        let mut bench = Bench::new(&[with_blocks(2000, &[(3000, 4000)])]);
        assert_eq!(
            bench.dropped(Superseded::Aggressive, with_blocks(2000, &[(2500, 3500)])),
            None,
            "3500 to 4000 is not said"
        );
        assert_eq!(
            bench.dropped(Superseded::Aggressive, with_blocks(2000, &[(3500, 9000)])),
            None,
            "3000 to 3500 is not said"
        );
    }
}
