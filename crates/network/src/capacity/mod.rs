//! Assignment of the bottleneck's capacity to its sender: permanent, or on demand with a delay.
//!
//! To add an assignment: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`ASSIGNMENTS`].

mod grants;
mod on_demand;
mod permanent;

pub use grants::{Demand, Grants};

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Rate;

/// Every registered assignment of capacity.
pub const ASSIGNMENTS: &[Entry<dyn Assignment>] =
    &[Entry::of::<permanent::Permanent>(), Entry::of::<on_demand::OnDemand>()];

/// Assignment of capacity.
pub trait Assignment: Send + Sync {
    /// Parameters of on-demand assignment; `None` if capacity is permanent.
    fn demand(&self) -> Option<Demand>;
}

/// The line whose capacity is assigned.
#[derive(Clone, Copy, Debug)]
pub struct CapacityContext {
    /// Rate of the line, the most that can be granted.
    pub rate: Rate,
}

impl Family for dyn Assignment {
    const KIND: &'static str = "assignment of capacity";
    type Context = CapacityContext;
    const NOTHING: Option<&'static str> = Some("permanent");
    fn models() -> &'static [Entry<Self>] {
        ASSIGNMENTS
    }
}
