//! A scheduler on a bench: UBR cells come, VBR cells wait, and the order in which they are sent is written down.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;

use super::{Scheduler, Turn};
use crate::framing::{Cell, PacketId, Unit};
use crate::switch::BufferContext;

pub(super) struct Bench(Box<dyn Scheduler>);

impl Bench {
    pub(super) fn new(scheduler: &str) -> Self {
        Self::build(scheduler, 8, None)
    }

    /// With a circuit for each weight.
    pub(super) fn with_weights(scheduler: &str, weights: &[u64]) -> Self {
        Self::build(scheduler, weights.len(), Some(weights.to_vec()))
    }

    fn build(scheduler: &str, circuits: usize, weights: Option<Vec<u64>>) -> Self {
        let chance = Chance { seed: 1, replication: 0 }.stream("policy");
        let context = BufferContext { weights, ..BufferContext::new(None, circuits, Unit::Cell, chance) };
        let mut reader = Reader::default();
        let chosen = Chosen::<dyn Scheduler>::read(&parse_fragment(scheduler), &mut reader);
        Self(chosen.unwrap_or_else(|| panic!("{:?}", reader.problems)).build(&context))
    }

    /// The share of the line that UBR gets however much VBR comes.
    pub(super) fn guaranteed_share(&self) -> f64 {
        self.0.guaranteed_share()
    }

    /// A UBR cell of each of these circuits joins the buffer.
    pub(super) fn arrive(&mut self, circuits: &[u32]) {
        circuits.iter().for_each(|&circuit| self.0.enqueue(Cell::new(PacketId(0), circuit, true, true)));
    }

    /// Serves `slots` slots, `vbr` VBR cells waiting at first, and returns what is sent: the circuit of a UBR cell, `v` for VBR, `_` for a slot
    /// that is kept, `.` for nothing.
    pub(super) fn serve(&mut self, slots: usize, mut vbr: usize) -> String {
        let serve = |_| match self.0.dequeue(vbr > 0) {
            Some(Turn::Ubr(cell)) => cell.circuit().to_string(),
            Some(Turn::Vbr) => {
                vbr -= 1;
                "v".into()
            }
            Some(Turn::Unused) => "_".into(),
            None => ".".into(),
        };
        (0..slots).map(serve).collect()
    }
}
