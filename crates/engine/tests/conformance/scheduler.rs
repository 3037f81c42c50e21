//! Schedulers on a bench: UBR cells of several circuits and a number of VBR cells wait, slot after slot.

use std::collections::VecDeque;

use longfat_engine::config::{Parameter, Reader, parse_fragment};
use longfat_engine::framing::{Cell, PacketId, Unit};
use longfat_engine::random::Chance;
use longfat_engine::registry::Chosen;
use longfat_engine::switch::BufferContext;
use longfat_engine::switch::scheduler::{SCHEDULERS, Scheduler, Turn};
use proptest::prelude::*;

use crate::support::declared::any_table;

const CIRCUITS: usize = 4;

fn build(text: &str, weights: Option<Vec<u64>>) -> Box<dyn Scheduler> {
    let mut reader = Reader::default();
    let chosen = Chosen::<dyn Scheduler>::read(&parse_fragment(text), &mut reader);
    let chance = Chance { seed: 1, replication: 0 }.stream("policy");
    let context = BufferContext { weights, ..BufferContext::new(None, CIRCUITS, Unit::Cell, chance) };
    chosen.unwrap_or_else(|| panic!("{text}: {:?}", reader.problems)).build(&context)
}

fn any_scheduler() -> impl Strategy<Value = String> {
    let tables = SCHEDULERS.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[]));
    prop::strategy::Union::new(tables.collect::<Vec<_>>())
}

/// Arrivals per slot: the circuits of UBR cells, and the number of VBR cells.
fn any_traffic() -> impl Strategy<Value = Vec<(Vec<u32>, u64)>> {
    prop::collection::vec((prop::collection::vec(0..4_u32, 0..3), 0_u64..3), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_slot_is_empty_only_if_nobody_waits_or_it_is_kept_for_ubr_and_every_cell_leaves_once_and_in_order(
        text in any_scheduler(),
        weights in prop::option::of(prop::collection::vec(0_u64..50, CIRCUITS)),
        traffic in any_traffic(),
    ) {
        let mut scheduler = build(&text, weights);
        let mut waiting = vec![VecDeque::new(); CIRCUITS];
        let (mut vbr, mut number, mut kept) = (0_u64, 0, 0);
        // Long enough after the last cell for all to leave.
        let quiet = std::iter::repeat_n((Vec::new(), 0), 1000);
        for (circuits, more) in traffic.into_iter().chain(quiet) {
            for circuit in circuits {
                let cell = Cell::new(PacketId(number), circuit, true, true);
                number += 1;
                scheduler.enqueue(cell);
                waiting[circuit as usize].push_back(cell);
            }
            vbr += if scheduler.has_vbr_queue() { more } else { 0 };
            let in_queues: usize = waiting.iter().map(VecDeque::len).sum();
            prop_assert_eq!(scheduler.len(), in_queues);
            match scheduler.dequeue(vbr > 0) {
                Some(Turn::Vbr) => {
                    prop_assert!(vbr > 0, "a VBR cell from nowhere");
                    vbr -= 1;
                }
                Some(Turn::Ubr(cell)) => prop_assert_eq!(waiting[cell.circuit()].pop_front(), Some(cell)),
                Some(Turn::Unused) => {
                    prop_assert!(vbr > 0 && in_queues == 0, "a slot goes by, and {vbr} and {in_queues} cells wait");
                    kept += 1;
                }
                None => prop_assert!(vbr == 0 && in_queues == 0, "an empty slot, and {vbr} and {in_queues} cells wait"),
            }
        }
        // Where much is kept for UBR, VBR may need longer.
        prop_assert!((vbr == 0 || kept > 0) && waiting.iter().all(VecDeque::is_empty), "cells are left");
    }

    /// However the traffic comes: in a stretch of slots in which UBR always waits, its share of them less two cells.
    #[test]
    fn while_ubr_waits_it_gets_what_it_is_guaranteed(
        text in any_scheduler(), traffic in any_traffic(), slots in 10_usize..500,
    ) {
        let mut scheduler = build(&text, None);
        let has_vbr = scheduler.has_vbr_queue();
        let mut vbr = 0_u64;
        for (circuits, more) in traffic {
            circuits.into_iter().for_each(|circuit| scheduler.enqueue(Cell::new(PacketId(0), circuit, true, true)));
            vbr += if has_vbr { more } else { 0 };
            vbr -= u64::from(scheduler.dequeue(vbr > 0) == Some(Turn::Vbr));
        }
        (0..slots).for_each(|_| scheduler.enqueue(Cell::new(PacketId(0), 0, true, true)));
        let served = (0..slots).filter(|_| matches!(scheduler.dequeue(has_vbr), Some(Turn::Ubr(_)))).count();
        #[expect(clippy::cast_precision_loss, reason = "few cells")]
        let short = scheduler.guaranteed_share() * slots as f64 - served as f64;
        prop_assert!(short <= 2.0 + 1e-6, "{short} cells short in {slots} slots");
    }
}
