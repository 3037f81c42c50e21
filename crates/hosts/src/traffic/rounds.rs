//! Synchronized rounds of many senders: incast.

use longfat_foundation::config::Bytes;
use longfat_foundation::random::RandomSpan;
use longfat_foundation::units::{Span, Time};

use super::messages::Count;
use super::{Completions, Kind, Rounds, Source, Wake};

/// Name of the completion times of one sender's part of a round.
const OF_ONE: &str = "round, one sender";

longfat_foundation::model! {
    /// Synchronized rounds: in each, every sender with this traffic hands over a number of bytes, and the next round begins when all of
    /// them have been delivered, as where a client reads a block that is striped over servers (incast). All rounds of a sender are on
    /// one connection. Completion times are reported of rounds, from the first byte handed over to the last delivered, and of each
    /// sender's part.
    #[name = "rounds"]
    #[source = "Phanishayee et al. 2008, section 2 (synchronized reads); Vasudevan et al. 2009, section 2"]
    pub struct SynchronizedRounds: dyn Source {
        /// Bytes of each sender in a round.
        size: Bytes,
        /// How many rounds.
        count: Count = "unlimited",
        /// Time from the delivery of a round's last byte to the next round, such as the requests for it take: who is to send next is known
        /// at once, without a packet.
        pause: Span = "0 s",
        /// When the first round begins for a connection; "uniform(0 ms, 1 ms)" draws a time for each.
        start: RandomSpan = "0 s",
        /// Each connection begins the first round this much later than the one before.
        stagger: Span = "0 s",
    }
    build(config, context) {
        Box::new(Sender {
            rounds: Rounds { bytes: config.size.0, count: config.count.0, pause: config.pause },
            start: context.start(&config.start, config.stagger),
            begun: 0,
            since: Time::ZERO,
            parts: Kind::new(OF_ONE),
            delivered: 0,
        })
    }
}

/// One sender's part in the rounds.
struct Sender {
    rounds: Rounds,
    start: Time,
    /// How many rounds have begun, when the last of them has, and how many are delivered.
    begun: u64,
    since: Time,
    delivered: u64,
    parts: Kind,
}

impl Source for Sender {
    fn start(&self) -> Time {
        self.start
    }

    /// Begins the next round: the network wakes it when the one before is over.
    fn wake(&mut self, now: Time) -> Wake {
        self.begun += 1;
        self.since = now;
        self.parts.asked += 1;
        Wake { bytes: self.rounds.bytes, next: None }
    }

    fn size(&self) -> Option<u64> {
        self.rounds.count?.checked_mul(self.rounds.bytes)
    }

    fn rounds(&self) -> Option<Rounds> {
        Some(self.rounds)
    }

    fn is_told(&self) -> bool {
        true
    }

    fn note_delivered(&mut self, now: Time, delivered: u64) {
        if self.delivered < self.begun && delivered / self.rounds.bytes == self.begun {
            self.delivered = self.begun;
            self.parts.times.record(now - self.since);
        }
    }

    fn add_completions(&self, all: &mut Completions) {
        all.add(&self.parts);
    }

    fn forget_completions(&mut self) {
        self.parts.forget_arrived();
    }
}
