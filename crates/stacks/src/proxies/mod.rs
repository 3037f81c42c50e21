//! Performance enhancing proxies (RFC 3135): gateways at both ends of the bottleneck that act on TCP connections.
//!
//! To add one: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`PROXIES`].

mod none;
mod split_tcp;
pub mod udp;

pub use split_tcp::SplitTcp;

use longfat_foundation::registry::{Entry, Family};

/// Every registered kind of proxy.
pub const PROXIES: &[Entry<dyn Proxies>] = &[Entry::of::<none::EndToEnd>(), Entry::of::<SplitTcp>()];

/// Performance enhancing proxies of a scenario.
pub trait Proxies: Send + Sync {
    /// Settings of the split connections; `None` if connections are end to end.
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
