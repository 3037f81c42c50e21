//! Voice.

use longfat_foundation::config::PositiveSpan;
use longfat_foundation::random::{RandomSpan, Stream};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span, Time};

use super::{Datagrams, RTP_HEADER_BYTES};
use crate::traffic::{Source, Wake, Writes};

longfat_foundation::choice! {
    /// Codec of a call.
    pub enum Codec {
        /// 64 kbit/s, 8 bytes a millisecond (RFC 3551 section 4.5.14: PCMA and PCMU).
        G711 = "G.711",
        /// 8 kbit/s in frames of 10 bytes every 10 ms (RFC 3551 section 4.5.6).
        G729 = "G.729",
    }
}

impl Codec {
    fn rate(self) -> Rate {
        match self {
            Self::G711 => Rate(64_000),
            Self::G729 => Rate(8_000),
        }
    }

    /// A packet carries whole frames; a sample is one.
    fn frame(self) -> Span {
        match self {
            Self::G711 => Span(PICOSECONDS_PER_SECOND / 8_000),
            Self::G729 => Span(PICOSECONDS_PER_SECOND / 100),
        }
    }
}

longfat_foundation::model! {
    /// One direction of a call: while someone speaks, a packet of the codec's frames with an RTP header at every interval, and nothing
    /// while nobody does. Talk spurts and silences are exponentially distributed, after Brady's model of conversations.
    #[name = "voip"]
    #[source = "ITU-T P.59 table 1; Brady 1969; RFC 3551 sections 4.5.6 and 4.5.14"]
    pub struct Voip: dyn Source {
        /// The codec.
        codec: Codec = "G.711",
        /// Speech in a packet (RFC 3551 section 4.2: 20 ms by default): a whole number of the codec's frames, of 10 ms with G.729.
        packet_interval: PositiveSpan = "20 ms",
        /// Mean length of a talk spurt (ITU-T P.59 table 1).
        talk: PositiveSpan = "1004 ms",
        /// Mean length of a silence, in which nothing is sent (ITU-T P.59 table 1); with 0 s, the codec sends all the time.
        silence: Span = "1587 ms",
        /// When a connection starts, with a talk spurt; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection starts this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        let start = context.start(&config.start, config.stagger);
        let mut speaker = Speaker {
            size: config.bytes(),
            interval: config.packet_interval.0,
            talk: config.talk.0,
            silence: config.silence,
            chance: context.chance.of_part(0),
            start,
            silent_from: Time::NEVER,
        };
        if speaker.silence > Span::ZERO {
            speaker.begin_to_talk(start);
        }
        Box::new(speaker)
    }
    objections(config, _context) {
        let (frame, interval) = (config.codec.frame(), config.packet_interval.0);
        let message = || {
            let nearest = Span(interval.0.div_ceil(frame.0) * frame.0);
            format!(
                "packets carry whole frames of the codec, each {} us long; {} us is the next larger whole number of them",
                frame.0 / 1_000_000,
                nearest.0 / 1_000_000
            )
        };
        if interval.0 % frame.0 > 0 {
            return vec![("packet_interval", message())];
        }
        super::object_to_size(config.bytes()).map(|message| ("packet_interval", message)).into_iter().collect()
    }
}

impl Voip {
    /// Bytes of data in a datagram: the codec's and the RTP header.
    #[expect(clippy::cast_possible_truncation, reason = "checked to be less than a datagram's largest")]
    fn bytes(&self) -> u64 {
        (self.codec.rate().bits_in(self.packet_interval.0) / 8) as u64 + RTP_HEADER_BYTES
    }
}

struct Speaker {
    size: u64,
    interval: Span,
    talk: Span,
    silence: Span,
    chance: Stream,
    start: Time,
    /// End of the talk spurt; never, if silence is sent too.
    silent_from: Time,
}

impl Speaker {
    fn begin_to_talk(&mut self, now: Time) {
        self.silent_from = now.saturating_add(self.chance.exponential(self.talk));
    }
}

impl Source for Speaker {
    fn start(&self) -> Time {
        self.start
    }

    fn wake(&mut self, now: Time) -> Wake {
        let mut next = now.saturating_add(self.interval);
        if next >= self.silent_from {
            // A spurt has a packet at least, however short it is.
            next = next.max(self.silent_from.saturating_add(self.chance.exponential(self.silence)));
            self.begin_to_talk(next);
        }
        Wake { bytes: self.size, next: Some(next) }
    }

    fn datagrams(&self) -> Option<Datagrams> {
        Some(Datagrams { largest: self.size, are_answered: false })
    }

    fn writes(&self, until: Time) -> Option<Writes> {
        Some(Writes::regular(self.start, until, self.size, self.interval))
    }
}
