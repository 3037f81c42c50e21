//! A sender and a receiver connected by a path that delays, loses and reorders: every flavor with every parameter, checked at every step,
//! to the last byte.

mod channel;
mod receiver_laws;
mod scoreboard;
mod sender_laws;

use std::collections::BTreeMap;

use channel::{Channel, Nature};
use longfat_engine::random::Chance;
use longfat_engine::transport::flavor::with_defaults;
use longfat_engine::transport::recovery::ResponseToDuplicates;
use longfat_engine::transport::{Acknowledgment, Segment, Sender, SenderStatistics, TcpConfig, TickClock};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use receiver_laws::LawfulReceiver;
use sender_laws::LawfulSender;

use crate::laws::{any_tcp, longest_timeout, parse};
use crate::support::{may_pass_receiver_window, n_source};

/// Packets from the sender to the receiver.
#[derive(Clone, Copy, Debug)]
enum Forward {
    Synchronize { sent: Time },
    Data { sequence: u64, length: u64, sent: Time },
}

/// Packets from the receiver to the sender.
#[derive(Clone, Copy, Debug)]
enum Backward {
    Synchronized { sent: Time },
    Acknowledgment(Acknowledgment),
}

/// A transfer of data that is handed over in a few parts.
#[derive(Clone)]
struct Transfer {
    tcp: TcpConfig,
    text: String,
    there: Nature,
    back: Nature,
    /// Times and sizes of the parts, ascending.
    offers: Vec<(Time, u64)>,
    seed: u64,
    /// True to check nothing but that the fast paths do what the general one does.
    only_compares: bool,
}

impl std::fmt::Debug for Transfer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, there, back, offers, seed, .. } = self;
        write!(f, "\n{text}\nthere: {there:?}\nback: {back:?}\noffers: {offers:?}\nseed: {seed}")
    }
}

fn any_nature() -> impl Strategy<Value = Nature> {
    let delay = prop_oneof![1_u64..100, 100_u64..20_000];
    let jitter = prop_oneof![Just(0_u64), 0_u64..20_000];
    let loss_percent = prop_oneof![Just(0_u64), 0_u64..8, 8_u64..=40];
    (delay, jitter, loss_percent, prop::bool::weighted(0.3)).prop_map(|(delay, jitter, loss_percent, reorders)| {
        Nature {
            delay: Span::from_microseconds(delay),
            jitter: Span::from_microseconds(jitter),
            loss_percent,
            reorders,
        }
    })
}

fn any_offers() -> impl Strategy<Value = Vec<(Time, u64)>> {
    // Pauses longer than the longest timeout let a connection become idle.
    let pause = prop_oneof![0_u64..100, 100_u64..200_000];
    prop::collection::vec((pause, prop_oneof![1_u64..30, 1_u64..6_000]), 1..5).prop_map(|parts| {
        let mut now = Time::ZERO;
        let offer = |(pause, bytes)| {
            now += Span::from_microseconds(pause);
            (now, bytes)
        };
        parts.into_iter().map(offer).collect()
    })
}

fn any_transfer() -> impl Strategy<Value = Transfer> {
    (any_tcp(1..180), any_nature(), any_nature(), any_offers(), 0_u64..1_000_000).prop_filter_map(
        "some values exclude each other",
        |(tcp, there, back, offers, seed)| {
            let text = format!(
                "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport.buffer = \"unlimited\"\n\
                 topology = {{ kind = \"n-source\", sources = 1, access.delay = \"5 us\", bottleneck.delay = \"5 us\" \
                 }}\ntcp = {tcp}\n"
            );
            let tcp = parse(&text)?.tcp;
            // The laws are about what a sender does, and look at what leaves its host.
            let leaves_at_once = !text.contains("linux-fq");
            leaves_at_once.then_some(Transfer { tcp, text, there, back, offers, seed, only_compares: false })
        },
    )
}

/// A transfer in progress.
struct Course<'t> {
    now: Time,
    sender: LawfulSender<'t>,
    receiver: LawfulReceiver<'t>,
    there: Channel<Forward>,
    back: Channel<Backward>,
    offers: std::slice::Iter<'t, (Time, u64)>,
}

