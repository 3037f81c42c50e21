//! Guaranteed frame rate.

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::units::{Rate, Span, Time};

use super::f_gcra::FrameConformance;
use super::rates::Rates;
use super::{Service, ServiceContext};
use crate::framing::Cell;

longfat_foundation::choice! {
    /// Who marks the frames that exceed a connection's minimum cell rate (P-02).
    pub enum Tagging {
        /// The network, at its entrance to the bottleneck's switch, cell by cell as they arrive from the access line.
        Network = "network",
        /// The source, as it hands a packet to its interface. It sees the packets of a burst at one instant, and marks more.
        Source = "source",
        /// Nobody: all cells count as within the minimum cell rate.
        None = "none",
    }
}

longfat_foundation::model! {
    /// Frames of a connection within its minimum cell rate are delivered; frames beyond it are best effort. F-GCRA(1 / MCR, BT / 2 + CDVT)
    /// decides at the first cell of a frame, and all cells of a frame that does not conform are marked (CLP = 1). Whether the promise is
    /// kept depends on the port's policy and scheduler (P-01).
    #[name = "gfr"]
    #[source = "ATM Forum Traffic Management 4.1; ITU-T I.371.1"]
    pub struct GuaranteedFrameRate: dyn Service {
        /// MCR of every connection, in bits of cells on the line, or a list with one rate per connection.
        minimum_cell_rate: Rates,
        /// Who marks frames (P-02).
        tagging: Tagging = "network" or ["source", "none"],
        /// MBS in frames of full segments: BT = (MBS - 1) (1 / MCR - 1 / PCR), where PCR is the bottleneck's rate. With a burst of one
        /// frame and half of its BT, a second frame right behind the first would never conform.
        maximum_burst_frames: AtLeastOne = "2" or ["1", "8"],
        /// CDVT, how much too early a cell may arrive.
        cell_delay_variation_tolerance: Span = "0 s" or ["100 us"],
    }
    build(config, context) { Box::new(config.contract(context)) }
    objections(config, context) { config.objections(context) }
}

/// The traffic contract of each connection.
#[derive(Clone, Debug)]
pub struct Contract {
    /// MCR of each connection.
    pub minimum_cell_rates: Vec<Rate>,
    /// Who marks what exceeds it.
    pub tagging: Tagging,
    peak: Rate,
    maximum_burst: u64,
    tolerance: Span,
}

impl GuaranteedFrameRate {
    fn contract(&self, context: &ServiceContext) -> Contract {
        Contract {
            minimum_cell_rates: self.minimum_cell_rate.of(context.connections),
            tagging: self.tagging,
            peak: context.rate,
            maximum_burst: self.maximum_burst_frames.0 * context.cells_in_frame.unwrap_or(1),
            tolerance: self.cell_delay_variation_tolerance,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates are below 2^53, and positive"
    )]
    fn objections(&self, context: &ServiceContext) -> Vec<(&'static str, String)> {
        if context.cells_in_frame.is_none() {
            return vec![(
                "kind",
                "marks cells, and packets that travel whole have none; leave it out, or \"ubr\"".into(),
            )];
        }
        let rates = self.minimum_cell_rate.of(context.connections);
        let complain = |message| vec![("minimum_cell_rate", message)];
        if rates.len() != context.connections {
            return complain(format!("{} rates for {} connections", rates.len(), context.connections));
        }
        let line = context.rate.0;
        if let Some(rate) = rates.iter().find(|rate| rate.0 > line) {
            return complain(format!("{} bit/s is above the bottleneck's rate; at most {line} bit/s", rate.0));
        }
        let (sum, left) =
            (rates.iter().map(|rate| u128::from(rate.0)).sum::<u128>(), (line as f64 * context.share) as u128);
        if sum > left {
            let why = if context.share < 1.0 { " that VBR leaves of the bottleneck" } else { " of the bottleneck" };
            return complain(format!("together {sum} bit/s are promised, more than the {left} bit/s{why}"));
        }
        Vec::new()
    }
}

impl Service for Contract {
    fn contract(&self) -> Option<Contract> {
        Some(self.clone())
    }
}

impl Contract {
    /// W_i: the minimum cell rate of each of `circuits` circuits, 0 for those of acknowledgments and of background.
    #[must_use]
    pub fn weights(&self, circuits: usize) -> Vec<u64> {
        let weight = |circuit: usize| match self.minimum_cell_rates.get(circuit / 2) {
            Some(rate) if circuit.is_multiple_of(2) => rate.0,
            _ => 0,
        };
        (0..circuits).map(weight).collect()
    }
}

/// Marks the frames of connections that exceed their minimum cell rate.
pub struct Policer(Vec<FrameConformance>);

impl Policer {
    /// With empty buckets.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        let bucket =
            |&rate: &Rate| FrameConformance::new(rate, contract.peak, contract.maximum_burst, contract.tolerance);
        Self(contract.minimum_cell_rates.iter().map(bucket).collect())
    }

    /// Polices a cell of a connection: returns it, marked if its frame does not conform.
    #[must_use]
    pub fn police(&mut self, now: Time, connection: usize, cell: Cell) -> Cell {
        if self.0[connection].arrive(now, cell.is_first()) { cell } else { cell.tagged() }
    }

    /// Whether a frame of `cells` cells that a connection sends at once conforms.
    #[must_use]
    pub fn conforms(&mut self, now: Time, connection: usize, cells: u32) -> bool {
        let bucket = &mut self.0[connection];
        let conforms = bucket.arrive(now, true);
        (1..cells).for_each(|_| _ = bucket.arrive(now, false));
        conforms
    }
}
