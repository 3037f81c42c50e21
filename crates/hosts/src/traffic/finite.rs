//! A transfer of a given size.

use longfat_foundation::config::Bytes;
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Span, Time};

use super::{Source, Wake};

longfat_foundation::model! {
    /// A file: hands over a number of bytes at its start, and nothing after that.
    #[name = "finite"]
    #[source = "Fall and Floyd 1996 section 3"]
    pub struct Finite: dyn Source {
        /// Bytes to send. The last segment may be shorter than the others.
        size: Bytes,
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(Transfer { size: config.size.0, start: context.start(&config.start, config.stagger) })
    }
}

struct Transfer {
    size: u64,
    start: Time,
}

impl Source for Transfer {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, _now: Time) -> Wake {
        Wake { bytes: self.size, next: None }
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn segments(&self, mss: u64) -> Option<u64> {
        Some(self.size.div_ceil(mss))
    }
}