impl Transfer {
    /// Runs the transfer to the last acknowledgment.
    fn run(&self) -> Result<SenderStatistics, TestCaseError> {
        let mut chance = Chance { seed: self.seed, replication: 0 }.stream("clock");
        let clock = TickClock::new(self.tcp.timer_granularity.0, self.tcp.timer_phase, &mut chance);
        let mut course = Course {
            now: Time::ZERO,
            sender: LawfulSender::new(&self.tcp, self.only_compares, || Sender::new(&self.tcp, clock)),
            receiver: LawfulReceiver::new(&self.tcp),
            there: Channel::new(self.there, self.seed, "there"),
            back: Channel::new(self.back, self.seed, "back"),
            offers: self.offers.iter(),
        };
        let bytes: u64 = self.offers.iter().map(|offer| offer.1).sum();
        // Most timeouts deliver a segment even if both directions lose 40 %; a hundred for each is ample.
        let segments = bytes.div_ceil(self.tcp.mss.0) + self.offers.len() as u64;
        let longest = if self.only_compares { Span::from_microseconds(1_000_000) } else { longest_timeout(&self.tcp) };
        let patience = self.offers.last().expect("at least one").0 + Span(100 * segments * longest.0);
        while !(course.offers.as_slice().is_empty() && course.sender.is_done()) {
            prop_assert!(course.now < patience, "not done by {:?}", course.now);
            course.advance()?;
        }
        prop_assert_eq!(course.receiver.receiver.next(), bytes);
        Ok(*course.sender.sender.statistics())
    }
}

impl Course<'_> {
    /// Processes the next event.
    fn advance(&mut self) -> Result<(), TestCaseError> {
        let next = [
            self.offers.as_slice().first().map(|offer| offer.0),
            self.there.next_arrival(),
            self.back.next_arrival(),
            self.receiver.receiver.due(),
            self.sender.sender.expires(),
        ];
        let first = next.iter().flatten().min().copied();
        let now = first.ok_or_else(|| TestCaseError::fail("nothing will ever happen again"))?;
        prop_assert!(now >= self.now, "back in time, from {:?} to {now:?}", self.now);
        self.now = now;
        match next.iter().position(|time| *time == first).expect("it is one of them") {
            0 => self.offer(),
            1 => self.arrive_there(),
            2 => self.arrive_back(),
            3 => self.receiver.acknowledge_late(now).map(|acknowledgment| self.answer(acknowledgment)),
            _ => self.sender.expire(now).map(|segments| self.send(&segments)),
        }
    }

    fn offer(&mut self) -> Result<(), TestCaseError> {
        let &(_, bytes) = self.offers.next().expect("it is due");
        let segments = self.sender.offer(self.now, bytes)?;
        self.send(&segments);
        Ok(())
    }

    fn arrive_there(&mut self) -> Result<(), TestCaseError> {
        match self.there.receive() {
            Forward::Synchronize { sent } => self.back.send(self.now, Backward::Synchronized { sent }),
            Forward::Data { sequence, length, sent } => {
                if let Some(acknowledgment) = self.receiver.receive(self.now, sequence, length, sent)? {
                    self.answer(acknowledgment);
                }
            }
        }
        Ok(())
    }

    fn arrive_back(&mut self) -> Result<(), TestCaseError> {
        let segments = match self.back.receive() {
            Backward::Synchronized { sent } => self.sender.synchronized(self.now, sent)?,
            Backward::Acknowledgment(acknowledgment) => self.sender.acknowledge(self.now, acknowledgment)?,
        };
        self.send(&segments);
        Ok(())
    }

    fn answer(&mut self, acknowledgment: Acknowledgment) {
        self.back.send(self.now, Backward::Acknowledgment(acknowledgment));
    }

    fn send(&mut self, segments: &[Segment]) {
        for &Segment { sequence, length, synchronize, .. } in segments {
            let sent = self.now;
            let thing =
                if synchronize { Forward::Synchronize { sent } } else { Forward::Data { sequence, length, sent } };
            self.there.send(self.now, thing);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(9809),
        ..ProptestConfig::with_cases(1200)
    })]

    #[test]
    fn a_transfer_is_lawful_at_every_step_and_always_ends_whatever_the_path_loses(transfer in any_transfer()) {
        transfer.run()?;
    }
}

