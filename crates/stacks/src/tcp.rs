//! The engine's own TCP.

use longfat_foundation::random::Stream;
use longfat_hosts::end_system::EndSystem;

use super::Stack;

longfat_foundation::model! {
    /// The TCP of the engine, with the settings of `[tcp]`.
    #[name = "tcp"]
    #[source = "RFC 9293"]
    pub struct Tcp: dyn Stack {}
    build(_config, _context) { Box::new(Engine) }
}

struct Engine;

impl Stack for Engine {
    fn ends(&self, _chance: Stream) -> Option<[Box<dyn EndSystem>; 2]> {
        None
    }

    fn largest_packet(&self) -> u64 {
        0
    }

    fn connection_bytes(&self) -> u64 {
        0
    }
}
