//! An output-buffered switch: one buffer and one transmitter for each output port (97-0424, section 3 and figure 1).

pub mod drop_policy;
mod occupancy;
mod port;
mod slots;
mod threshold;

pub use occupancy::Occupancy;
pub use port::{Dropped, Port, PortConfig, PortStatistics};
pub use slots::ArrivalOrder;
pub use threshold::Threshold;
