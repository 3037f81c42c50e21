//! An end of QUIC in a script: the client of a connection whose handshake is over.

use longfat_engine::end_system::{Direction, EndSystem, Parcel};
use longfat_engine::quic::{Ack, DELAY_UNIT_US, Frame, Kind, Packet};
use longfat_engine::scenario::Scenario;
use longfat_engine::transport::Codepoint;
use longfat_engine::units::{Span, Time};

use super::player::Player;
use super::read::{Arrival, Quantity};

/// The name of the stack that a script can play.
const STACK: &str = "quic";

/// One way of the handshake: it gives the first sample of the round trip, 100 ms.
const HANDSHAKE_ONE_WAY: Span = Span::from_microseconds(50_000);

/// Rounds in which a handshake is over.
const MOST_ROUNDS: usize = 100;

/// The sending end, at the times of the script: its own run from the beginning of the handshake.
pub struct Quic {
    end: Box<dyn EndSystem>,
    packet_bytes: u64,
    /// How long the handshake has taken.
    ahead: Span,
    /// Number of the next packet of the peer.
    next_number: u64,
    /// Number of the first packet of the script, and of that behind the last.
    first: u64,
    sent_to: u64,
}

impl Quic {
    /// The end of a scenario, if it has a stack of its own.
    ///
    /// # Errors
    /// If it is not the model of QUIC, or not the client.
    pub fn new(scenario: &Scenario) -> Result<Option<Self>, String> {
        let Some(stack) = scenario.stack_of(0) else { return Ok(None) };
        if stack.name() != STACK {
            return Err(format!("stack \"{}\" plays no scripts; \"tcp\" and \"{STACK}\" do", stack.name()));
        }
        let packet_bytes = stack.build(&()).largest_packet();
        let mut ends = scenario.ends_of_stack(0, 0).ok_or("a stack without ends")?;
        let (ahead, first) = shake_hands(&mut ends)?;
        let [end, _] = ends;
        Ok(Some(Self { end, packet_bytes, ahead, next_number: FIRST_OF_PEER, first, sent_to: first }))
    }

    fn time(&self, now: Time) -> Time {
        now + self.ahead
    }

    /// Numbers of the packets with data that leave now.
    fn sent(&mut self, now: Time) -> Vec<u64> {
        let mut numbers = Vec::new();
        let at = self.time(now);
        while let Some(parcel) = self.end.transmit(at) {
            for (packet, _) in self.end.packets(&parcel, Direction::Sent) {
                if packet.kind == Kind::OneRoundTrip && packet.is_eliciting() {
                    self.sent_to = packet.number + 1;
                    numbers.push(packet.number - self.first);
                }
            }
        }
        numbers
    }
}

/// The peer's packets of the script are numbered from here on, behind all that it has sent in the handshake.
const FIRST_OF_PEER: u64 = 1000;

/// Lets two ends complete their handshake. Returns how long it took, until nothing was under way and no acknowledgment waited, and the number of
/// the next packet with data.
fn shake_hands(ends: &mut [Box<dyn EndSystem>; 2]) -> Result<(Span, u64), String> {
    let (mut now, mut first) = (Time::ZERO, 0);
    let mut under_way: Vec<(usize, Parcel)> = Vec::new();
    ends.iter_mut().for_each(|end| end.begin(now));
    for _ in 0..MOST_ROUNDS {
        for (to, parcel) in std::mem::take(&mut under_way) {
            ends[to].receive(now, parcel);
        }
        for end in ends.iter_mut() {
            if end.expires().is_some_and(|due| due <= now) {
                end.expire(now);
            }
        }
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(parcel) = end.transmit(now) {
                let packets = if from == 0 { end.packets(&parcel, Direction::Sent) } else { Vec::new() };
                let of_data = packets.iter().filter(|(packet, _)| packet.kind == Kind::OneRoundTrip);
                first = of_data.map(|(packet, _)| packet.number + 1).fold(first, u64::max);
                under_way.push((1 - from, parcel));
            }
        }
        let waits = ends.iter_mut().any(|end| end.expires().is_some());
        if under_way.is_empty() && !waits {
            return Ok((Span(now.0), first));
        }
        let due = ends.iter_mut().filter_map(|end| end.expires()).min().filter(|_| under_way.is_empty());
        now = due.unwrap_or(now + HANDSHAKE_ONE_WAY).max(now);
    }
    Err("the handshake does not come to an end".into())
}

impl Player for Quic {
    fn unit(&self) -> &'static str {
        "packets"
    }

    /// Data of so many packets: more than fits into them would make one more.
    fn write(&mut self, now: Time, number: Option<u64>) -> Vec<u64> {
        let bytes = number.map_or(u64::MAX, |packets| packets * (self.packet_bytes - OVERHEAD_BYTES));
        self.end.offer(self.time(now), bytes);
        self.sent(now)
    }

    fn acknowledge(&mut self, now: Time, arrival: &Arrival) -> Result<Vec<u64>, String> {
        let Arrival::Packets { ranges, delay } = arrival else {
            return Err("\"< ack\" is of TCP; a receiver of QUIC sends \"< acked A-B C-D\"".into());
        };
        let mut ranges: Vec<_> =
            ranges.iter().map(|(first, last)| (self.first + first, self.first + last + 1)).collect();
        ranges.sort_unstable_by(|one, other| other.cmp(one));
        if ranges.windows(2).any(|pair| pair[1].1 >= pair[0].0) {
            return Err("ranges of packets touch each other; there is a packet between any two".into());
        }
        let end = ranges.first().map_or(0, |range| range.1);
        if end > self.sent_to {
            let [end, sent] = [end, self.sent_to].map(|number| number - self.first);
            return Err(format!("packets up to {end} are acknowledged; {sent} were sent"));
        }
        let delay = delay.0 / Span::from_microseconds(DELAY_UNIT_US).0;
        let frames = vec![Frame::Ack(Ack { ranges, delay, marks: None })];
        let packet = Packet { kind: Kind::OneRoundTrip, number: self.next_number, number_bytes: 2, frames };
        self.next_number += 1;
        let mut contents = Vec::new();
        packet.write(&mut contents);
        let at = self.time(now);
        let (length, codepoint) = (packet.bytes(), Codepoint::NotCapable);
        self.end.receive(at, Parcel { length, number: packet.number, sent: at, codepoint, contents });
        Ok(self.sent(now))
    }

    fn expires(&mut self) -> Option<Time> {
        let ahead = self.ahead;
        self.end.expires().map(|due| Time(due.0.saturating_sub(ahead.0)))
    }

    fn expire(&mut self, now: Time) -> (&'static str, Vec<u64>) {
        let before = self.end.progress().sent.timeouts;
        self.end.expire(self.time(now));
        let is_timeout = self.end.progress().sent.timeouts > before;
        (if is_timeout { "the probe timeout expires" } else { "a timer expires" }, self.sent(now))
    }

    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn quantity(&self, quantity: Quantity) -> f64 {
        let vitals = self.end.vitals();
        let bytes = match quantity {
            Quantity::Cwnd => vitals.window,
            Quantity::Ssthresh => vitals.threshold,
        };
        bytes.unwrap_or_default() / self.packet_bytes as f64
    }
}

/// Bytes of a packet beside the data of its stream, more than there are: a header, the frame's, an acknowledgment, and the tag.
const OVERHEAD_BYTES: u64 = 60;
