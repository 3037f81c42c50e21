//! Drop policies on a bench: a buffer that random packets of several circuits enter, and receivers behind it.

use std::collections::{BTreeSet, VecDeque};

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::{Cell, Content, LostLastCell, PacketId, Packets, Reassembly, Unit};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::switch::BufferContext;
use longfat_engine::switch::Occupancy;
use longfat_engine::switch::drop_policy::{Asked, DropPolicy, POLICIES, Verdict};
use proptest::prelude::*;

use crate::support::declared::any_table;

const CIRCUITS: usize = 4;

fn build(text: &str, capacity: Option<u64>) -> Option<Box<dyn DropPolicy>> {
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn DropPolicy>::read(&parse_fragment(text), &mut reader);
    let chosen = chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems));
    let chance = Chance { seed: 1, replication: 0 }.stream("policy");
    // One circuit has no minimum cell rate, for policies that go by it.
    let weights = Some(vec![3_000_000, 0, 1_000_000, 1_000_000]);
    let context = BufferContext { weights, ..BufferContext::new(capacity, CIRCUITS, Unit::Cell, chance) };
    chosen.objections(&context).is_empty().then(|| chosen.build(&context))
}

/// A buffer, its policy, and what has become of every packet.
struct Bench {
    policy: Box<dyn DropPolicy>,
    occupancy: Occupancy,
    queue: VecDeque<Cell>,
    packets: Packets,
    receivers: Vec<Reassembly>,
    /// The packet of each circuit that is arriving, with its cells and how many of them have come.
    arriving: Vec<Option<(PacketId, u32, u32)>>,
    verdicts: Vec<(Cell, Verdict)>,
    delivered: Vec<PacketId>,
}

impl Bench {
    fn new(policy: Box<dyn DropPolicy>, capacity: Option<u64>, lost_last_cell: LostLastCell) -> Self {
        Self {
            policy,
            occupancy: Occupancy::new(capacity, CIRCUITS),
            queue: VecDeque::new(),
            packets: Packets::default(),
            receivers: vec![Reassembly::new(lost_last_cell); CIRCUITS],
            arriving: vec![None; CIRCUITS],
            verdicts: Vec::new(),
            delivered: Vec::new(),
        }
    }

    /// The next cell of a circuit: of the packet that is arriving, or of a new one of `cells` cells.
    fn arrive(&mut self, circuit: u32, cells: u32) -> Verdict {
        let place = circuit as usize;
        let (packet, cells, come) = self.arriving[place].unwrap_or_else(|| {
            (
                self.packets.insert(
                    Content::Synchronize { sent: longfat_engine::units::Time::ZERO },
                    cells,
                    424 * u64::from(cells),
                ),
                cells,
                0,
            )
        });
        let cell = Cell::new(packet, circuit, come == 0, come + 1 == cells);
        self.arriving[place] = (come + 1 < cells).then_some((packet, cells, come + 1));
        let asked = self.policy.asked(place, self.occupancy.total());
        let verdict = self.policy.decide(cell, place, &self.occupancy);
        let is_asked = asked == Asked::Always || (asked == Asked::AtFirst && cell.is_first());
        if !is_asked && !self.occupancy.is_full() {
            assert_eq!(verdict, Verdict::Accept, "it need not be asked");
            assert_eq!(self.policy.asked(place, self.occupancy.total()), asked, "nothing changes by that");
        }
        if verdict == Verdict::Accept {
            self.occupancy.add(place);
            self.queue.push_back(cell);
        }
        self.verdicts.push((cell, verdict));
        verdict
    }

    fn serve(&mut self) {
        if let Some(cell) = self.queue.pop_front() {
            self.occupancy.remove(cell.circuit());
            self.delivered.extend(self.receivers[cell.circuit()].receive(cell, &self.packets));
        }
    }

    fn of_packet(&self, packet: PacketId) -> impl Iterator<Item = Verdict> {
        self.verdicts.iter().filter(move |(cell, _)| cell.packet == packet).map(|&(_, verdict)| verdict)
    }
}

