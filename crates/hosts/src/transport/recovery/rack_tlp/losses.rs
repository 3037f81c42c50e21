//! Time-based loss detection (RFC 8985 sections 5.2, 6.1 and 6.2).

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};

use crate::transport::{Acknowledgment, Piece, Transmission, UnderWay};

/// Lifetime of the minimum round trip (Linux: `tcp_min_rtt_wlen`, 300 s).
const SHORTEST_LIFETIME: Span = Span::from_microseconds(300_000_000);

/// Transmission of a segment, ordered by time and then sequence number (`RACK_sent_after`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Departure {
    sent: Time,
    end: u64,
    begin: u64,
}

impl Departure {
    fn of<T>(segment: &Transmission<T>) -> Self {
        Self { sent: segment.sent, end: segment.end, begin: segment.begin }
    }
}

/// Path estimates from the segments that have arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    /// The most recently sent of the segments that have arrived (`RACK.segment`).
    latest: Option<Departure>,
    /// Round trip of that segment (`RACK.rtt`).
    round_trip: Span,
    /// Minimum round trip (`RACK.min_RTT`), and the time at which it was measured.
    shortest: Option<(Span, Time)>,
    /// The byte after the highest that has arrived (`RACK.fack`).
    highest: u64,
}

impl Arrivals {
    /// Step 1 of section 6.2: minimum of all round trips that RFC 6298 would measure, including the handshake's.
    fn note_round_trip(&mut self, now: Time, round_trip: Span) {
        if self.shortest.is_none_or(|(shortest, at)| round_trip <= shortest || now - at > SHORTEST_LIFETIME) {
            self.shortest = Some((round_trip, now));
        }
    }

    /// Step 2: true unless the acknowledgment of a retransmitted segment may be for its first transmission. That is so if the round trip
    /// would be below the minimum, or if the echoed timestamp precedes the retransmission. The echo is used only for segments in order:
    /// beyond a hole it is the timestamp of an earlier segment, whichever transmission arrived (RFC 7323 section 4.3).
    fn believes<T>(&mut self, now: Time, acknowledgment: &Acknowledgment, segment: &Transmission<T>) -> bool {
        if segment.sent > now {
            // The retransmission still waits in the host's discipline: the first transmission has arrived.
            return false;
        }
        let round_trip = now - segment.sent;
        if !segment.was_sent_before {
            self.note_round_trip(now, round_trip);
            return true;
        }
        let is_in_order = segment.end <= acknowledgment.next;
        let is_of_first = is_in_order && acknowledgment.echoed().is_some_and(|echoed| echoed < segment.sent);
        !is_of_first && self.shortest.is_none_or(|(shortest, _)| round_trip >= shortest)
    }

    /// Step 2: updates the round trip by `newest`, the most recently sent of the segments that one acknowledgment reports, even if a
    /// segment sent later has arrived before.
    fn note(&mut self, now: Time, newest: Departure) {
        self.round_trip = now - newest.sent;
        self.latest = self.latest.max(Some(newest));
    }
}

/// Result of processing one acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport::recovery) struct News {
    /// Longest round trip among the newly reported segments that were sent once.
    pub round_trip: Option<Span>,
    /// True if one of them was reordered (step 3 of section 6.2).
    pub shows_reordering: bool,
    /// The least end of those that were sent once.
    pub original: Option<u64>,
}

/// State of a segment.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// True if it is lost and was not retransmitted (`Segment.lost`).
    is_lost: bool,
    /// True if it was retransmitted because it was lost.
    is_repaired: bool,
}

/// Segments of a connection that are in flight or lost.
#[derive(Debug, Default)]
pub(in crate::transport::recovery) struct Losses {
    under_way: UnderWay<Mark>,
    /// Transmissions in the order of their times, without those of segments that are [undisturbed](UnderWay::undisturbed), which are later,
    /// and in order. Some are stale: their segments have arrived, or were retransmitted since.
    by_time: VecDeque<Departure>,
    arrivals: Arrivals,
    in_network: u64,
    lost: u64,
    /// Segments that were lost and retransmitted, and have neither arrived nor were lost again.
    repaired: u64,
    /// True if the latest search has found a retransmission lost.
    has_lost_repair: bool,
    /// No segment below is lost.
    lost_from: u64,
    /// Expiry of the reordering timer: then segments that may only be late count as lost.
    deadline: Option<Time>,
    /// Round trip of the segment sent last of those that the latest acknowledgment reports; `None` if that was sent before.
    newest_round_trip: Option<Span>,
    /// Lost segments not yet told of by [`tell_unreported`](Self::tell_unreported).
    unreported: Vec<Piece>,
}

impl Losses {
    /// Bytes that have neither arrived nor are lost.
    pub fn in_network(&self) -> u64 {
        self.in_network
    }

    /// Bytes that are lost and were not retransmitted.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Segments that were lost and retransmitted, and have neither arrived nor were lost again.
    pub fn repaired(&self) -> u64 {
        self.repaired
    }

