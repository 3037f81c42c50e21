//! Transport stacks: what a connection may use besides the engine's TCP.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`STACKS`]. A stack gives a pair of
//! [`EndSystem`]s, which get time, packets and bytes of the application from the network. It has no clock, sockets or randomness of its own.

#![forbid(unsafe_code)]

mod outside;
pub mod proxies;
mod quic;
mod quinn;
mod smoltcp;
mod tcp;
#[cfg(test)]
mod tests;

use longfat_foundation::random::Stream;
use longfat_foundation::registry::{Chosen, Entry, Family};
use longfat_hosts::end_system::EndSystem;
use longfat_hosts::transport::flavor::Flavor;

pub use outside::Outside;

/// Every registered stack.
pub const STACKS: &[Entry<dyn Stack>] = &[
    Entry::of::<tcp::Tcp>(),
    Entry::of::<quic::Quic>(),
    Entry::of::<quinn::Quinn>(),
    Entry::of::<smoltcp::Smoltcp>(),
    Entry::of::<Outside>(),
];

/// Name of a flavor in results: that of the control, if its law is one from outside.
fn control_name(flavor: &Chosen<dyn Flavor>) -> String {
    let built = flavor.build(&());
    built.control().map_or(flavor.name(), |control| control.name()).to_owned()
}

longfat_foundation::choice! {
    /// End that opens a connection.
    pub enum Opener {
        /// The sender of the data, which is then the client: an upload.
        Sender = "sender",
        /// The receiver of the data, which is then the client: a download. A QUIC server has the client's address checked before it may send
        /// much (RFC 9000 section 8.1).
        Receiver = "receiver",
    }
}

/// A transport stack.
pub trait Stack: Send + Sync {
    /// The sending and the receiving end of a connection, with a random stream of their own; `None` for the TCP of the engine.
    fn ends(&self, chance: Stream) -> Option<[Box<dyn EndSystem>; 2]>;
    /// Bytes behind the UDP header of the largest packet that it may send; 0 for the TCP of the engine.
    fn largest_packet(&self) -> u64;
    /// End that opens a connection.
    fn opener(&self) -> Opener {
        Opener::Sender
    }
    /// True if its packets are datagrams of UDP.
    fn is_over_udp(&self) -> bool {
        true
    }
    /// The stack with receivers that let at most so many bytes wait to be read; `None` if its receivers always read at once.
    fn within(&self, _bytes: u64) -> Option<Box<dyn Stack>> {
        None
    }
    /// The window law, if it is one of the engine's.
    fn flavor(&self) -> Option<Box<dyn Flavor>> {
        None
    }
    /// Its settings, if its packets come from programs outside.
    fn outside(&self) -> Option<&Outside> {
        None
    }
    /// Bytes that both ends of a connection take when it begins; 0 for the TCP of the engine, whose flows are counted.
    fn connection_bytes(&self) -> u64;
}

impl Family for dyn Stack {
    const KIND: &'static str = "stack";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("tcp");
    fn models() -> &'static [Entry<Self>] {
        STACKS
    }
}
