//! On-off traffic: bursts and pauses.

use longfat_foundation::config::{Bytes, PositiveSpan};
use longfat_foundation::random::{RandomSpan, Stream, unit_interval};
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{LARGEST_PACKET_BITS, Rate, Span, Time, TransmissionTime};

use super::size::SizeDistribution;
use super::{Source, SourceContext, Wake};

longfat_foundation::choice! {
    /// The distribution of the pauses.
    pub enum Pauses {
        /// Exponentially distributed.
        Exponential = "exponential",
        /// Always the same.
        Fixed = "fixed",
    }
}

longfat_foundation::model! {
    /// Bursts at the application's own rate, and pauses between them, over one connection: video in chunks, sensors, people who click. A
    /// burst of a drawn size takes size over rate, if TCP keeps up; the pause begins with the last byte handed over. Heavy-tailed bursts of
    /// many senders make self-similar traffic.
    #[name = "on-off"]
    #[source = "Willinger, Taqqu, Sherman and Wilson 1997 section 2"]
    pub struct OnOff: dyn Source {
        /// How many bytes a burst has.
        burst: Chosen<dyn SizeDistribution>,
        /// Bits per second at which a burst is handed over.
        rate: Rate,
        /// How many bytes the application hands over at a time.
        write: Bytes = "1000 B",
        /// Mean time from the end of a burst to the next burst.
        pause: PositiveSpan,
        /// The distribution of the pauses.
        pauses: Pauses = "exponential",
        /// When a connection starts, with a burst; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) { Box::new(config.application(context)) }
    objections(config, _context) {
        let of_size = config.burst.objections(&()).into_iter();
        let too_large = (config.write.0 > LARGEST_PACKET_BITS / 8).then(|| {
            ("write", format!("{} B is too much at a time; at most {} B", config.write.0, LARGEST_PACKET_BITS / 8))
        });
        of_size.map(|(key, message)| ("burst", format!("{key}: {message}"))).chain(too_large).collect()
    }
}

impl OnOff {
    fn application(&self, context: &SourceContext) -> Application {
        let mut application = Application {
            burst: self.burst.build(&()),
            rate: self.rate,
            write: self.write.0,
            pause: self.pause.0,
            pauses: self.pauses,
            chance: context.chance.clone(),
            start: context.start(&self.start, self.stagger),
            number: 0,
            left: 0,
        };
        application.left = application.size_of_burst();
        application
    }
}

struct Application {
    burst: Box<dyn SizeDistribution>,
    rate: Rate,
    write: u64,
    pause: Span,
    pauses: Pauses,
    chance: Stream,
    start: Time,
    /// Index of the current burst, from 0, and the bytes left of it.
    number: u64,
    left: u64,
}

impl Application {
    /// Random bits of a burst: one word for the pause after it, two for its size. Block 0 of the stream is reserved for the start.
    fn bits(&self) -> [u64; 4] {
        self.chance.block(1 + self.number)
    }

    fn size_of_burst(&self) -> u64 {
        let [_, first, second, _] = self.bits();
        self.burst.bytes([first, second])
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "picoseconds"
    )]
    fn pause(&self) -> Span {
        match self.pauses {
            Pauses::Fixed => self.pause,
            Pauses::Exponential => Span((-libm::log(1.0 - unit_interval(self.bits()[0])) * self.pause.0 as f64) as u64),
        }
    }
}

impl Source for Application {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        let bytes = self.write.min(self.left);
        self.left -= bytes;
        let mut next = now.saturating_add(TransmissionTime::of_bits(8 * bytes, self.rate).at_most());
        if self.left == 0 {
            next = next.saturating_add(self.pause());
            self.number += 1;
            self.left = self.size_of_burst();
        }
        Wake { bytes, next: Some(next) }
    }
}
