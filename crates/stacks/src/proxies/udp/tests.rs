//! Connections over two proxies: legs of 5, 20 and 5 ms with no end of rate.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::datagrams::plain;
use longfat_hosts::end_system::{EndSystem, Parcel};
use longfat_hosts::traffic::Datagrams;

use super::{Connection, Relay, Side, UdpProxies};
use crate::Stack;

const LEGS: [u64; 3] = [5_000, 20_000, 5_000];
const BUFFER: u64 = 100_000;

fn read<P: Parameter>(text: &str) -> P {
    let mut reader = Reader::default();
    P::read(&parse_fragment(text), &mut reader).unwrap_or_else(|| panic!("{:?}", reader.problems))
}

/// A packet: when it leaves, the node that it leaves (0 and 3 are hosts), where it goes, and its bytes.
type Departure = (Time, usize, usize, u64);

struct Bench {
    ends: [Box<dyn EndSystem>; 2],
    relays: [Box<dyn Relay>; 2],
    under_way: Vec<(Time, usize, usize, Parcel)>,
    log: Vec<Departure>,
    now: Time,
}

impl Bench {
    /// A connection of `stack`, or of plain datagrams, with these proxies.
    fn new(udp: &str, stack: Option<&str>) -> Self {
        let (udp, chance) = (read::<Chosen<dyn UdpProxies>>(udp), Chance { seed: 1, replication: 0 });
        let stack = stack.map(|stack| read::<Chosen<dyn Stack>>(stack).build(&()));
        let largest = stack.as_ref().map_or(1200, |stack| stack.largest_packet());
        let connection = Connection { stack: stack.as_deref(), largest, buffer: BUFFER };
        let udp = udp.build(&());
        assert_eq!(udp.objection(&connection), None);
        let relayed = udp.relayed(&connection, &|part| chance.stream(part)).expect("it does not pass");
        let whole = || match &stack {
            Some(stack) => stack.ends(chance.stream("whole")).expect("a stack of its own"),
            None => plain(Datagrams { largest: 1200, are_answered: true }),
        };
        let mut ends = relayed.ends.unwrap_or_else(whole);
        ends.iter_mut().for_each(|end| end.begin(Time::ZERO));
        Self { ends, relays: relayed.relays, under_way: Vec::new(), log: Vec::new(), now: Time::ZERO }
    }

    fn send_all(&mut self, is_lost: &impl Fn(usize, usize, u64) -> bool) {
        let mut sent: Vec<(usize, usize, Parcel)> = Vec::new();
        for (node, end) in [(0, 0), (3, 1)] {
            while let Some(parcel) = self.ends[end].transmit(self.now) {
                sent.push((node, if node == 0 { 1 } else { 2 }, parcel));
            }
        }
        for (node, relay) in [(1, 0), (2, 1)] {
            while let Some((side, parcel)) = self.relays[relay].transmit(self.now) {
                let to = if (side == Side::Host) == (node == 1) { node - 1 } else { node + 1 };
                sent.push((node, to, parcel));
            }
        }
        for (from, to, parcel) in sent {
            self.log.push((self.now, from, to, parcel.length));
            let before = self.log.iter().filter(|(_, one, other, _)| (*one, *other) == (from, to)).count() as u64 - 1;
            if !is_lost(from, to, before) {
                let arrival = self.now + Span::from_microseconds(LEGS[from.min(to)]);
                self.under_way.push((arrival, from, to, parcel));
            }
        }
    }

    /// Carries packets until nothing happens any more, or for a minute. Those are lost of which `is_lost` says so, by nodes and number.
    fn run(&mut self, is_lost: impl Fn(usize, usize, u64) -> bool) {
        loop {
            self.send_all(&is_lost);
            let timers = self.ends.iter_mut().filter_map(|end| end.expires());
            let timers = timers.chain(self.relays.iter_mut().filter_map(|relay| relay.expires())).min();
            let arrival = self.under_way.iter().map(|(time, ..)| *time).min();
            let Some(next) = timers.map(|time| time.max(self.now)).into_iter().chain(arrival).min() else { return };
            if next > Time::ZERO + Span::from_microseconds(60_000_000) {
                return;
            }
            self.now = next;
            if arrival == Some(next) {
                let first = self.under_way.iter().position(|(time, ..)| *time == next).expect("the first");
                let (_, from, to, parcel) = self.under_way.remove(first);
                match to {
                    0 | 3 => _ = self.ends[to / 3].receive(next, parcel),
                    _ => {
                        let side = if from.abs_diff(to) == 1 && from * to == 2 { Side::Line } else { Side::Host };
                        self.relays[to - 1].receive(next, side, parcel);
                    }
                }
                continue;
            }
            let is_due = |due: Option<Time>| due.is_some_and(|due| due <= next);
            self.ends
                .iter_mut()
                .filter_map(|end| is_due(end.expires()).then_some(end))
                .for_each(|end| end.expire(next));
            for relay in &mut self.relays {
                if is_due(relay.expires()) {
                    relay.expire(next);
                }
            }
        }
    }

