//! Service categories: the network's promise to the circuits of the UBR buffer.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`SERVICES`].

mod f_gcra;
mod guaranteed_frame_rate;
mod rates;
mod unspecified;

pub use f_gcra::FrameConformance;
pub use guaranteed_frame_rate::{Contract, Policer, Tagging};

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Rate;

/// Every registered service.
pub const SERVICES: &[Entry<dyn Service>] =
    &[Entry::of::<unspecified::UnspecifiedBitRate>(), Entry::of::<guaranteed_frame_rate::GuaranteedFrameRate>()];

/// A service category.
pub trait Service: Send + Sync {
    /// The contract of the connections, if there is one.
    fn contract(&self) -> Option<Contract>;
}

/// The connections that have the service, and the line on which they have it.
#[derive(Clone, Copy, Debug)]
pub struct ServiceContext {
    /// Connections, each with a circuit for its data.
    pub connections: usize,
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Share of the bottleneck that VBR leaves to all of them.
    pub share: f64,
    /// Cells of a full segment; `None` where packets travel whole.
    pub cells_in_frame: Option<u64>,
}

impl Family for dyn Service {
    const KIND: &'static str = "service";
    type Context = ServiceContext;
    const NOTHING: Option<&'static str> = Some("ubr");
    fn models() -> &'static [Entry<Self>] {
        SERVICES
    }
}
