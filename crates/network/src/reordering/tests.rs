use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};
use proptest::prelude::*;

use super::{Reordering, ReorderingContext, WaitingRoom};
use crate::framing::{Cell, PacketId};

const MS: u64 = 1_000_000_000;

fn model(text: &str, flows: usize) -> Box<dyn Reordering> {
    let context = ReorderingContext { place: "data".into(), chance: Chance { seed: 1, replication: 0 }, flows };
    let chosen = Chosen::<dyn Reordering>::read(&parse_fragment(text), &mut Reader::default());
    chosen.unwrap_or_else(|| panic!("{text}")).build(&context)
}

/// Milliseconds for which the next packets of the first flow are held up.
fn held(text: &str, packets: usize) -> Vec<u64> {
    let mut model = model(text, 1);
    (0..packets).map(|_| model.holds_next(0).0 / MS).collect()
}

fn packet(number: u32) -> Cell {
    Cell::new(PacketId(number), 0, true, true)
}

/// Numbers of packets that come in turn, `interval` ps apart, in the order in which they leave after their spans.
fn order_of(spans: &[u64], interval: u64) -> Vec<u32> {
    let mut room = WaitingRoom::default();
    let mut left = Vec::new();
    for (number, span) in (0..).zip(spans) {
        let now = Time(u64::from(number) * interval);
        while room.next().is_some_and(|next| next < now) {
            left.extend(room.release());
        }
        left.extend(room.take(now, now + Span(*span), packet(number)));
    }
    left.extend(std::iter::from_fn(|| room.release()));
    left.into_iter().map(|cell| cell.packet.0).collect()
}

/// Numbers of the packets that are reordered, by RFC 4737 section 3.3 (a later one has come before), each with its extent by section
/// 4.2.1: the packets since the earliest that has come with a higher number.
fn reordered(order: &[u32]) -> Vec<(u32, usize)> {
    let extent = |(place, number): (usize, &u32)| {
        let earliest = order[..place].iter().position(|before| before > number)?;
        Some((*number, place - earliest))
    };
    order.iter().enumerate().filter_map(extent).collect()
}

#[test]
fn a_late_packet_is_passed_by_those_that_come_while_it_waits() {
    // Every 1 ms a packet; the third is held up for 2.5 ms: the fourth and fifth pass it.
    let order = order_of(&[0, 0, 2_500, 0, 0, 0, 0], 1_000);
    assert_eq!(order, [0, 1, 3, 4, 2, 5, 6]);
    assert_eq!(reordered(&order), [(2, 2)]);
}

#[test]
fn of_packets_that_leave_at_one_instant_the_first_to_come_is_the_first_to_leave() {
    assert_eq!(order_of(&[2_000, 1_000, 0], 1_000), [0, 1, 2]);
}