    /// Whether the latest search has found a retransmission lost.
    pub fn has_lost_repair(&self) -> bool {
        self.has_lost_repair
    }

    /// Takes back that segments are lost.
    pub fn unmark(&mut self) {
        for segment in self.under_way.from_mut(0).filter(|segment| !segment.has_arrived) {
            if std::mem::take(&mut segment.note).is_lost {
                self.in_network += segment.end - segment.begin;
            }
        }
        (self.lost, self.repaired) = (0, 0);
    }

    /// Segments that have arrived beyond a hole (`RACK.segs_sacked`).
    pub fn segments_arrived(&self) -> usize {
        self.under_way.arrived()
    }

    /// Minimum round trip.
    pub fn shortest_round_trip(&self) -> Option<Span> {
        self.arrivals.shortest.map(|(shortest, _)| shortest)
    }

    /// Records the round trip measured by the handshake.
    pub fn note_round_trip(&mut self, now: Time, round_trip: Span) {
        self.arrivals.note_round_trip(now, round_trip);
    }

    /// Round trip of the segment sent last of those that the latest acknowledgment reports; `None` if that was sent before.
    pub fn newest_round_trip(&self) -> Option<Span> {
        self.newest_round_trip
    }

    /// Expiry of the reordering timer.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Allocated memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.under_way.memory_bytes() + self.by_time.capacity() * size_of::<Departure>()
    }

    /// The first lost segment.
    #[inline]
    pub fn first_lost(&self) -> Option<Piece> {
        if self.lost > 0 { self.find_first_lost() } else { None }
    }

    #[inline(never)]
    fn find_first_lost(&self) -> Option<Piece> {
        let lost = self.under_way.from(self.lost_from).find(|segment| segment.note.is_lost && !segment.has_arrived)?;
        Some(Piece { sequence: lost.begin, length: lost.end - lost.begin })
    }

    /// Tells of the segments detected as lost since the last call.
    pub fn tell_unreported(&mut self, tell: &mut dyn FnMut(Piece)) {
        if !self.unreported.is_empty() {
            self.unreported.drain(..).for_each(tell);
        }
    }

    /// The segment with the highest sequence numbers.
    pub fn last(&self) -> Option<Piece> {
        self.under_way.last().map(|last| Piece { sequence: last.begin, length: last.end - last.begin })
    }

    /// Records a transmission (section 6.1).
    pub fn note_sent(&mut self, now: Time, piece: Piece) {
        if self.under_way.is_new(piece) {
            self.in_network += piece.length;
            self.under_way.note_new(now, piece, Mark::default());
        } else {
            self.disturb();
            self.note_sent_again(now, piece);
        }
    }

    /// From now on, what is under way arrives, gets lost and is sent again in any order.
    fn disturb(&mut self) {
        self.by_time.extend(self.under_way.undisturbed().map(Departure::of));
        self.under_way.disturb();
    }

    /// [`note_sent`](Self::note_sent) of a piece of which some was sent before.
    fn note_sent_again(&mut self, now: Time, piece: Piece) {
        if self.first_lost().is_some_and(|first| first.sequence == piece.sequence) {
            self.lost_from = piece.end();
        }
        let first_new = self.under_way.last().map_or(piece.sequence, |last| last.end);
        self.in_network += piece.end().saturating_sub(first_new.max(piece.sequence));
        let mut is_repaired = false;
        for known in self.under_way.from(piece.sequence).take_while(|known| known.begin < piece.end()) {
            if known.note.is_lost && !known.has_arrived {
                self.lost -= known.end - known.begin;
                self.in_network += known.end - known.begin;
                self.repaired += 1;
            }
            is_repaired |= known.note.is_lost || known.note.is_repaired;
        }
        self.under_way.note_sent(now, piece, Mark { is_lost: false, is_repaired });
        let sent = self.under_way.from(piece.sequence).take_while(|known| known.begin < piece.end());
        self.by_time.extend(sent.filter(|known| !known.has_arrived).map(Departure::of));
    }

    /// Processes an acknowledgment (section 6.2, steps 1 to 3). Reordering is judged by what had arrived before the acknowledgment, since
    /// the segments that it reports have no order among themselves.
    pub fn take_in(&mut self, now: Time, acknowledgment: &Acknowledgment, highest: u64) -> News {
        if !acknowledgment.blocks.is_empty() {
            self.disturb();
        } else if let Some(news) = self.advance(now, acknowledgment.next) {
            return news;
        }
        self.take_in_any(now, acknowledgment, highest)
    }

    /// [`take_in`](Self::take_in) and [`detect`](Self::detect) for an acknowledgment without blocks up to `next` of segments that were sent
    /// once and arrived in order, when no other is missing; `None`, with nothing done, for others.
    #[inline]
    pub fn advance(&mut self, now: Time, next: u64) -> Option<News> {
        if self.lost > 0 || self.repaired > 0 {
            return None;
        }
        let (first, last) = self.under_way.advance(next)?;
        // What is left there has arrived or was sent again before these were sent.
        self.by_time.clear();
        self.in_network -= last.end - first.begin;
        self.arrivals.highest = self.arrivals.highest.max(last.end);
        self.arrivals.note_round_trip(now, now - last.sent);
        self.arrivals.note(now, Departure::of(&last));
        (self.deadline, self.has_lost_repair) = (None, false);
        self.newest_round_trip = Some(now - last.sent);
        Some(News { round_trip: Some(now - first.sent), shows_reordering: false, original: Some(first.end) })
    }

    fn take_in_any(&mut self, now: Time, acknowledgment: &Acknowledgment, highest: u64) -> News {
        let mut news = News::default();
        let arrived_before = self.arrivals.highest;
        let (mut newest, mut sent_last) = (None, None);
        self.under_way.take_in(acknowledgment, highest, |segment| {
            sent_last = sent_last.max(Some((segment.sent, segment.end, segment.was_sent_before)));
            let length = segment.end - segment.begin;
            if segment.note.is_lost {
                self.lost -= length;
            } else {
                self.in_network -= length;
                self.repaired = self.repaired.saturating_sub(segment.note.is_repaired.into());
            }
            if !segment.was_sent_before {
                news.original = Some(news.original.map_or(segment.end, |least: u64| least.min(segment.end)));
                news.round_trip = news.round_trip.max(Some(now - segment.sent));
                news.shows_reordering |= segment.end < arrived_before;
            }
            self.arrivals.highest = self.arrivals.highest.max(segment.end);
            if self.arrivals.believes(now, acknowledgment, segment) {
                newest = newest.max(Some(Departure::of(segment)));
            }
        });
        let sent_once = sent_last.filter(|(.., was_sent_before)| !was_sent_before);
        self.newest_round_trip = sent_once.map(|(sent, ..)| now - sent);
        if let Some(newest) = newest {
            self.arrivals.note(now, newest);
        }
        if self.under_way.is_empty() {
            self.by_time.clear();
        }
        news
    }

    /// Marks as lost the segments sent at least a round trip plus `window` before the most recently sent one that has arrived (step 5).
    /// Returns their bytes.
    pub fn detect(&mut self, now: Time, window: Span) -> u64 {
        self.deadline = None;
        self.has_lost_repair = false;
        let Some(latest) = self.arrivals.latest else { return 0 };
        let patience = self.arrivals.round_trip + window;
        let lost_before = self.lost;
        while let Some(&oldest) = self.by_time.front().filter(|oldest| **oldest < latest) {
            if self.is_in_network(oldest) {
                if oldest.sent + patience > now {
                    break;
                }
                self.lose(oldest.begin);
            }
            self.by_time.pop_front();
        }
        let waiting = self.by_time.iter().take_while(|departure| **departure < latest);
        let last_waiting = waiting.filter(|departure| self.is_in_network(**departure)).last();
        self.deadline = last_waiting.map(|departure| departure.sent + patience);
        self.lost - lost_before
    }

    /// At a retransmission timeout, marks as lost the first segment and all sent at least a round trip plus `window` ago (section 6.3).
    pub fn time_out(&mut self, now: Time, window: Span) {
        self.deadline = None;
        let patience = self.arrivals.round_trip + window;
        self.disturb();
        let mut is_first = true;
        let overdue: Vec<u64> = self
            .under_way
            .from(0)
            .filter(|segment| std::mem::take(&mut is_first) || segment.sent + patience <= now)
            .filter(|segment| !segment.has_arrived && !segment.note.is_lost)
            .map(|segment| segment.begin)
            .collect();
        overdue.into_iter().for_each(|begin| self.lose(begin));
    }

    /// True if `departure` is the latest transmission of its segment, and the segment has neither arrived nor is lost.
    fn is_in_network(&self, departure: Departure) -> bool {
        let is_latest = |segment: &Transmission<Mark>| (segment.sent, segment.end) == (departure.sent, departure.end);
        let known = self.under_way.from(departure.begin).next().filter(|segment| is_latest(segment));
        known.is_some_and(|segment| !segment.has_arrived && !segment.note.is_lost)
    }

    fn lose(&mut self, begin: u64) {
        let Some(segment) = self.under_way.from_mut(begin).next() else { return };
        let was_repaired = std::mem::replace(&mut segment.note, Mark { is_lost: true, is_repaired: false }).is_repaired;
        let length = segment.end - segment.begin;
        self.unreported.push(Piece { sequence: segment.begin, length });
        self.in_network -= length;
        self.has_lost_repair |= was_repaired;
        self.repaired = self.repaired.saturating_sub(was_repaired.into());
        self.lost_from = if self.lost == 0 { begin } else { self.lost_from.min(begin) };
        self.lost += length;
    }
}
