//! Packets pass.

use longfat_foundation::random::Stream;

use super::{Connection, Relayed, UdpProxies};

longfat_foundation::model! {
    /// Proxies let packets of connections over UDP pass as they are.
    #[name = "pass"]
    #[source = "RFC 3135 section 5"]
    pub struct Pass: dyn UdpProxies {}
    build(_config, _context) { Box::new(Passing) }
}

struct Passing;

impl UdpProxies for Passing {
    fn relayed(&self, _connection: &Connection<'_>, _chance: &dyn Fn(&str) -> Stream) -> Option<Relayed> {
        None
    }
}
