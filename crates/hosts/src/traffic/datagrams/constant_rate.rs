//! Datagrams at a constant rate.

use longfat_foundation::config::Bytes;
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{LineClock, Rate, Span, Time, TransmissionTime};

use super::{Datagrams, object_to_interval, object_to_size};
use crate::datagrams::LARGEST_DATAGRAM_BYTES;
use crate::traffic::{Source, Wake, Writes};

longfat_foundation::model! {
    /// UDP at a constant rate: datagrams of one size at regular times, whatever becomes of them, as `iperf3 -u -b` sends them.
    #[name = "constant-rate"]
    #[source = "RFC 768; RFC 8085 section 3.1.1; iperf3, options -u and -b"]
    pub struct ConstantRate: dyn Source {
        /// Bits of data per second, headers not counted, as iperf3 counts them.
        rate: Rate,
        /// Bytes of data in a datagram.
        size: Bytes = "1000 B",
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        let start = context.start(&config.start, config.stagger);
        Box::new(Sender {
            size: config.size.0,
            interval: config.interval(),
            start,
            next: LineClock::at(start),
        })
    }
    objections(config, _context) {
        if let Some(message) = object_to_size(config.size.0) {
            return vec![("size", message)];
        }
        object_to_interval(config.interval().rounded_down()).map(|message| ("rate", message)).into_iter().collect()
    }
}

impl ConstantRate {
    /// Time from one datagram to the next.
    fn interval(&self) -> TransmissionTime {
        TransmissionTime::of_bits(8 * self.size.0.min(LARGEST_DATAGRAM_BYTES), self.rate)
    }
}

struct Sender {
    size: u64,
    interval: TransmissionTime,
    start: Time,
    /// The next datagram, with the fraction of a picosecond: the rate is exact over any number of datagrams.
    next: LineClock,
}

impl Source for Sender {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, _now: Time) -> Wake {
        self.next.advance(self.interval);
        Wake { bytes: self.size, next: Some(self.next.time) }
    }

    fn datagrams(&self) -> Option<Datagrams> {
        Some(Datagrams { largest: self.size, are_answered: false })
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        Some(Writes::regular(self.start, until, self.size, self.interval.rounded_down()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes at 3 Mbit/s take 8/3 ms: after three datagrams 8 ms have passed, to the picosecond.
    #[test]
    fn fractions_of_a_picosecond_are_carried() {
        let interval = TransmissionTime::of_bits(8000, Rate(3_000_000));
        let mut sender = Sender { size: 1000, interval, start: Time::ZERO, next: LineClock::at(Time::ZERO) };
        let times = [(); 3].map(|()| sender.wake(Time::ZERO).next.map(|time| time.0));
        assert_eq!(times, [2_666_666_666, 5_333_333_333, 8_000_000_000].map(Some));
    }
}
