//! The ends of TCP, asked as plugs: what leaves one is handed to the other.

use longfat_foundation::units::Time;

use super::*;
use crate::end_system::EndSystem;
use crate::transport::{TimerPhase, option_bytes};

const MS: u64 = 1_000_000_000;

fn pair(settings: &str, room: Option<u64>) -> (Sending, Receiving) {
    let tcp = TcpConfig::written(&format!("{{ mss = \"1000 B\", {settings} }}"));
    let clock =
        TickClock::with_chance(tcp.timer_granularity.0, TimerPhase::Common, || unreachable!("nothing is drawn"));
    ends(&tcp, clock, room)
}

fn sent(end: &mut impl EndSystem<Segments>, now: Time) -> Vec<Leaving> {
    std::iter::from_fn(|| end.transmit(now)).collect()
}

/// Hands packets over, with this codepoint.
fn take(end: &mut impl EndSystem<Segments>, now: Time, packets: &[Leaving], codepoint: Codepoint) -> u64 {
    let mut brought = 0;
    for Leaving { signal, window, .. } in packets {
        let signal = match signal {
            Signal::Acknowledgment(acknowledgment) => Signal::Acknowledgment(acknowledgment),
            &Signal::Data { sequence, length, sent, reduced } => Signal::Data { sequence, length, sent, reduced },
            &Signal::Synchronize { sent } => Signal::Synchronize { sent },
            &Signal::Synchronized { sent } => Signal::Synchronized { sent },
        };
        brought += end.receive(now, Arriving { signal, codepoint, window: window.unwrap_or(0) }).new;
    }
    brought
}

fn acknowledged(packets: &[Leaving]) -> Vec<u64> {
    let next = |packet: &Leaving| match &packet.signal {
        Signal::Acknowledgment(acknowledgment) => Some(acknowledgment.next),
        _ => None,
    };
    packets.iter().filter_map(next).collect()
}

#[test]
fn a_connection_is_opened_and_delivers_what_was_offered() {
    let (mut near, mut far) = pair("handshake = true, receiver_window = \"64000 B\"", None);
    near.offer(Time(0), 5500);
    let opening = sent(&mut near, Time(0));
    assert_eq!(opening.len(), 1);
    assert_eq!((opening[0].signal, opening[0].option_bytes), (Signal::Synchronize { sent: Time(0) }, 12));
    let mut now = Time(0);
    let mut packets = opening;
    for _ in 0..10 {
        now = Time(now.0 + 10 * MS);
        take(&mut far, now, &packets, Codepoint::NotCapable);
        let answers = sent(&mut far, now);
        now = Time(now.0 + 10 * MS);
        take(&mut near, now, &answers, Codepoint::NotCapable);
        packets = sent(&mut near, now);
    }
    let progress = far.progress();
    assert_eq!((progress.delivered, progress.received_to, progress.held), (5500, 5500, 0));
    assert_eq!((near.progress().offered, near.acknowledged()), (5500, 5500));
    assert_eq!((near.waits().expires, far.expires()), (None, None), "nothing is left to do");
    assert_eq!(option_bytes::SYNCHRONIZE, 12);
}

#[test]
fn what_had_arrived_before_a_mark_is_acknowledged_first() {
    let settings = "flavor = \"dctcp\", ecn = \"per-segment\", acknowledgments = \"delayed\", receiver_window = \"64000 B\", initial_window = \"2000 B\"";
    let (mut near, mut far) = pair(settings, None);
    near.offer(Time(0), 2000);
    let data = sent(&mut near, Time(0));
    assert_eq!(data.iter().map(|packet| packet.codepoint).collect::<Vec<_>>(), [Codepoint::Classic; 2]);
    take(&mut far, Time(MS), &data[..1], Codepoint::Classic);
    assert!(sent(&mut far, Time(MS)).is_empty() && far.expires().is_some(), "the first acknowledgment is delayed");
    take(&mut far, Time(2 * MS), &data[1..], Codepoint::CongestionExperienced);
    let answers = acknowledged(&sent(&mut far, Time(2 * MS)));
    assert_eq!(answers[0], 1000, "RFC 8257 section 3.2");
}

#[test]
fn a_proxy_advertises_its_room_and_tells_when_there_is_more() {
    let (mut near, mut far) = pair("receiver_window = \"4000 B\", initial_window = \"4000 B\"", Some(4000));
    near.offer(Time(0), u64::MAX);
    let data = sent(&mut near, Time(0));
    assert_eq!(take(&mut far, Time(MS), &data, Codepoint::NotCapable), 4000);
    let answers = sent(&mut far, Time(MS));
    assert_eq!(answers.last().and_then(|answer| answer.window), Some(0), "the buffer is full");
    take(&mut near, Time(2 * MS), &answers, Codepoint::NotCapable);
    assert_eq!((sent(&mut near, Time(2 * MS)).len(), near.known_room()), (0, Some(4000)));
    far.hold(3500);
    assert!(sent(&mut far, Time(3 * MS)).is_empty(), "less than a segment is not worth a packet");
    far.hold(2000);
    let update = sent(&mut far, Time(4 * MS));
    assert_eq!((acknowledged(&update), update[0].window), (vec![4000], Some(2000)));
    take(&mut near, Time(5 * MS), &update, Codepoint::NotCapable);
    assert_eq!(sent(&mut near, Time(5 * MS)).len(), 2, "the window update lets two segments go");
    assert_eq!((near.known_room(), far.room_reported()), (Some(6000), Some(6000)));
}