    /// Bytes of the packets from one node to another, in order.
    fn bytes(&self, from: usize, to: usize) -> Vec<u64> {
        self.log.iter().filter(|(_, one, other, _)| (*one, *other) == (from, to)).map(|(.., bytes)| *bytes).collect()
    }
}

const NONE: fn(usize, usize, u64) -> bool = |_, _, _| false;
const QUIC: &str = "{ kind = \"quic\", flavor = \"cubic\" }";

/// Settings of a tunnel whose server needs no more than three times what it has received: the handshake is a round trip.
const SHORT: &str = "server_flight = \"1000 B\"";

fn tunnel(quic: &str, more: &str) -> String {
    format!("{{ kind = \"connect-udp\", quic = {{ {SHORT}{quic} }}{more} }}")
}

/// By hand: a short header of 1 byte, a connection ID of 8, a packet number of 1 or 2, a DATAGRAM frame with a length of 2 bytes (3), the
/// request's stream and the context (2), 1000 bytes, and a tag of 16: 1031 bytes with a number of 1. There is one packet for each, and it comes
/// out as it went in.
#[test]
fn a_tunnel_adds_31_bytes_to_a_packet_of_1000() {
    let mut bench = Bench::new(&tunnel("", ""), None);
    // The first shares its datagram with the end of the handshake.
    bench.ends[0].offer(Time::ZERO, 1000);
    bench.run(NONE);
    bench.log.clear();
    for _ in 0..5 {
        bench.ends[0].offer(bench.now, 1000);
    }
    bench.run(NONE);
    let large: Vec<_> = bench.bytes(1, 2).into_iter().filter(|bytes| *bytes > 1000).collect();
    assert_eq!(large, [1031; 5]);
    assert_eq!(
        (bench.bytes(0, 1), bench.bytes(2, 3), bench.bytes(1, 0)),
        (vec![1000; 5], vec![1000; 5], vec![1000; 5])
    );
    assert_eq!(bench.relays.iter().map(|relay| relay.datagrams_inside()).sum::<i64>(), 0);
}

/// By hand: the first packet waits for the handshake of the tunnel, a round trip of 40 ms over the line. It reaches the host after 5 + 40 + 20 + 5
/// ms.
#[test]
fn the_first_packet_waits_for_the_handshake_of_the_tunnel() {
    let mut bench = Bench::new(&tunnel("", ""), None);
    bench.ends[0].offer(Time::ZERO, 1000);
    bench.run(NONE);
    let handed_out = bench.log.iter().find(|(_, from, to, _)| (*from, *to) == (2, 3)).expect("it arrives");
    assert_eq!(handed_out.0, Time::ZERO + Span::from_microseconds(65_000));
}

/// By hand: a window of 12000 bytes lets 11 packets of 1031 bytes go, less what of the handshake is in flight. 20 packets need a second round trip; without
/// congestion control all of them go at once.
#[test]
fn the_window_of_a_tunnel_holds_datagrams_back_unless_they_are_exempt() {
    let first_round = |settings: &str| {
        let mut bench = Bench::new(settings, None);
        for _ in 0..20 {
            bench.ends[0].offer(Time::ZERO, 1000);
        }
        bench.run(NONE);
        assert_eq!(bench.bytes(2, 3).len(), 20);
        let until = Time::ZERO + Span::from_microseconds(45_000);
        bench
            .log
            .iter()
            .filter(|(at, from, to, bytes)| *at <= until && (*from, *to) == (1, 2) && *bytes == 1031)
            .count()
    };
    let held = first_round(&tunnel(", pacing = \"none\"", ""));
    assert!((9..=11).contains(&held), "{held}");
    assert_eq!(first_round(&tunnel("", ", congestion_control = false")), 19, "and one with the end of the handshake");
}

