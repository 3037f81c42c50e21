//! Two ends over an ideal line, or over one that loses, delays and marks as a test asks for.

mod streams;

use std::sync::Arc;

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::units::{Span, Time};
use proptest::prelude::*;

use super::frame::{Form, Frame};
use super::packet::{Kind, Packet};
use super::receiver::AckRules;
use super::settings::{Asked, AtReduction, Avoidance, Bundle, Burst, First, Marking, Pacing, Probe, Settings, Window};
use super::{End, Pair, Side};
use crate::end_system::{EndSystem, Parcel};
use crate::transport::Codepoint;
use crate::transport::flavor::FLAVORS;

const MS: u64 = 1_000_000_000;
const ONE_WAY: u64 = 20 * MS;
const FOREVER: u64 = 300_000 * MS;

fn read<P: Parameter>(text: &str) -> P {
    P::read(&parse_fragment(text), &mut Reader::default()).expect("a known name")
}

/// RFC 9002, with this window law.
fn settings(flavor: &str) -> Settings {
    Settings {
        packet_bytes: 1200,
        client_hello: 300,
        server_flight: 3000,
        has_early_data: false,
        initial_round_trip: Span(333 * MS),
        packet_threshold: 3,
        time_threshold: 1.125,
        persistent_congestion_threshold: 3,
        probe: Probe::Data,
        acknowledging: AckRules { threshold: 2, longest_delay: Span(25 * MS), reordering: 1, most_ranges: 64 },
        asked: None,
        flavor: read(flavor),
        slow_start_exit: read("\"by-flavor\""),
        resume: read("\"none\""),
        initial_window: 12_000,
        window: Window::Filled,
        at_reduction: AtReduction::OnePacket,
        avoidance: Avoidance::Shares,
        first: First::Losses,
        pacing: Pacing::Window,
        pacing_gain: 1.25,
        burst: Burst::InitialWindow,
        marking: Marking::None,
        stream_window: 1 << 20,
        connection_window: 1 << 21,
        streams: 100,
    }
}

/// A datagram that was sent: when, by which end, and what was in it.
#[derive(Clone, Debug)]
struct Logged {
    at: u64,
    from: usize,
    length: u64,
    packets: Vec<Packet>,
}

/// Fate of a datagram on the line: it is lost, or delayed and marked.
#[derive(Clone, Copy)]
enum Fate {
    Lost,
    Delayed(u64, Codepoint),
}

impl Logged {
    fn has_data(&self) -> bool {
        let mut frames = self.packets.iter().flat_map(|packet| &packet.frames);
        frames.any(|frame| matches!(frame, Frame::Stream { .. }))
    }
}

struct Bench {
    ends: [End; 2],
    now: u64,
    under_way: Vec<(u64, usize, Parcel)>,
    log: Vec<Logged>,
}

impl Bench {
    /// The first end has data, and is the client if it `opens`.
    fn new(settings: Settings, opens: bool) -> Self {
        let pair = Pair { name: "quic".into(), settings: Arc::new(settings) };
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        let near = if opens { Side::Client } else { Side::Server };
        let mut ends = [near, near.other()].map(|side| pair.end(side, &chance));
        ends.iter_mut().for_each(|end| end.begin(Time(0)));
        Self { ends, now: 0, under_way: Vec::new(), log: Vec::new() }
    }

