//! Fair queueing between circuits.

use super::start_time::StartTimeQueueing;
use super::{FifoQueue, Scheduler, Turn, object_to_packets};
use crate::framing::Cell;

longfat_foundation::model! {
    /// A queue per UBR circuit, served by start-time fair queueing in proportion to the minimum cell rates of the port's service, or
    /// equally if there are none (P-06). A circuit without a minimum cell rate, among others that have one, is served only when the others
    /// do not wait. VBR goes before all of them.
    #[name = "per-vc-fair"]
    #[source = "UBR+ final report, GFR results; Goyal, Vin and Cheng 1996"]
    pub struct PerVcFair: dyn Scheduler {}
    build(_config, context) {
        let weights = context.weights.clone().unwrap_or_else(|| vec![1; context.circuits]);
        Box::new(CircuitQueues {
            server: StartTimeQueueing::new(&weights),
            queues: weights.iter().map(|_| FifoQueue::default()).collect(),
            waiting: 0,
        })
    }
    objections(_config, context) { object_to_packets(context) }
}

struct CircuitQueues {
    server: StartTimeQueueing,
    queues: Vec<FifoQueue>,
    /// Cells in all of them.
    waiting: usize,
}

impl Scheduler for CircuitQueues {
    fn enqueue(&mut self, cell: Cell) {
        self.server.begin(cell.circuit());
        self.queues[cell.circuit()].push(cell);
        self.waiting += 1;
    }

    fn dequeue(&mut self, vbr_waits: bool) -> Option<Turn> {
        if vbr_waits {
            return Some(Turn::Vbr);
        }
        let Some(circuit) = self.server.next() else {
            self.server.rest();
            return None;
        };
        let queue = &mut self.queues[circuit];
        let cell = queue.pop();
        self.server.serve(circuit, !queue.is_empty());
        self.waiting -= 1;
        cell.map(Turn::Ubr)
    }

    fn len(&self) -> usize {
        self.waiting
    }

    fn visit(&self, visit: &mut dyn FnMut(Cell)) {
        self.queues.iter().for_each(|queue| queue.visit(visit));
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn circuits_take_turns_however_many_cells_each_has() {
        let mut bench = Bench::new("per-vc-fair");
        bench.arrive(&[0, 0, 0, 0, 2, 2, 4]);
        assert_eq!(bench.serve(8, 0), "0240200.");
    }

    #[test]
    fn circuits_are_served_in_proportion_to_their_minimum_cell_rates() {
        let mut bench = Bench::with_weights("per-vc-fair", &[3_000_000, 0, 1_000_000]);
        bench.arrive(&[[0; 8], [2; 8], [1; 8]].concat());
        // Start tags: 0, 1/3, 2/3, 1 ... and 0, 1, 2 ...; of equals the heavier first; circuit 1 has no weight.
        assert_eq!(bench.serve(9, 0), "020002000");
        assert_eq!(bench.serve(15, 0), "202222211111111");
    }

    #[test]
    fn vbr_goes_before_all_circuits() {
        let mut bench = Bench::new("per-vc-fair");
        bench.arrive(&[0, 2]);
        assert_eq!(bench.serve(5, 3), "vvv02");
    }
}
