//! Where connections are promised a rate: their frames are marked if they exceed it, before the bottleneck's port or at the
//! sources, and what becomes of them at that port is counted.

use longfat_foundation::measure::FrameRecord;
use longfat_foundation::units::Time;
use longfat_network::framing::Cell;
use longfat_network::switch::service::{Contract, Policer, Tagging};
use longfat_network::topology::Graph;

use super::{Drive, Entrance, Links, Network};
use crate::observer::Observer;

/// The policer, where it marks frames, and counts of the frames of each connection.
pub struct Policing {
    policer: Policer,
    tagging: Tagging,
    pub frames: Vec<FrameRecord>,
}

impl Policing {
    /// For what the connections are promised; the network polices and counts before the bottleneck's port.
    pub fn start(contract: &Contract, graph: &Graph, links: &mut Links) -> Self {
        if let Some(bottleneck) = graph.bottleneck_number()
            && let Entrance::Port(port) = links[bottleneck].entrance
        {
            links[bottleneck].entrance = Entrance::Police(port);
        }
        Self {
            policer: Policer::new(contract),
            tagging: contract.tagging,
            frames: vec![FrameRecord::default(); graph.flows.len()],
        }
    }

    /// Whether anyone marks what exceeds the promises.
    pub fn marks(&self) -> bool {
        !matches!(self.tagging, Tagging::None)
    }

    /// Polices a cell of a connection in front of the port; returns it, marked if its frame exceeds the promise.
    pub fn police(&mut self, now: Time, cell: Cell) -> Cell {
        let connection = cell.circuit() / 2;
        let cell = if let Tagging::Network = self.tagging { self.policer.police(now, connection, cell) } else { cell };
        if cell.is_first() {
            self.frames[connection].count(cell.is_tagged());
        }
        cell
    }

    /// The port has dropped a cell of a frame that was whole. Frames of background are nobody's.
    pub fn count_dropped(&mut self, cell: Cell) {
        if let Some(frames) = self.frames.get_mut(cell.circuit() / 2) {
            frames.count_dropped(cell.is_tagged());
        }
    }
}

impl<O: Observer, D: Drive> Network<O, D> {
    /// The first cell of a packet of `cells` cells as its source hands it over: marked, if the source marks and it exceeds the
    /// promise. Acknowledgments are promised nothing, and never marked.
    #[inline(always)]
    pub fn mark_at_source(&mut self, now: Time, first: Cell, cells: u32) -> Cell {
        match &mut self.policing {
            Some(policing) if matches!(policing.tagging, Tagging::Source) && first.circuit().is_multiple_of(2) => {
                let conforms = policing.policer.conforms(now, first.circuit() / 2, cells);
                if conforms { first } else { first.tagged() }
            }
            _ => first,
        }
    }
}