    fn carry(&mut self, until: u64, mut fate: impl FnMut(&Logged, u64, Codepoint) -> Fate) {
        loop {
            for from in 0..2 {
                loop {
                    let (goes_beyond, before) =
                        (self.ends[from].goes_beyond_window(), self.ends[from].congestion.in_flight());
                    let Some(parcel) = self.ends[from].transmit(Time(self.now)) else { break };
                    let read = Packet::of_datagram(&parcel.contents, parcel.length, Form::Shortened);
                    let packets: Vec<_> = read.into_iter().map(|(packet, _)| packet).collect();
                    // Padding counts as in flight also beside nothing but acknowledgments, which a window does not hold back.
                    let goes_beyond = goes_beyond || !packets.iter().any(Packet::is_eliciting);
                    let congestion = &self.ends[from].congestion;
                    let is_within = congestion.in_flight() <= congestion.window.usable().max(before);
                    assert!(is_within || goes_beyond, "{} in flight, {before} before", congestion.in_flight());
                    assert_eq!(packets.iter().map(Packet::bytes).sum::<u64>(), parcel.length, "{packets:?}");
                    let logged = Logged { at: self.now, from, length: parcel.length, packets };
                    if let Fate::Delayed(delay, codepoint) = fate(&logged, parcel.number, parcel.codepoint) {
                        self.under_way.push((self.now + delay, 1 - from, Parcel { codepoint, ..parcel }));
                    }
                    self.log.push(logged);
                }
            }
            let timers = self.ends.iter_mut().filter_map(EndSystem::expires).map(|time| time.0.max(self.now)).min();
            let arrival = self.under_way.iter().map(|(time, ..)| *time).min();
            let Some(next) = timers.into_iter().chain(arrival).min().filter(|next| *next < until) else { return };
            self.now = next;
            if arrival == Some(next) {
                let first = self.under_way.iter().position(|(time, ..)| *time == next).expect("the first");
                let (_, to, parcel) = self.under_way.remove(first);
                self.ends[to].receive(Time(next), parcel);
            } else {
                for end in &mut self.ends {
                    if end.expires().is_some_and(|time| time.0 <= next) {
                        end.expire(Time(next));
                    }
                }
            }
        }
    }

    /// Carries everything, after so long.
    fn carry_all(&mut self, until: u64) {
        self.carry(until, |_, _, codepoint| Fate::Delayed(ONE_WAY, codepoint));
    }

    fn delivered(&self) -> u64 {
        self.ends[1].progress().delivered
    }

    /// Milliseconds at which an end has sent datagrams, and their sizes.
    fn sent_by(&self, from: usize) -> Vec<(u64, u64)> {
        self.log.iter().filter(|it| it.from == from).map(|it| (it.at / MS, it.length)).collect()
    }
}

#[test]
fn a_bundle_decides_what_is_left_to_it() {
    assert_eq!(Probe::ByBundle.settled(Bundle::Rfc9002), Probe::Data);
    assert_eq!(Probe::ByBundle.settled(Bundle::Quinn), Probe::Ping);
    assert_eq!(Probe::Data.settled(Bundle::Quinn), Probe::Data);
}

#[test]
fn all_that_was_handed_over_is_delivered_whoever_opens_the_connection() {
    for opens in [true, false] {
        let mut bench = Bench::new(settings("\"cubic\""), opens);
        bench.ends[0].offer(Time(0), 100_000);
        bench.carry_all(FOREVER);
        assert_eq!(bench.delivered(), 100_000, "{:#?}", bench.log);
        assert_eq!(bench.ends[0].progress().sent.segments_retransmitted, 0);
        assert_eq!(bench.ends[0].congestion.in_flight(), 0);
    }
}

/// A round trip of 40 ms: hello, flight of the server in three datagrams, which the limit of three times 1200 bytes allows, then data.
#[test]
fn the_handshake_takes_a_round_trip_and_early_data_none() {
    let mut bench = Bench::new(settings("\"cubic\""), true);
    bench.ends[0].offer(Time(0), 1000);
    bench.carry_all(FOREVER);
    let (client, server) = (bench.sent_by(0), bench.sent_by(1));
    assert_eq!(client[0], (0, 1200), "the hello is padded");
    assert_eq!(server.iter().take_while(|(at, _)| *at == 20).map(|(_, length)| length).sum::<u64>().div_ceil(1200), 3);
    let first_data = |bench: &Bench| {
        let first = bench.log.iter().find(|it| it.has_data());
        first.map(|it| (it.at / MS, it.packets.last().map(|packet| packet.kind)))
    };
    assert_eq!(first_data(&bench), Some((40, Some(Kind::OneRoundTrip))));
    let mut early = Bench::new(Settings { has_early_data: true, ..settings("\"cubic\"") }, true);
    early.ends[0].offer(Time(0), 1000);
    early.carry_all(FOREVER);
    assert_eq!(first_data(&early), Some((0, Some(Kind::ZeroRoundTrip))));
    assert_eq!(early.delivered(), 1000);
}

