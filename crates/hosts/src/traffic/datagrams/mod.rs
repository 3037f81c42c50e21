//! Sources of datagrams: their connections use UDP, and each wake-up sends one datagram.

mod constant_rate;
mod probe;
mod video;
mod voip;

pub use constant_rate::ConstantRate;
pub use probe::Probe;
pub use video::Video;
pub use voip::Voip;

use longfat_foundation::units::Span;

use crate::datagrams::LARGEST_DATAGRAM_BYTES;

/// RTP header without extensions (RFC 3550 section 5.1).
const RTP_HEADER_BYTES: u64 = 12;

/// Shortest time between two datagrams of one source: a million of them in a millisecond are more than any host sends.
const LEAST_INTERVAL: Span = Span(1_000);

/// The datagrams of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagrams {
    /// Bytes of data in the largest, RTP headers included.
    pub largest: u64,
    /// True if the far end answers each with one of the same size.
    pub are_answered: bool,
}

/// Error of a size that no datagram has.
fn object_to_size(bytes: u64) -> Option<String> {
    (!(1..=LARGEST_DATAGRAM_BYTES).contains(&bytes))
        .then(|| format!("{bytes} B is no size of a datagram; from 1 B to {LARGEST_DATAGRAM_BYTES} B (RFC 768)"))
}

/// Error of datagrams that follow each other too closely.
fn object_to_interval(interval: Span) -> Option<String> {
    (interval < LEAST_INTERVAL).then(|| format!("a datagram every {} ps is too often; at least 1 ns apart", interval.0))
}
