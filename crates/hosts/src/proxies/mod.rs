//! Performance enhancing proxies (RFC 3135): what gateways at both ends of the bottleneck do to TCP connections.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`PROXIES`].

mod none;
mod split_tcp;

pub use split_tcp::SplitTcp;

use longfat_foundation::registry::{Entry, Family};

/// Every registered kind of proxies.
pub const PROXIES: &[Entry<dyn Proxies>] = &[Entry::of::<none::EndToEnd>(), Entry::of::<SplitTcp>()];

/// What gateways do to connections.
pub trait Proxies: Send + Sync {
    /// How they split connections, if they do.
    fn splits(&self) -> Option<&SplitTcp>;
}

impl Family for dyn Proxies {
    const KIND: &'static str = "kind of proxies";
    type Context = ();
    const NOTHING: Option<&'static str> = Some("none");
    fn models() -> &'static [Entry<Self>] {
        PROXIES
    }
}
