//! Messages on streams of their own. The second end asks and is the client: its requests arrive at 60 ms, behind a handshake of 40 ms.

use std::collections::BTreeMap;

use longfat_foundation::units::Time;
use proptest::prelude::*;

use super::super::frame::Frame;
use super::super::settings::{Pacing, Settings};
use super::{Bench, FOREVER, Fate, Logged, MS, ONE_WAY, settings};
use crate::end_system::{EndSystem, Message};
use crate::transport::Codepoint;

/// Every packet is acknowledged at once, and nothing is paced.
fn prompt() -> Settings {
    let mut prompt = Settings { pacing: Pacing::None, ..settings("\"newreno\"") };
    prompt.acknowledging.threshold = 1;
    prompt
}

/// A client that has asked for answers of these sizes, all at once, and a server.
struct Exchange {
    bench: Bench,
    sizes: Vec<u64>,
    takes_turns: bool,
    /// Milliseconds at which answers were whole, by stream.
    whole: BTreeMap<u64, u64>,
}

impl Exchange {
    fn of(settings: Settings, sizes: &[u64], takes_turns: bool) -> Self {
        let mut bench = Bench::new(settings, false);
        for stream in 1..=sizes.len() as u64 {
            bench.ends[1].send(Time(0), Message { stream, bytes: 100, takes_turns });
        }
        Self { bench, sizes: sizes.to_vec(), takes_turns, whole: BTreeMap::new() }
    }

    /// Goes on until all have their answers, or so many milliseconds; the server answers at once.
    fn carry(&mut self, until: u64, mut fate: impl FnMut(&Logged, u64) -> Fate) {
        for ms in self.bench.now / MS..until {
            self.bench.carry((ms + 1) * MS, |logged, number, _| fate(logged, number));
            while let Some(stream) = self.bench.ends[0].take_whole() {
                let place = usize::try_from(stream - 1).expect("a small number");
                let (bytes, takes_turns) = (self.sizes[place], self.takes_turns);
                self.bench.ends[0].send(Time(ms * MS), Message { stream, bytes, takes_turns });
            }
            while let Some(stream) = self.bench.ends[1].take_whole() {
                assert_eq!(self.whole.insert(stream, ms), None, "an answer is whole once");
            }
            if self.whole.len() == self.sizes.len() {
                return;
            }
        }
    }

    /// Streams of the frames with data that the server sent, in order.
    fn served(&self) -> Vec<u64> {
        self.frames(0).filter_map(|(_, frame)| stream_of(frame).map(|(stream, _)| stream)).collect()
    }

    fn frames(&self, from: usize) -> impl Iterator<Item = (u64, &Frame)> {
        let sent = self.bench.log.iter().filter(move |logged| logged.from == from);
        sent.flat_map(|logged| {
            logged.packets.iter().flat_map(|packet| &packet.frames).map(|frame| (logged.at / MS, frame))
        })
    }
}

/// Number of a stream of the client from 1, and the end of the data in a frame of one.
fn stream_of(frame: &Frame) -> Option<(u64, u64)> {
    match frame {
        Frame::Stream { id, range, .. } if id % 4 == 0 => Some((id / 4 + 1, range.1)),
        _ => None,
    }
}

fn all_arrive(_: &Logged, _: u64) -> Fate {
    Fate::Delayed(ONE_WAY, Codepoint::NotCapable)
}

/// Two answers of three packets leave at 60 ms by turns. The first packet is lost: the acknowledgment of the fourth, at 100 ms, tells, and what
/// was lost arrives at 120 ms. The other answer is whole at 80 ms.
#[test]
fn a_loss_holds_back_its_own_stream_alone() {
    for (lost, expected) in [(1, [120, 80]), (2, [80, 120])] {
        let mut exchange = Exchange::of(prompt(), &[3300, 3300], true);
        let mut is_lost = false;
        exchange.carry(1000, |logged, number| {
            let carries = |frame| stream_of(frame).is_some_and(|(stream, _)| stream == lost);
            let is_first = logged.from == 0 && logged.packets.iter().flat_map(|it| &it.frames).any(carries);
            if is_first && !std::mem::replace(&mut is_lost, true) { Fate::Lost } else { all_arrive(logged, number) }
        });
        assert_eq!([1, 2].map(|stream| exchange.whole[&stream]), expected, "{:#?}", exchange.bench.log);
    }
}

#[test]
fn answers_take_turns_or_follow_each_other() {
    let mut turns = Exchange::of(prompt(), &[3300, 3300, 600], true);
    turns.carry(1000, all_arrive);
    assert_eq!(turns.served()[..4], [1, 2, 3, 1], "{:?}", turns.served());
    let mut sequence = Exchange::of(prompt(), &[3300, 3300, 600], false);
    sequence.carry(1000, all_arrive);
    assert!(sequence.served().is_sorted(), "{:?}", sequence.served());
}

