//! Paced video.

use longfat_foundation::config::{Bytes, PositiveSpan};
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Rate, Span, Time};

use super::{Datagrams, RTP_HEADER_BYTES, object_to_interval, object_to_size};
use crate::traffic::{Source, Wake, Writes};

longfat_foundation::section! {
    /// A rung of a ladder of rates.
    pub struct Rung {
        /// Bits of frames per second, RTP and other headers not counted.
        pub rate: Rate,
        /// Time that the encoder stays here.
        pub lasts: PositiveSpan = "10 s",
    }
}

longfat_foundation::model! {
    /// Video without feedback: frames at regular times, each cut into packets that are spread evenly over the frame's interval. The encoder
    /// goes through a ladder of rates by the clock, from the first to the last and again from the first: it knows nothing of the path.
    #[name = "video"]
    #[source = "RFC 8085 section 3.1; RFC 3550 section 5.1; RFC 8834 section 7"]
    pub struct Video: dyn Source {
        /// Rates, and how long each lasts; one is a constant rate.
        ladder: Vec<Rung> = "[{ rate = \"2.5 Mbit/s\" }]",
        /// Time from one frame to the next: 40 ms are 25 frames a second.
        frame_interval: PositiveSpan = "40 ms",
        /// Most bytes of data in a packet, with 12 of RTP header.
        packet: Bytes = "1200 B",
        /// When a connection starts; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        let start = context.start(&config.start, config.stagger);
        Box::new(Encoder {
            rungs: config.rungs(),
            rung: 0,
            rung_began: start,
            interval: config.frame_interval.0,
            most: config.packet.0.saturating_sub(RTP_HEADER_BYTES),
            start,
            frame: start,
            sent: 0,
        })
    }
    objections(config, _context) {
        let packet = config.packet.0;
        if let Some(message) = object_to_size(packet) {
            return vec![("packet", message)];
        }
        if packet <= RTP_HEADER_BYTES {
            return vec![("packet", format!("{packet} B have no room behind the RTP header; at least {} B", RTP_HEADER_BYTES + 1))];
        }
        let Some(most) = config.rungs().into_iter().map(|(bytes, _)| bytes).max() else {
            return vec![("ladder", "a ladder without rungs; at least one rate".into())];
        };
        if config.ladder.iter().any(|rung| rung.lasts < config.frame_interval) {
            return vec![("ladder", "a rung is shorter than a frame; it lasts at least frame_interval".into())];
        }
        let packets = most.div_ceil(packet - RTP_HEADER_BYTES);
        object_to_interval(Span(config.frame_interval.0.0 / packets)).map(|message| ("ladder", message)).into_iter().collect()
    }
}

impl Video {
    /// Bytes of a frame on each rung, at least one, and how long the rung lasts.
    fn rungs(&self) -> Vec<(u64, Span)> {
        let frame_bytes =
            |rate: Rate| u64::try_from(rate.bits_in(self.frame_interval.0) / 8).unwrap_or(u64::MAX).max(1);
        self.ladder.iter().map(|rung| (frame_bytes(rung.rate), rung.lasts.0)).collect()
    }
}

struct Encoder {
    /// Bytes of a frame on each rung, and how long that lasts.
    rungs: Vec<(u64, Span)>,
    /// The current rung, and when it began.
    rung: usize,
    rung_began: Time,
    interval: Span,
    /// Most bytes of a frame in a packet.
    most: u64,
    start: Time,
    /// When the current frame began, and how many of its packets are sent.
    frame: Time,
    sent: u64,
}

impl Encoder {
    /// Begins the next frame, on the rung of that time.
    fn begin_frame(&mut self) {
        (self.frame, self.sent) = (self.frame.saturating_add(self.interval), 0);
        while self.frame - self.rung_began >= self.rungs[self.rung].1 {
            self.rung_began += self.rungs[self.rung].1;
            self.rung = (self.rung + 1) % self.rungs.len();
        }
    }

    /// Bytes of the largest frame.
    fn largest_frame(&self) -> u64 {
        self.rungs.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0)
    }
}

impl Source for Encoder {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, _now: Time) -> Wake {
        let (bytes, _) = self.rungs[self.rung];
        let packets = bytes.div_ceil(self.most);
        let sent = self.most.min(bytes - self.sent * self.most);
        self.sent += 1;
        if self.sent == packets {
            self.begin_frame();
            return Wake { bytes: sent + RTP_HEADER_BYTES, next: Some(self.frame) };
        }
        let within = u128::from(self.interval.0) * u128::from(self.sent) / u128::from(packets);
        let within = Span(u64::try_from(within).unwrap_or(u64::MAX));
        Wake { bytes: sent + RTP_HEADER_BYTES, next: Some(self.frame.saturating_add(within)) }
    }

    fn datagrams(&self) -> Option<Datagrams> {
        let largest = self.most.min(self.largest_frame()) + RTP_HEADER_BYTES;
        Some(Datagrams { largest, are_answered: false })
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        let packets = self.largest_frame().div_ceil(self.most);
        Some(Writes::regular(self.start, until, self.most + RTP_HEADER_BYTES, Span((self.interval.0 / packets).max(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(number: u64) -> Span {
        Span(number * 1_000_000_000)
    }

    /// Frames of 2500 bytes are 1188, 1188 and 124 of them, a third of 40 ms apart; those of 100 bytes on the next rung are one packet.
    #[test]
    fn packets_of_a_frame_are_spread_over_its_interval_and_rungs_follow_the_clock() {
        let rungs = vec![(2500, milliseconds(80)), (100, milliseconds(40))];
        let mut encoder = Encoder {
            rungs,
            rung: 0,
            rung_began: Time::ZERO,
            interval: milliseconds(40),
            most: 1188,
            start: Time::ZERO,
            frame: Time::ZERO,
            sent: 0,
        };
        let (mut now, mut sent) = (Time::ZERO, Vec::new());
        for _ in 0..8 {
            let Wake { bytes, next } = encoder.wake(now);
            sent.push((now.0 / 1_000_000_000, bytes));
            now = next.expect("it goes on");
        }
        let frame = |at| [(at, 1200), (at + 13, 1200), (at + 26, 136)];
        assert_eq!(sent, [&frame(0)[..], &frame(40), &[(80, 112)], &frame(120)[..1]].concat());
    }
}