/// By hand: of ten packets of 1002 bytes a queue of 5000 keeps four until the handshake is over. Six are dropped, and nobody sends them again.
#[test]
fn what_exceeds_the_queue_of_a_tunnel_is_dropped() {
    let mut bench = Bench::new(&tunnel("", ", queue = \"5000 B\""), None);
    for _ in 0..10 {
        bench.ends[0].offer(Time::ZERO, 1000);
    }
    bench.run(NONE);
    assert_eq!(bench.bytes(2, 3).len(), 4);
    assert_eq!(bench.relays[0].datagrams_inside() + bench.relays[1].datagrams_inside(), 0);
}

/// A tunnel repairs nothing: the hosts' QUIC sends again. Between split connections the line's does, and the hosts' never.
#[test]
fn losses_on_the_line_are_repaired_by_hosts_through_a_tunnel_and_by_proxies_that_split() {
    for (udp, stack) in [
        ("\"connect-udp\"", QUIC),
        ("{ kind = \"connect-udp\", congestion_control = false }", "{ kind = \"quinn\", largest_mtu = \"1200 B\" }"),
        ("\"split-quic\"", QUIC),
        ("{ kind = \"split-quic\", quic = { flavor = \"bbr\" } }", "{ kind = \"quic\", opened_by = \"receiver\" }"),
    ] {
        let mut bench = Bench::new(udp, Some(stack));
        bench.ends[0].offer(Time::ZERO, 300_000);
        bench.run(|from, to, number| (from, to) == (1, 2) && number % 23 == 20);
        let (near, far) = (bench.ends[0].progress(), bench.ends[1].progress());
        assert_eq!(far.delivered, 300_000, "{udp}");
        assert_eq!(near.sent.segments_retransmitted > 0, udp.contains("connect"), "{udp}: {near:?}");
        assert!(bench.relays.iter().all(|relay| relay.most_kept().is_none_or(|most| most <= BUFFER)), "{udp}");
    }
}

/// The line loses all for a second: no proxy takes more than its buffer, and all arrives in the end.
#[test]
fn flow_control_keeps_away_what_a_buffer_has_no_room_for() {
    let mut bench =
        Bench::new("\"split-quic\"", Some("{ kind = \"quic\", flavor = \"cubic\", initial_window = \"400 kB\" }"));
    bench.ends[0].offer(Time::ZERO, 1_000_000);
    bench.run(|from, to, number| (from, to) == (1, 2) && (20..40).contains(&number));
    assert_eq!(bench.ends[1].progress().delivered, 1_000_000);
    let most: Vec<_> = bench.relays.iter().filter_map(|relay| relay.most_kept()).collect();
    assert!(most[0] <= BUFFER && most[0] > BUFFER - 2 * 1200 && most[1] <= BUFFER, "{most:?}");
}

#[test]
fn connections_that_proxies_cannot_serve_are_told_why() {
    let objection = |udp: &str, stack: Option<&str>, largest: u64, buffer: u64| {
        let stack = stack.map(|stack| read::<Chosen<dyn Stack>>(stack).build(&()));
        read::<Chosen<dyn UdpProxies>>(udp).build(&()).objection(&Connection {
            stack: stack.as_deref(),
            largest,
            buffer,
        })
    };
    let assert_says =
        |told: Option<String>, words: &str| assert!(told.as_ref().is_some_and(|it| it.contains(words)), "{told:?}");
    assert_says(objection("\"split-quic\"", Some("\"quinn\""), 1200, BUFFER), "stack \"quic\" alone");
    assert_says(objection("\"split-quic\"", Some(QUIC), 1200, 2000), "at least two packets, 2400 B");
    assert_says(objection("\"connect-udp\"", Some("\"smoltcp\""), 1200, BUFFER), "carries UDP");
    // 1 + 8 + 4 bytes of the header, 16 of the tag, 3 of the frame and 2 of HTTP.
    assert_eq!(objection("\"connect-udp\"", Some(QUIC), 1452 - 34, BUFFER), None);
    assert_says(objection("\"connect-udp\"", Some(QUIC), 1452 - 33, BUFFER), "packet_size of 1453 B at least");
    assert_says(objection("{ kind = \"connect-udp\", queue = \"1 kB\" }", None, 1200, BUFFER), "at least 1202 B");
}
