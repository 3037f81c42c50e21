//! Infinite sources.

use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Span, Time};

use super::{Source, Wake};

longfat_foundation::model! {
    /// Always has data: sends whenever the window allows, until the end of the simulation (T-01).
    #[name = "infinite"]
    #[source = "UBR+ section 3.1"]
    pub struct Infinite: dyn Source {
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each. In UBR+ all start at the same time.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) { Box::new(Application { start: context.start(&config.start, config.stagger) }) }
}

struct Application {
    start: Time,
}

impl Source for Application {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, _now: Time) -> Wake {
        Wake { bytes: u64::MAX, next: None }
    }
}