/// One stream at once: the answer of the first arrives at 80 ms, its acknowledgment at 100 ms, and with it the stream is over for the server. The
/// client may open the next at 120 ms, 80 ms after the first.
#[test]
fn a_client_opens_no_more_streams_than_it_may() {
    let mut one = Exchange::of(Settings { streams: 1, ..prompt() }, &[500, 500, 500], true);
    one.carry(1000, all_arrive);
    let asked: Vec<_> = one.frames(1).filter_map(|(ms, it)| stream_of(it).map(|(stream, _)| (ms, stream))).collect();
    assert_eq!(asked, [(40, 1), (120, 2), (200, 3)]);
    let told: Vec<_> = one.frames(1).filter(|(_, it)| matches!(it, Frame::StreamsBlocked(_))).collect();
    assert_eq!(told[0], (40, &Frame::StreamsBlocked(1)));
    assert_eq!(told.len(), 2, "once for each limit at which it is blocked");
}

/// A stream may have 3000 bytes under way, and all together 5000, until the client has read.
#[test]
fn a_stream_and_the_connection_have_limits_of_their_own() {
    let small = Settings { stream_window: 3000, connection_window: 5000, ..prompt() };
    for (sizes, under_way) in [(&[9000][..], 3000), (&[9000, 9000], 5000)] {
        let mut exchange = Exchange::of(small.clone(), sizes, true);
        exchange.carry(79, all_arrive);
        let mut ends = [0; 2];
        for (stream, end) in exchange.frames(0).filter_map(|(_, frame)| stream_of(frame)) {
            let place = usize::try_from(stream - 1).expect("a small number");
            ends[place] = end.max(ends[place]);
        }
        assert_eq!(ends.iter().sum::<u64>(), under_way, "{ends:?}");
        assert!(ends.iter().all(|end| *end <= 3000), "{ends:?}");
        exchange.carry(5000, all_arrive);
        assert_eq!(exchange.whole.len(), sizes.len());
    }
}

#[test]
fn the_last_frame_of_a_message_ends_its_stream() {
    let mut exchange = Exchange::of(prompt(), &[2000, 10], true);
    exchange.carry(1000, all_arrive);
    let last: Vec<_> = exchange
        .frames(0)
        .filter_map(|(_, frame)| match frame {
            Frame::Stream { id, range, is_last: true, .. } => Some((*id, range.1)),
            _ => None,
        })
        .collect();
    assert_eq!(last, [(4, 10), (0, 2000)]);
    assert_eq!(exchange.bench.ends[1].progress().delivered, 2010);
    assert_eq!(exchange.bench.ends[0].progress().offered, 2010);
}

/// Limits that the receiver of data has announced so far.
#[derive(Default)]
struct Announced {
    streams: BTreeMap<u64, u64>,
    connection: u64,
    number: u64,
}

/// Every frame stays within what the other end had announced when it was sent.
fn check_limits(log: &[Logged], of: &Settings) {
    let mut announced =
        [0, 1].map(|_| Announced { connection: of.connection_window, number: of.streams, ..Announced::default() });
    let mut ends: [BTreeMap<u64, u64>; 2] = Default::default();
    for logged in log {
        for frame in logged.packets.iter().flat_map(|packet| &packet.frames) {
            let own = &mut announced[logged.from];
            match frame {
                Frame::MaxData(limit) => own.connection = own.connection.max(*limit),
                Frame::MaxStreams(limit) => own.number = own.number.max(*limit),
                Frame::MaxStreamData(id, limit) => _ = own.streams.insert(*id, *limit),
                Frame::Stream { id, range, .. } => {
                    let peer = &announced[1 - logged.from];
                    let limit = peer.streams.get(id).copied().unwrap_or(of.stream_window);
                    assert!(range.1 <= limit, "{frame:?} beyond {limit}");
                    let ends = &mut ends[logged.from];
                    let end = ends.entry(*id).or_default();
                    *end = range.1.max(*end);
                    let sum: u64 = ends.values().sum();
                    assert!(sum <= peer.connection, "{sum} bytes beyond {}", peer.connection);
                    assert!(id % 4 != 0 || logged.from == 0 || id / 4 < peer.number, "{frame:?} of {}", peer.number);
                }
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn all_messages_arrive_within_all_limits_whatever_is_lost(
        sizes in prop::collection::vec(1_u64..30_000, 1..12),
        streams in 1_u64..6,
        windows in (2_000_u64..40_000, 2_000_u64..60_000),
        lost in prop::collection::vec(prop::bool::weighted(0.1), 50..90),
        takes_turns in any::<bool>(),
    ) {
        let small = Settings { streams, stream_window: windows.0, connection_window: windows.1, ..settings("\"cubic\"") };
        let mut exchange = Exchange::of(small.clone(), &sizes, takes_turns);
        exchange.carry(FOREVER / MS, |logged, number| {
            let place = usize::try_from(number).unwrap_or(0) * (1 + logged.from) % lost.len();
            if lost[place] { Fate::Lost } else { all_arrive(logged, number) }
        });
        prop_assert_eq!(exchange.whole.len(), sizes.len(), "{:?}", exchange.whole);
        check_limits(&exchange.bench.log, &small);
        let [near, far] = [0, 1].map(|end| exchange.bench.ends[end].progress());
        let total: u64 = sizes.iter().sum();
        prop_assert_eq!([near.offered, far.delivered, far.received_to], [total; 3]);
        prop_assert_eq!([far.offered, near.delivered], [100 * sizes.len() as u64; 2]);
        prop_assert_eq!(far.held, 0);
    }
}
