//! A scheduler on a bench: UBR cells come, VBR cells wait, and the order in which they are sent is written down.

use super::{Scheduler, SchedulerContext, Turn};
use crate::config::{Parameter, Reader, parse_fragment};
use crate::framing::{Cell, PacketId, Unit};
use crate::registry::Chosen;

pub(super) struct Bench(Box<dyn Scheduler>);

impl Bench {
    pub(super) fn new(scheduler: &str) -> Self {
        Self::with(scheduler, &SchedulerContext { unit: Unit::Cell })
    }

    pub(super) fn with(scheduler: &str, context: &SchedulerContext) -> Self {
        let mut reader = Reader::default();
        let chosen = Chosen::<dyn Scheduler>::read(&parse_fragment(scheduler), &mut reader);
        Self(chosen.unwrap_or_else(|| panic!("{:?}", reader.problems)).build(context))
    }

    /// A UBR cell of each of these circuits joins the buffer.
    pub(super) fn arrive(&mut self, circuits: &[u32]) {
        circuits.iter().for_each(|&circuit| self.0.enqueue(Cell::new(PacketId(0), circuit, true, true)));
    }

    /// What is sent in so many slots, `vbr` VBR cells waiting at first: the circuit of a UBR cell, `v` for VBR, `.` for nothing.
    pub(super) fn serve(&mut self, slots: usize, mut vbr: usize) -> String {
        let serve = |_| match self.0.dequeue(vbr > 0) {
            Some(Turn::Ubr(cell)) => cell.circuit().to_string(),
            Some(Turn::Vbr) => {
                vbr -= 1;
                "v".into()
            }
            None => ".".into(),
        };
        (0..slots).map(serve).collect()
    }
}