/// The server has 5000 bytes to say and may say 3600 before it hears from the client again.
#[test]
fn a_server_sends_three_times_what_it_has_received_until_the_client_is_known() {
    let mut bench = Bench::new(Settings { server_flight: 5000, ..settings("\"cubic\"") }, false);
    bench.ends[0].offer(Time(0), 10_000);
    bench.carry_all(FOREVER);
    let first: u64 = bench.sent_by(0).iter().filter(|(at, _)| *at < 60).map(|(_, length)| length).sum();
    assert_eq!(first, 3600);
    assert_eq!(bench.delivered(), 10_000);
}

/// Nothing arrives: the client says hello again after 999 ms, twice at once, then after twice and four times as long (RFC 9002 section 6.2).
#[test]
fn probe_timeouts_double() {
    let mut bench = Bench::new(settings("\"cubic\""), true);
    bench.carry(8000 * MS, |_, _, _| Fate::Lost);
    let times: Vec<_> = bench.sent_by(0).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [0, 999, 999, 2997, 2997, 6993, 6993]);
}

/// The first window of 10 packets, the last three of which are lost: nothing tells, until the probe timeout has data sent again, of which the
/// acknowledgment shows the losses.
#[test]
fn a_probe_repairs_the_loss_of_a_tail() {
    let mut bench = Bench::new(settings("\"newreno\""), true);
    bench.ends[0].offer(Time(0), 9000);
    let mut data = 0;
    bench.carry(FOREVER, |logged, _, codepoint| {
        let is_data = logged.has_data();
        data += u64::from(is_data);
        if is_data && (6..=8).contains(&data) { Fate::Lost } else { Fate::Delayed(ONE_WAY, codepoint) }
    });
    assert_eq!(bench.delivered(), 9000, "{:#?}", bench.log);
    let sent = bench.ends[0].progress().sent;
    assert_eq!((sent.timeouts, sent.fast_retransmits), (1, 1));
}

/// Marks reduce the window as a loss does, once in a round trip, and nothing is sent again.
#[test]
fn marks_reduce_the_window_once_in_a_round_trip() {
    let mut bench =
        Bench::new(Settings { marking: Marking::Classic, pacing: Pacing::None, ..settings("\"newreno\"") }, true);
    bench.ends[0].offer(Time(0), 1_000_000);
    bench.carry(FOREVER, |logged, _, codepoint| {
        let is_marked = logged.from == 0 && (100 * MS..140 * MS).contains(&logged.at) && codepoint.is_capable();
        Fate::Delayed(ONE_WAY, if is_marked { Codepoint::CongestionExperienced } else { codepoint })
    });
    let sent = bench.ends[0].progress().sent;
    assert_eq!((sent.reductions_for_marks, sent.fast_retransmits, sent.segments_retransmitted), (1, 0, 0));
    assert_eq!(bench.delivered(), 1_000_000);
}

/// A path that removes codepoints: the sender stops to use them (RFC 9000 section 13.4.2).
#[test]
fn a_path_that_bleaches_ends_the_use_of_codepoints() {
    let mut bench = Bench::new(Settings { marking: Marking::Classic, ..settings("\"cubic\"") }, true);
    bench.ends[0].offer(Time(0), 100_000);
    let mut last = Codepoint::Classic;
    bench.carry(FOREVER, |logged, _, codepoint| {
        last = if logged.from == 0 { codepoint } else { last };
        Fate::Delayed(ONE_WAY, Codepoint::NotCapable)
    });
    assert_eq!((last, bench.delivered()), (Codepoint::NotCapable, 100_000));
}

/// 10,000 bytes may be under way to the receiver's application; limits are raised as it reads.
#[test]
fn a_receiver_allows_a_window_beyond_what_it_has_read() {
    let small = Settings { stream_window: 10_000, pacing: Pacing::None, ..settings("\"cubic\"") };
    let mut bench = Bench::new(small, true);
    bench.ends[0].offer(Time(0), 200_000);
    let mut most = 0;
    let mut ends = Vec::new();
    bench.carry(FOREVER, |logged, _, codepoint| {
        for frame in logged.packets.iter().flat_map(|packet| &packet.frames) {
            if let Frame::Stream { range, .. } = frame {
                ends.push((logged.at, range.1));
                most = most.max(range.1);
            }
        }
        Fate::Delayed(ONE_WAY, codepoint)
    });
    assert_eq!(bench.delivered(), 200_000);
    let first: Vec<_> = ends.iter().filter(|(at, _)| *at < 80 * MS).map(|(_, end)| *end).collect();
    assert_eq!(first.last(), Some(&10_000));
}

