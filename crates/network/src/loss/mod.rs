//! Packets that get lost for another reason than a full buffer.
//!
//! To add a model: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`LOSS_MODELS`].

mod gilbert_elliott;
mod list;
mod none;
mod periodic;
mod random;

pub use list::Drops;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Span;

/// Every registered loss model.
pub const LOSS_MODELS: &[Entry<dyn LossModel>] = &[
    Entry::of::<none::None>(),
    Entry::of::<list::List>(),
    Entry::of::<random::Random>(),
    Entry::of::<periodic::Periodic>(),
    Entry::of::<gilbert_elliott::GilbertElliott>(),
];

longfat_foundation::choice! {
    /// What is lost at once.
    pub enum Loses {
        /// A packet with all its cells, when its first cell arrives.
        Packets = "packet",
        /// One cell, which corrupts its packet.
        Cells = "cell",
    }
}

/// Decides what gets lost at one place of the network.
pub trait LossModel: Send {
    /// What it decides about.
    fn loses(&self) -> Loses {
        Loses::Packets
    }
    /// Whether the packet, or cell, of `flow` that has just come is lost.
    fn loses_next(&mut self, flow: usize) -> bool;
}

impl Family for dyn LossModel {
    const KIND: &'static str = "loss model";
    type Context = LossContext;
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        LOSS_MODELS
    }
}

/// Which packets pass the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Data on its way to the bottleneck's buffer.
    Data,
    /// Acknowledgments on their way back past the bottleneck.
    Acknowledgments,
}

/// The place where packets get lost.
#[derive(Clone, Debug)]
pub struct LossContext {
    /// Which packets pass it.
    pub direction: Direction,
    /// Where chance comes from.
    pub chance: Chance,
    /// What each flow can bring here.
    pub flows: Vec<Passing>,
}

/// What a flow can bring to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// Packets that come for certain if none is lost, where that is known, and what they are ("20 segments of 512 B").
    pub certain: Option<(u64, String)>,
    /// More packets than these the lines on the way cannot bring, and how long they have for it.
    pub most: (u64, Span),
}

impl LossContext {
    /// The chance of one flow at this place.
    #[must_use]
    pub fn stream(&self, flow: usize) -> Stream {
        let place = match self.direction {
            Direction::Data => "data",
            Direction::Acknowledgments => "acknowledgments",
        };
        self.chance.stream(&format!("loss/{place}/{}", flow + 1))
    }

    /// The chance of every flow.
    #[must_use]
    pub fn streams(&self) -> Vec<Stream> {
        (0..self.flows.len()).map(|flow| self.stream(flow)).collect()
    }
}