proptest! {
    /// Each packet leaves once, none before its time, and two leave in the order of their times.
    #[test]
    fn packets_leave_in_the_order_of_their_times(spans in prop::collection::vec(0_u64..20, 0..60), interval in 1_u64..10) {
        let mut expected: Vec<_> = (0_u32..).zip(&spans).map(|(number, span)| (u64::from(number) * interval + span, number)).collect();
        expected.sort_unstable();
        let numbers: Vec<_> = expected.into_iter().map(|(_, number)| number).collect();
        prop_assert_eq!(order_of(&spans, interval), numbers);
    }
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn random_packets_are_reordered_as_often_and_as_far_as_worked_out() {
    // A packet every millisecond. A late one is passed by those of the 2.5 ms behind it that are in time: reordered unless both of those two are
    // late too. Its extent is at most 3: those two, and the late packet before it.
    let (share, packets) = (0.2, 100_000);
    let spans = held(&format!("{{ kind = 'random', share = {share}, extra = '5 ms' }}"), packets);
    let spans: Vec<_> = spans.iter().map(|span| span * 500).collect();
    let found = reordered(&order_of(&spans, 1_000));
    let expect = |count: usize, expected: f64| {
        let tolerance = 4.0 * (expected * packets as f64).sqrt();
        assert!((count as f64 - expected * packets as f64).abs() < tolerance, "{count}, expected share {expected}");
    };
    expect(found.len(), share * (1.0 - share * share));
    let of_one = found.iter().filter(|(_, extent)| *extent == 1).count();
    assert!(found.iter().all(|(_, extent)| (1..=3).contains(extent)));
    assert!(of_one > 0);
    expect(spans.iter().filter(|span| **span > 0).count(), share);
}

#[test]
fn a_packet_behind_a_late_one_is_late_more_often_the_stronger_the_correlation() {
    let times_as_likely = |correlation: f64| {
        let held =
            held(&format!("{{ kind = 'random', share = 0.3, extra = '1 ms', correlation = {correlation} }}"), 50_000);
        let late = held.iter().filter(|span| **span > 0).count();
        let both = held.windows(2).filter(|pair| pair[0] > 0 && pair[1] > 0).count();
        #[expect(clippy::cast_precision_loss, reason = "counts")]
        let ratio = both as f64 * held.len() as f64 / (late * late) as f64;
        ratio
    };
    let [none, some, strong] = [0.0, 0.3, 0.7].map(times_as_likely);
    assert!((none - 1.0).abs() < 0.05 && some > 1.5 && strong > 5.0, "{none} {some} {strong}");
}

/// `netem delay 10ms reorder 100% gap 5` of tc-netem(8): "every 5th packet [...] to be sent immediately, and every other packet to be delayed".
#[test]
fn of_five_packets_netem_sends_the_last_at_once() {
    let spans = held("{ kind = 'netem', delay = '10 ms', gap = 5 }", 12);
    assert_eq!(spans, [10, 10, 10, 10, 0, 10, 10, 10, 10, 0, 10, 10]);
    // A packet every millisecond: the fifth and the tenth go before the first.
    let order = order_of(&spans.iter().map(|span| span * 1_000).collect::<Vec<_>>(), 1_000);
    assert_eq!(order[..6], [4, 9, 0, 1, 2, 3]);
}

/// `netem delay 10ms reorder 25%`: 25 % of the packets are sent immediately, the others are delayed.
#[test]
fn netem_delays_all_but_the_share_that_it_chooses() {
    let spans = held("{ kind = 'netem', delay = '10 ms', share = 0.25 }", 40_000);
    let at_once = spans.iter().filter(|span| **span == 0).count();
    assert!((9_650..10_350).contains(&at_once), "{at_once} of 40,000, 4 standard deviations are 346");
    assert!(spans.iter().all(|span| [0, 10].contains(span)));
    let always = held("{ kind = 'netem', delay = '10 ms', share = 0 }", 100);
    assert_eq!(always, [10; 100], "without a share it is a plain delay");
}

#[test]
fn lanes_are_taken_in_turn_at_random_or_by_flow() {
    let text = |choice: &str| format!("{{ kind = 'lanes', delays = ['0 ms', '3 ms', '7 ms'], choice = '{choice}' }}");
    assert_eq!(held(&text("round-robin"), 7), [0, 3, 7, 0, 3, 7, 0]);
    let random = held(&text("random"), 3_000);
    for lane in [0, 3, 7] {
        let taken = random.iter().filter(|span| **span == lane).count();
        assert!((890..1110).contains(&taken), "{taken} of 3000, 4 standard deviations are 103");
    }
    let mut by_flow = model(&text("by-flow"), 5);
    let spans: Vec<_> = [0, 1, 2, 3, 4, 1, 1].map(|flow| by_flow.holds_next(flow).0 / MS).into();
    assert_eq!(spans, [0, 3, 7, 0, 3, 3, 3], "a flow keeps its lane");
}

#[test]
fn packets_of_a_lane_keep_their_order() {
    let spans = held("{ kind = 'lanes', delays = ['0 ms', '9 ms', '2 ms'], choice = 'random' }", 1_000);
    let order = order_of(&spans.iter().map(|span| span * 1_000).collect::<Vec<_>>(), 700);
    for lane in [0, 9, 2] {
        let of_lane = order.iter().filter(|number| spans[**number as usize] == lane);
        assert!(of_lane.is_sorted(), "lane of {lane} ms");
    }
    assert!(!order.is_sorted());
}
