//! The network between end systems.
//!
//! | module | content |
//! |---|---|
//! | [`topology`] | nodes, lines, and the path of each connection |
//! | [`framing`] | how packets travel: as cells, or whole |
//! | [`link`], [`path`], [`capacity`] | lines, how they change over time, and how a terminal obtains capacity |
//! | [`switch`] | managed ports: buffers, drop policies, queue disciplines, schedulers, services |
//! | [`loss`], [`reordering`] | losses without a full buffer; packets that overtake others at the end of a line |
//! | [`background`] | traffic without TCP |

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod background;
pub mod capacity;
mod correlated;
pub mod framing;
pub mod link;
pub mod loss;
pub mod path;
pub mod reordering;
pub mod switch;
pub mod topology;
