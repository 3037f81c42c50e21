//! Tail drop: plain UBR.

use super::{Asked, DropPolicy, Occupancy, Verdict};
use crate::framing::Cell;

longfat_foundation::model! {
    /// A cell is lost when, and only when, the buffer is full. The switch knows nothing of packets, so the rest of a
    /// damaged packet still takes its share of the link.
    #[name = "tail-drop"]
    #[source = "UBR+ section 4"]
    pub struct TailDrop: dyn DropPolicy {}
    build(_config, _buffer) { Box::new(Policy) }
}

struct Policy;

impl DropPolicy for Policy {
    fn decide(&mut self, _cell: Cell, _circuit: usize, occupancy: &Occupancy) -> Verdict {
        if occupancy.is_full() { Verdict::Overflow } else { Verdict::Accept }
    }

    fn asked(&self, _circuit: usize, _total: u64) -> Asked {
        Asked::Never
    }

    fn is_ever_asked(&self) -> bool {
        false
    }

    fn looks_at_circuits(&self, _total: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::Bench;

    #[test]
    fn only_a_full_buffer_loses_cells_and_the_rest_of_the_packet_still_enters() {
        let mut bench = Bench::new("tail-drop", 5, 2);
        assert_eq!(bench.packet(0, 4), "aaaa");
        assert_eq!(bench.packet(1, 3), "aoo");
        bench.serve(2);
        assert_eq!(bench.packet(1, 3), "aao");
    }
}