/// A registered policy with any parameters, as TOML.
fn any_policy() -> impl Strategy<Value = String> {
    let tables = POLICIES.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

/// Events at the bench: circuit 0 to 3 brings its next cell, or (`None`) the buffer is served.
fn any_traffic() -> impl Strategy<Value = Vec<Option<(u32, u32)>>> {
    prop::collection::vec(prop::option::weighted(0.65, (0..4_u32, 1..9_u32)), 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn no_policy_exceeds_the_buffer_or_delivers_a_packet_that_lost_a_cell(
        policy in any_policy(),
        capacity in prop_oneof![4_u64..40, 201_u64..260],
        traffic in any_traffic(),
        corrupts_next in any::<bool>(),
    ) {
        let rule = if corrupts_next { LostLastCell::CorruptsNextPacket } else { LostLastCell::CorruptsOwnPacket };
        let built = build(&policy, Some(capacity));
        prop_assume!(built.is_some());
        let mut bench = Bench::new(built.expect("checked above"), Some(capacity), rule);
        for step in traffic {
            match step {
                Some((circuit, cells)) => _ = bench.arrive(circuit, cells),
                None => bench.serve(),
            }
            prop_assert!(bench.queue.len() as u64 <= capacity, "{} cells in a buffer for {capacity}", bench.queue.len());
        }
        while !bench.queue.is_empty() {
            bench.serve();
        }
        let whole: BTreeSet<_> = bench.delivered.iter().map(|packet| packet.0).collect();
        prop_assert_eq!(whole.len(), bench.delivered.len(), "a packet was delivered twice");
        for &packet in &bench.delivered {
            prop_assert!(bench.of_packet(packet).all(|verdict| verdict == Verdict::Accept), "packet {} is not whole", packet.0);
        }
    }

    #[test]
    fn a_policy_that_refuses_a_packet_refuses_all_of_it(
        policy in any_policy(), capacity in 201_u64..260, traffic in any_traffic(),
    ) {
        let built = build(&policy, Some(capacity));
        prop_assume!(built.is_some());
        let mut bench = Bench::new(built.expect("checked above"), Some(capacity), LostLastCell::CorruptsNextPacket);
        for (circuit, cells) in traffic.into_iter().flatten() {
            bench.arrive(circuit, cells);
        }
        for (cell, verdict) in &bench.verdicts {
            let first = bench.of_packet(cell.packet).next();
            prop_assert_eq!(*verdict == Verdict::Refused, first == Some(Verdict::Refused), "packet {}", cell.packet.0);
        }
    }

    #[test]
    fn every_policy_accepts_everything_into_a_buffer_that_is_nearly_empty(
        policy in any_policy(), unlimited in any::<bool>(), traffic in any_traffic(),
    ) {
        // 400 cells at most are far below the lowest threshold that is drawn: 0.001 of the buffer.
        let capacity = (!unlimited).then_some(1_000_000);
        let built = build(&policy, capacity);
        // Of two levels the lower may have been drawn above the higher.
        prop_assume!(built.is_some());
        let mut bench = Bench::new(built.expect("checked above"), capacity, LostLastCell::CorruptsNextPacket);
        for (circuit, cells) in traffic.into_iter().flatten() {
            prop_assert_eq!(bench.arrive(circuit, cells), Verdict::Accept);
        }
    }
}

/// The verdict of Overflow means that there was no room, and only that.
#[test]
fn every_policy_reports_an_overflow_exactly_when_it_loses_a_cell_to_a_full_buffer() {
    for entry in POLICIES {
        let policy = build(&format!("{{ kind = {:?} }}", entry.name), Some(1000)).expect("a thousand cells suffice");
        let mut bench = Bench::new(policy, Some(1000), LostLastCell::CorruptsNextPacket);
        // Circuit 0 begins a packet of 1200 cells while the buffer is empty: no policy can know that it will not fit.
        let verdicts: Vec<_> = (0..1200).map(|_| bench.arrive(0, 1200)).collect();
        assert!(verdicts[..1000].iter().all(|verdict| *verdict == Verdict::Accept), "{}", entry.name);
        assert_eq!(verdicts[1000], Verdict::Overflow, "{}", entry.name);
        assert!(verdicts[1000..].iter().all(|verdict| matches!(verdict, Verdict::Overflow | Verdict::Remainder)));
    }
}
