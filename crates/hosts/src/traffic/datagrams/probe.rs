//! Probes of a path.

use longfat_foundation::config::{Bytes, PositiveSpan};
use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::units::{Span, Time};

use super::{Datagrams, object_to_interval, object_to_size};
use crate::traffic::{Source, Wake, Writes};

longfat_foundation::choice! {
    /// The times between probes.
    pub enum Spacing {
        /// Always the same (RFC 3432).
        Periodic = "periodic",
        /// Exponentially distributed, so that probes see what an average over time would see (RFC 2330 section 11.1.1).
        Poisson = "poisson",
    }
}

longfat_foundation::model! {
    /// Small datagrams that measure a path: the one-way delay of each (RFC 7679), its variation, losses and order; and, if the far end
    /// answers each at once with one of the same size, round trips, as ping and irtt measure them.
    #[name = "probe"]
    #[source = "RFC 2681; RFC 7679; RFC 3432; RFC 792, echo"]
    pub struct Probe: dyn Source {
        /// Time from one probe to the next, or its mean.
        interval: PositiveSpan = "100 ms",
        /// Bytes of data in a probe. With the 8 bytes of the UDP header, which are as many as ICMP's, 56 are a packet of ping.
        size: Bytes = "56 B",
        /// Whether the far end answers. One-way probes, as those of OWAMP (RFC 4656), load only one direction.
        answered: bool = "true",
        /// Times between probes.
        spacing: Spacing = "periodic",
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(Prober {
            size: config.size.0,
            answered: config.answered,
            interval: config.interval.0,
            intervals: (config.spacing == Spacing::Poisson).then(|| context.chance.of_part(0)),
            start: context.start(&config.start, config.stagger),
        })
    }
    objections(config, _context) {
        let size = object_to_size(config.size.0).map(|message| ("size", message));
        size.into_iter().chain(object_to_interval(config.interval.0).map(|message| ("interval", message))).collect()
    }
}

struct Prober {
    size: u64,
    answered: bool,
    interval: Span,
    /// Random bits of exponential intervals.
    intervals: Option<Stream>,
    start: Time,
}

impl Source for Prober {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        let interval = self.intervals.as_mut().map_or(self.interval, |chance| chance.exponential(self.interval));
        Wake { bytes: self.size, next: Some(now.saturating_add(Span(interval.0.max(1)))) }
    }

    fn datagrams(&self) -> Option<Datagrams> {
        Some(Datagrams { largest: self.size, are_answered: self.answered })
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        Some(Writes::regular(self.start, until, self.size, self.interval))
    }
}
