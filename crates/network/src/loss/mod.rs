//! Loss models: losses other than at full buffers.
//!
//! To add a model: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`LOSS_MODELS`].

mod correlated;
mod fades;
mod gilbert_elliott;
mod list;
mod none;
mod periodic;
mod random;

pub use list::Drops;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::{Span, Time};

/// Every registered loss model.
pub const LOSS_MODELS: &[Entry<dyn LossModel>] = &[
    Entry::of::<none::None>(),
    Entry::of::<list::List>(),
    Entry::of::<random::Random>(),
    Entry::of::<periodic::Periodic>(),
    Entry::of::<gilbert_elliott::GilbertElliott>(),
    Entry::of::<fades::Fades>(),
    Entry::of::<correlated::CorrelatedLoss>(),
];

longfat_foundation::choice! {
    /// Unit of loss.
    pub enum Loses {
        /// A packet with all its cells, when its first cell arrives.
        Packets = "packet",
        /// One cell, which corrupts its packet.
        Cells = "cell",
    }
}

/// Loss model at one place of the network.
pub trait LossModel: Send {
    /// Unit of loss.
    fn loses(&self) -> Loses {
        Loses::Packets
    }
    /// True if the packet or cell of a connection that arrives at `now` is lost. Times never descend.
    fn loses_next(&mut self, now: Time, flow: usize) -> bool;
}

impl Family for dyn LossModel {
    const KIND: &'static str = "loss model";
    type Context = LossContext;
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        LOSS_MODELS
    }
}

/// The place at which a loss model acts.
#[derive(Clone, Debug)]
pub struct LossContext {
    /// Name of the place in names of random streams: "data" and "acknowledgments" at the bottleneck, or that of a line.
    pub place: String,
    /// Source of random numbers.
    pub chance: Chance,
    /// Bounds on the packets of each flow.
    pub flows: Vec<Passing>,
    /// Duration of the run.
    pub duration: Span,
}

/// Bounds on the packets of a flow at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Number of packets that certainly arrive if none is lost, if known, with a description ("20 segments of 512 B").
    pub certain: Option<(u64, String)>,
    /// Upper bound of the packets, by the rates of the lines, and the time that they have.
    pub most: (u64, Span),
}

impl LossContext {
    /// Random stream of the place for `what`.
    #[must_use]
    pub fn stream_of(&self, what: &str) -> Stream {
        self.chance.stream(&format!("loss/{}/{what}", self.place))
    }

    /// Random stream of one flow at this place.
    #[must_use]
    pub fn stream(&self, flow: usize) -> Stream {
        self.stream_of(&(flow + 1).to_string())
    }

    /// Random streams of all flows.
    #[must_use]
    pub fn streams(&self) -> Vec<Stream> {
        (0..self.flows.len()).map(|flow| self.stream(flow)).collect()
    }
}
