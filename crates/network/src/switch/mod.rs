//! An output-buffered switch: one buffer and one transmitter for each output port (97-0424, section 3 and figure 1).

mod booked;
mod buffer;
mod buffered;
pub mod drop_policy;
mod occupancy;
mod outlet;
mod port;
mod port_config;
pub mod preset;
mod queue;
pub mod queue_discipline;
mod rounds;
pub mod scheduler;
pub mod service;
mod slots;
mod statistics;
mod threshold;
mod vbr;

pub use booked::{Begun, Booked, BookedQueue};
pub use buffer::{Buffer, BufferContext};
pub use drop_policy::Dropped;
pub use occupancy::Occupancy;
pub use outlet::Outlet;
pub use port::{Next, Port, PortQueue, PortState};
pub use port_config::PortConfig;
pub use queue::Queue;
pub use rounds::{Leaving, RoundQueue, Stretch, TrainOutlet, WholeRounds};
pub use slots::ArrivalOrder;
pub use statistics::{DisciplineCounts, PortCounts, PortStatistics};
pub use threshold::Threshold;
pub use vbr::VbrQueue;
