//! Assignment of a line's capacity to its sender: permanent, on demand with a delay, or as a part of a link that terminals share.
//!
//! To add an assignment: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`ASSIGNMENTS`].

pub mod access;
mod frames;
mod grants;
mod log_on;
mod on_demand;
mod permanent;
mod requests;
mod return_link;
pub mod scheduling;
mod shared;

pub use grants::{Demand, Grants};
pub use requests::{Award, TerminalCounts};
pub use return_link::{Lines, ReturnLink, ReturnLinkConfig};
pub use shared::Terminal;

use longfat_foundation::registry::{Entry, Family};
use longfat_foundation::units::Rate;

/// Every registered assignment of capacity.
pub const ASSIGNMENTS: &[Entry<dyn Assignment>] =
    &[Entry::of::<permanent::Permanent>(), Entry::of::<on_demand::OnDemand>(), Entry::of::<shared::Shared>()];

/// Assignment of capacity.
pub trait Assignment: Send + Sync {
    /// Parameters of on-demand assignment; `None` if capacity is permanent or shared.
    fn demand(&self) -> Option<Demand>;
    /// Terms of the line as a terminal of a link that it shares; `None` if it shares none.
    fn terminal(&self) -> Option<Terminal> {
        None
    }
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
