//! Two ends of each stack over a line of 20 ms and no end of rate.

use longfat_foundation::config::{Parameter, Reader, parse_fragment};
use longfat_foundation::random::Chance;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::{EndSystem, Parcel};

use crate::{STACKS, Stack};

const ONE_WAY: u64 = 20_000_000_000;

fn ends(settings: &str) -> [Box<dyn EndSystem>; 2] {
    let mut reader = Reader::default();
    let stack = <Chosen<dyn Stack>>::read(&parse_fragment(settings), &mut reader);
    let stack = stack.unwrap_or_else(|| panic!("{:?}", reader.problems));
    stack.build(&()).ends(Chance { seed: 1, replication: 0 }.stream("test")).expect("a stack of its own")
}

/// Carries packets until nothing happens any more, or `until`; those are lost of which `is_lost` says so, by direction and number.
fn carry(
    ends: &mut [Box<dyn EndSystem>; 2],
    until: u64,
    is_lost: impl Fn(usize, u64) -> bool,
) -> Vec<(u64, usize, u64)> {
    let mut under_way: Vec<(u64, usize, Parcel)> = Vec::new();
    let mut log = Vec::new();
    let mut now = 0;
    ends.iter_mut().for_each(|end| end.begin(Time(0)));
    loop {
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(parcel) = end.transmit(Time(now)) {
                log.push((now, from, parcel.length));
                if !is_lost(from, parcel.number) {
                    under_way.push((now + ONE_WAY, 1 - from, parcel));
                }
            }
        }
        let timers = ends.iter_mut().filter_map(|end| end.expires()).map(|time| time.0.max(now)).min();
        let arrival = under_way.iter().map(|(time, _, _)| *time).min();
        let Some(next) = timers.into_iter().chain(arrival).min().filter(|next| *next < until) else { return log };
        now = next;
        if arrival == Some(next) {
            let first = under_way.iter().position(|(time, _, _)| *time == next).expect("the first");
            let (_, to, parcel) = under_way.remove(first);
            ends[to].receive(Time(now), parcel);
        } else {
            ends.iter_mut().for_each(|end| {
                if end.expires().is_some_and(|time| time.0 <= now) {
                    end.expire(Time(now));
                }
            });
        }
    }
}

/// Settings of every stack that sends by itself but the engine's, with either end as the one that opens.
fn all() -> impl Iterator<Item = String> {
    let names = STACKS.iter().map(|entry| entry.name).filter(|name| !["tcp", "outside"].contains(name));
    names.flat_map(|name| {
        ["sender", "receiver"].map(|opener| format!("{{ kind = \"{name}\", opened_by = \"{opener}\" }}"))
    })
}

const MINUTE: u64 = 60_000_000_000_000;

#[test]
fn all_that_was_handed_over_is_delivered_whoever_opens_the_connection_and_whatever_is_lost() {
    let none: fn(usize, u64) -> bool = |_, _| false;
    let openings: fn(usize, u64) -> bool = |_, number| number < 2;
    let some: fn(usize, u64) -> bool = |from, number| number % 7 == 3 + from as u64;
    for settings in all() {
        for is_lost in [none, openings, some] {
            let mut ends = ends(&settings);
            ends[0].offer(Time(0), 100_000);
            let log = carry(&mut ends, MINUTE, is_lost);
            let (near, far) = (ends[0].progress(), ends[1].progress());
            assert_eq!((far.delivered, far.received_to, far.held), (100_000, 100_000, 0), "{settings} {log:?}");
            assert!(near.sent.segments_sent >= 60 && near.sent.max_cwnd > 0.0, "{settings}: {near:?}");
        }
    }
}

#[test]
fn a_connection_does_the_same_again_to_the_picosecond() {
    for settings in all() {
        let [first, second] = [(), ()].map(|()| {
            let mut ends = ends(&settings);
            ends[0].offer(Time(0), 300_000);
            carry(&mut ends, MINUTE, |from, number| from == 0 && number % 11 == 5)
        });
        assert_eq!(first, second, "{settings}");
    }
}

#[test]
fn what_is_not_lost_is_sent_once() {
    for settings in all() {
        let mut ends = ends(&settings);
        ends[0].offer(Time(0), 50_000);
        carry(&mut ends, MINUTE, |_, _| false);
        assert_eq!(ends[0].progress().sent.segments_retransmitted, 0, "{settings}");
    }
}

#[test]
fn data_without_end_ends_with_what_was_taken_when_the_application_stops() {
    for settings in all() {
        let mut ends = ends(&settings);
        ends[0].offer(Time(0), u64::MAX);
        carry(&mut ends, MINUTE / 60, |_, _| false);
        ends[0].withdraw(Time(MINUTE / 60));
        let offered = ends[0].progress().offered;
        assert!(offered < u64::MAX && offered >= ends[1].progress().delivered, "{settings}");
    }
}

/// The model with quinn's choices beside quinn: what the sender sends, and when to the microsecond, with nothing lost and with two packets lost.
/// Data are many, so that quinn's frames for new connection IDs, which the model has not, do not show.
#[test]
fn a_model_of_quic_with_quinns_choices_sends_what_quinn_sends() {
    let none: fn(usize, u64) -> bool = |_, _| false;
    let two: fn(usize, u64) -> bool = |from, number| from == 0 && (number == 40 || number == 41);
    let hundred = |settings: &str, is_lost: fn(usize, u64) -> bool| {
        let mut ends = ends(settings);
        ends[0].offer(Time(0), 300_000);
        let log = carry(&mut ends, MINUTE, is_lost).into_iter();
        let datagrams = log.filter(|(_, from, _)| *from == 0).map(|(at, _, length)| (at / 1_000_000, length));
        datagrams.take(100).collect::<Vec<_>>()
    };
    for is_lost in [none, two] {
        let model = hundred("{ kind = \"quic\", as = \"quinn\", flavor = \"newreno\" }", is_lost);
        let settings = "congestion_control = \"new-reno\", largest_mtu = \"1200 B\", ecn = false";
        let quinn = hundred(&format!("{{ kind = \"quinn\", {settings} }}"), is_lost);
        assert_eq!(model, quinn);
    }
}