/// Slow start in rounds of 40 ms without pacing, each packet acknowledged: 12,000 bytes, the first of them 110 with the last message of the
/// handshake, whose packets count no more when it is over. So 11,890 are acknowledged, and 23,890 bytes are 19 packets; then 46,690 are 38.
#[test]
fn the_window_doubles_in_slow_start_and_halves_after_a_loss() {
    let mut unpaced = Settings { pacing: Pacing::None, ..settings("\"newreno\"") };
    unpaced.acknowledging.threshold = 1;
    let mut bench = Bench::new(unpaced, true);
    bench.ends[0].offer(Time(0), u64::MAX);
    let mut count = 0;
    bench.carry(190 * MS, |logged, _, codepoint| {
        count += u64::from(logged.from == 0);
        if count == 60 { Fate::Lost } else { Fate::Delayed(ONE_WAY, codepoint) }
    });
    let round = |at: u64| bench.log.iter().filter(|it| it.from == 0 && it.at / MS == at && it.has_data()).count();
    assert_eq!([40, 80, 120].map(round), [10, 19, 38]);
    let progress = bench.ends[0].progress().sent;
    assert_eq!(progress.fast_retransmits, 1);
    let (window, peak) = (bench.ends[0].congestion.window.cwnd, progress.max_cwnd);
    assert!((window - peak / 2.0).abs() < 3.0 * 1200.0, "{window} of {peak}");
}

/// Every law carries a transfer over a path with losses, and keeps what is in flight below its window unless it probes.
#[test]
fn every_window_law_carries_data() {
    for entry in FLAVORS.iter().filter(|entry| entry.name != crate::transport::flavor::EXTERNAL) {
        let mut bench = Bench::new(settings(&format!("\"{}\"", entry.name)), true);
        bench.ends[0].offer(Time(0), 2_000_000);
        bench.carry(FOREVER, |logged, number, codepoint| {
            let is_lost = logged.from == 0 && number % 97 == 50;
            if is_lost { Fate::Lost } else { Fate::Delayed(ONE_WAY, codepoint) }
        });
        assert_eq!(bench.delivered(), 2_000_000, "{}", entry.name);
    }
}

/// A draw of 0 to 999 from a seed and a count.
fn draw(seed: u64, count: u64) -> u64 {
    let mut mixed = seed.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) % 1000
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every byte arrives once and in order, whatever is lost, late or marked; a packet is acknowledged only if it has arrived; and no packet
    /// but a probe goes beyond the window.
    #[test]
    fn data_arrives_over_any_line(
        seed in any::<u64>(), lost in 0_u64..300, late in 0_u64..300, marked in 0_u64..100, opens in any::<bool>(), early in any::<bool>(),
        bytes in 1_u64..400_000, law in 0_usize..4, stream_window in 3000_u64..200_000,
    ) {
        let law = ["\"newreno\"", "\"cubic\"", "\"bbr\"", "\"bbr3\""][law];
        let mut bench = Bench::new(
            Settings { has_early_data: early, stream_window, marking: Marking::Classic, ..settings(law) }, opens);
        bench.ends[0].offer(Time(0), bytes);
        let mut count = 0;
        let mut arrived: [std::collections::BTreeSet<(u8, u64)>; 2] = Default::default();
        let mut unsound = None;
        bench.carry(FOREVER, |logged, _, codepoint| {
            count += 1;
            for packet in &logged.packets {
                let space = packet.kind as u8;
                let space = if packet.kind == Kind::ZeroRoundTrip { Kind::OneRoundTrip as u8 } else { space };
                for frame in &packet.frames {
                    if let Frame::Ack(ack) = frame {
                        let unknown = ack.ranges.iter().flat_map(|range| range.0..range.1).find(|number| {
                            !arrived[1 - logged.from].contains(&(space, *number))
                        });
                        unsound = unsound.or(unknown);
                    }
                }
            }
            // Everything gets through in the end.
            if draw(seed, count) < lost && count < 3000 {
                return Fate::Lost;
            }
            for packet in &logged.packets {
                let space = if packet.kind == Kind::ZeroRoundTrip { Kind::OneRoundTrip as u8 } else { packet.kind as u8 };
                arrived[logged.from].insert((space, packet.number));
            }
            let delay = if draw(seed ^ 1, count) < late { draw(seed ^ 2, count) * MS / 10 } else { 0 };
            let is_marked = codepoint.is_capable() && draw(seed ^ 3, count) < marked;
            Fate::Delayed(ONE_WAY + delay, if is_marked { Codepoint::CongestionExperienced } else { codepoint })
        });
        prop_assert_eq!(unsound, None);
        prop_assert_eq!(bench.delivered(), bytes);
        let far = bench.ends[1].progress();
        prop_assert_eq!((far.received_to, far.held), (bytes, 0));
    }
}

