//! QUIC (RFC 9000) with the loss recovery of RFC 9002, over a handshake with the sizes of TLS 1.3 (RFC 9001) and no cryptography.
//!
//! A connection carries one stream in each direction, and as many more as messages ask for. [`Pair`] makes its two ends, each an [`EndSystem`](crate::end_system::EndSystem). An
//! end is made of small machines that know nothing of each other: `sent` and `receiver` keep the packets of a packet number space,
//! `round_trip` and `congestion` what is known of the path, `stream` bytes, `streams` whose turn it is and flow control, `pacing` departures; `frame` and `packet` are what goes over the line.
//! The window laws are those of TCP.

mod congestion;
mod credit;
mod end;
mod frame;
mod number;
mod pacing;
mod packet;
mod receiver;
mod round_trip;
mod sent;
mod settings;
mod stream;
mod streams;
#[cfg(test)]
mod tests;

pub use congestion::{Account, Congestion, Measured};
pub use end::{End, Pair, Side, largest_datagram};
pub use frame::{Ack, DELAY_UNIT_US, Form, Frame};
pub use number::whole_packet_number;
pub use packet::{Kind, Packet};
pub use receiver::AckRules;
pub use sent::{Numbered, Sent};
pub use settings::{Asked, AtReduction, Avoidance, Bundle, Burst, First, Marking, Pacing, Probe, Settings, Window};
