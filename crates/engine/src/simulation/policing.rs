//! Where frames are marked that exceed what their connections are promised: before the bottleneck's port, or at the sources.

use super::{Entrance, Link, Simulation};
use crate::framing::Cell;
use crate::observer::Observer;
use crate::switch::service::{Contract, Policer, Tagging};
use crate::topology::Graph;
use crate::units::Time;

/// Who marks, and by what.
pub(super) struct Policing {
    policer: Policer,
    at_source: bool,
}

impl Policing {
    /// For what the connections are promised; the network polices before the bottleneck's port.
    pub(super) fn start(contract: &Contract, graph: &Graph, links: &mut [Link]) -> Option<Self> {
        let at_source = match contract.tagging {
            Tagging::None => return None,
            Tagging::Source => true,
            Tagging::Network => false,
        };
        if let (false, Some(bottleneck)) = (at_source, graph.bottleneck_number())
            && let Entrance::Port(port) = links[bottleneck].entrance
        {
            links[bottleneck].entrance = Entrance::Police(port);
        }
        Some(Self { policer: Policer::new(contract), at_source })
    }
}

impl<O: Observer> Simulation<O> {
    /// A cell has come to a place where it may get lost, or marked, or both; gives what is behind, if it is not lost.
    #[cold]
    pub(super) fn pass_checks(
        &mut self,
        now: Time,
        mut entrance: Entrance,
        mut cell: Cell,
    ) -> Option<(Entrance, Cell)> {
        if let Entrance::LossPoint(point) = entrance {
            entrance = self.pass(now, point, cell)?;
        }
        if let Entrance::Police(port) = entrance {
            let police = |policing: &mut Policing| policing.policer.police(now, cell.circuit() / 2, cell);
            cell = self.policing.as_mut().map_or(cell, police);
            entrance = Entrance::Port(port);
        }
        Some((entrance, cell))
    }

    /// The first cell of a packet of so many cells as its source hands it over: marked, if the source marks and it exceeds the
    /// promise. Acknowledgments are promised nothing, and never marked.
    pub(super) fn mark_at_source(&mut self, now: Time, first: Cell, cells: u32) -> Cell {
        match &mut self.policing {
            Some(policing) if policing.at_source && first.circuit().is_multiple_of(2) => {
                let conforms = policing.policer.conforms(now, first.circuit() / 2, cells);
                if conforms { first } else { first.tagged() }
            }
            _ => first,
        }
    }
}