/// 1 MB, as an earlier connection had in flight: the jump to half of it saves round trips.
#[test]
fn careful_resume_saves_round_trips() {
    let last_data = |resume: &str| {
        let wide = Settings { stream_window: 1 << 24, connection_window: 1 << 24, ..settings("\"cubic\"") };
        let mut bench = Bench::new(Settings { resume: read(resume), ..wide }, true);
        bench.ends[0].offer(Time(0), 1_000_000);
        bench.carry_all(FOREVER);
        assert_eq!(bench.delivered(), 1_000_000);
        bench.log.iter().filter(|it| it.has_data()).map(|it| it.at / MS).max()
    };
    let [without, with] =
        ["\"none\"", "{ kind = \"careful-resume\", saved_cwnd = \"1 MB\", saved_rtt = \"40 ms\" }"].map(last_data);
    assert!(without >= with.map(|with| with + 80), "{without:?}, {with:?}");
}

/// Each subset of the first six datagrams of an end is lost: no end waits for the other for ever, whatever of the handshake is lost.
#[test]
fn every_loss_of_a_packet_of_the_handshake_is_repaired() {
    for (opens, early) in [(true, false), (true, true), (false, false)] {
        for from in 0..2 {
            for lost in 0..64_u64 {
                let mut bench = Bench::new(Settings { has_early_data: early, ..settings("\"newreno\"") }, opens);
                bench.ends[0].offer(Time(0), 30_000);
                bench.carry(FOREVER, |logged, number, codepoint| {
                    let is_lost = logged.from == from && number < 6 && lost >> number & 1 == 1;
                    if is_lost { Fate::Lost } else { Fate::Delayed(ONE_WAY, codepoint) }
                });
                assert_eq!(bench.delivered(), 30_000, "opens {opens}, early {early}, {from} loses {lost:b}");
            }
        }
    }
}

/// Asked to acknowledge every tenth packet, the receiver sends far fewer acknowledgments.
#[test]
fn a_sender_that_asks_gets_fewer_acknowledgments() {
    let [two, ten] = [None, Some(Asked { packets: 10, delay: Span(25 * MS), reordering: 3 })].map(|asked| {
        let mut bench = Bench::new(Settings { asked, ..settings("\"cubic\"") }, true);
        bench.ends[0].offer(Time(0), 1_000_000);
        bench.carry_all(FOREVER);
        assert_eq!(bench.delivered(), 1_000_000);
        bench.sent_by(1).len()
    });
    assert!(4 * ten < 3 * two, "{ten} and {two}");
}

/// Nothing arrives for three seconds, far more than three probe timeouts of about 65 ms: the window is two packets then. A gap of 50 ms is a loss
/// like others.
#[test]
fn congestion_persists_if_nothing_arrives_for_three_probe_timeouts() {
    for (gap_ms, times) in [(3000, 1), (50, 0)] {
        let mut bench = Bench::new(settings("\"newreno\""), true);
        bench.ends[0].offer(Time(0), 2_000_000);
        bench.carry(FOREVER, |logged, _, codepoint| {
            let is_lost = logged.from == 0 && (300 * MS..(300 + gap_ms) * MS).contains(&logged.at);
            if is_lost { Fate::Lost } else { Fate::Delayed(ONE_WAY, codepoint) }
        });
        assert_eq!(bench.delivered(), 2_000_000);
        assert_eq!(bench.ends[0].congestion.persistent, times, "a gap of {gap_ms} ms");
    }
}