/// The laws above would hold on paths without losses; checks that these have some.
#[test]
fn random_transfers_make_every_flavor_lose_time_out_and_recover() {
    let may_recover: Vec<(&str, bool)> = with_defaults()
        .map(|(name, flavor)| {
            (name, flavor.recovery().build(&()).response_to_duplicates() != ResponseToDuplicates::None)
        })
        .collect();
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, (u64, u64)> = may_recover.iter().map(|&(name, _)| (name, (0, 0))).collect();
    let is_rare = |(timed_out, recovered): (u64, u64), recovers| timed_out < 10 || (recovers && recovered < 5);
    let mut left = 240 * may_recover.len();
    while let Some((rare, _)) = may_recover.iter().find(|(name, recovers)| is_rare(seen[name], *recovers)) {
        assert!(left > 0, "{rare}: {seen:?}");
        left -= 1;
        let transfer = any_transfer().new_tree(&mut runner).expect("a transfer can be drawn").current();
        let statistics = transfer.run().unwrap_or_else(|violation| panic!("{violation}{transfer:?}"));
        let counts = seen.entry(transfer.tcp.flavor.name()).or_default();
        counts.0 += u64::from(statistics.timeouts > 0);
        counts.1 += u64::from(statistics.fast_retransmits > 0);
    }
    for (name, _) in may_recover.iter().filter(|(_, recovers)| !recovers) {
        assert_eq!(seen[name].1, 0, "{name}");
    }
}

/// With RACK-TLP and, for BBR, the discipline `fq` at the host's interface.
#[test]
fn with_the_settings_of_linux_every_flavor_takes_fast_paths_that_give_what_the_general_one_does() {
    let ms = |milliseconds: u64| Span::from_microseconds(1000 * milliseconds);
    for (name, _) in with_defaults() {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport.buffer = \"unlimited\"\ntopology = {{ kind = \
             \"n-source\", sources = 1, access.delay = \"5 us\", bottleneck.delay = \"5 us\" }}\n\
             tcp = {{ preset = \"linux-6.12\", flavor = \"{name}\", mss = \"1000 B\", receiver_window = \"100 kB\" }}\n"
        );
        let tcp = parse(&text).unwrap_or_else(|| panic!("{name} under the preset")).tcp;
        let path = |loss_percent, jitter| Nature { delay: ms(20), jitter, loss_percent, reorders: false };
        for (loss, jitter) in [(0, 0), (0, 3), (1, 0), (5, 3)] {
            let transfer = Transfer {
                tcp: tcp.clone(),
                text: text.clone(),
                there: path(loss, ms(jitter)),
                back: path(loss / 2, ms(jitter)),
                offers: vec![
                    (Time::ZERO, 400_300),
                    (Time::ZERO + ms(30_000), 200_000),
                    (Time::ZERO + ms(30_100), 5000),
                ],
                seed: loss,
                only_compares: true,
            };
            transfer.run().unwrap_or_else(|violation| panic!("{violation}{transfer:?}"));
        }
    }
}

#[test]
fn a_recovery_may_pass_the_receivers_window_in_whatever_flavor_it_is() {
    let literal = "{ kind = 'sack', respects_receiver_window = false }";
    for (flavor, may_pass) in [
        ("'sack'".to_owned(), false),
        (literal.to_owned(), true),
        ("{ kind = 'cubic', recovery = 'sack' }".to_owned(), false),
        (format!("{{ kind = 'cubic', recovery = {literal} }}"), true),
    ] {
        let rest = format!("port.buffer = \"unlimited\"\ntcp.flavor = {flavor}");
        let tcp = n_source(1, "155.52 Mbit/s", "5 us", "1 s", &rest).tcp;
        assert_eq!(may_pass_receiver_window(&tcp), may_pass, "{flavor}");
    }
}
