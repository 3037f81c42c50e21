//! Segmentation: which piece may be sent next, and the segment made of it.

use longfat_foundation::units::Time;

use super::{Connection, Timed};
use crate::transport::{NagleWaitsFor, Piece, Segment};

impl Connection {
    /// Next piece in order within `window` bytes from `unacknowledged` on.
    ///
    /// With silly window avoidance, a full segment or the last of the data; without, whatever fits (T-45). Nagle's rule holds
    /// back a small last piece while data is in flight (RFC 1122 section 4.2.3.4).
    #[must_use]
    pub fn next_within(&self, window: u64) -> Option<Piece> {
        self.piece_within(self.next, window)
    }

    /// [`next_within`](Self::next_within) for the piece that begins at `sequence`.
    #[must_use]
    pub fn piece_within(&self, sequence: u64, window: u64) -> Option<Piece> {
        self.piece(sequence, window, self.nagle)
    }

    /// Next piece in order, without Nagle's rule.
    #[must_use]
    pub fn next_at_once(&self, window: u64) -> Option<Piece> {
        self.piece(self.next, window, false)
    }

    fn piece(&self, sequence: u64, window: u64, nagle: bool) -> Option<Piece> {
        let available = self.mss.min(self.offered - sequence);
        let length = available.min((self.unacknowledged + window).saturating_sub(sequence));
        let is_cut = length < available;
        let is_small = length < self.mss && sequence == self.highest;
        let is_held = is_small && nagle && self.unacknowledged < self.nagle_waits_to();
        if length == 0 || (is_cut && self.avoids_silly_windows) || is_held {
            return None;
        }
        Some(Piece { sequence, length })
    }

    /// Sequence number up to which data must be acknowledged before Nagle's rule permits a small segment.
    fn nagle_waits_to(&self) -> u64 {
        match self.nagle_waits_for {
            NagleWaitsFor::Anything => self.highest,
            NagleWaitsFor::SmallSegments => self.small_sent_to,
        }
    }

    /// Sends a piece, after those that wait in the host's discipline.
    pub fn send(&mut self, now: Time, piece: Piece) {
        if self.has_discipline()
            && let Some(last) = self.pacer.as_ref().and_then(|pacer| pacer.last_departure())
        {
            return self.hand_over(last.max(now), piece);
        }
        let segment = self.segment_of(now, piece);
        self.outbox.push(segment);
    }

    /// Sends new data up to `window` bytes from the first unacknowledged on; calls `before` with each piece.
    // Always: one caller is far busier than the others.
    #[inline(always)]
    pub fn send_new(
        &mut self,
        now: Time,
        window: u64,
        segments: &mut Vec<Segment>,
        mut before: impl FnMut(&mut Self, Piece),
    ) {
        let mut room = (self.unacknowledged + window).saturating_sub(self.highest);
        while room >= self.mss && self.offered - self.highest >= self.mss {
            room -= self.mss;
            let piece = Piece { sequence: self.highest, length: self.mss };
            before(self, piece);
            segments.push(self.segment_of(now, piece));
        }
        let would_be_cut = self.offered - self.highest > room;
        if room > 0 && !(would_be_cut && self.avoids_silly_windows) {
            while let Some(piece) = self.next_within(window) {
                before(self, piece);
                segments.push(self.segment_of(now, piece));
            }
        }
    }

    /// Makes the segment of a piece and updates counters, timing and the timer.
    #[inline(always)]
    pub fn segment_of(&mut self, now: Time, piece: Piece) -> Segment {
        let end = piece.end();
        let again = piece.sequence < self.highest;
        self.statistics.segments_sent += 1;
        if again {
            self.statistics.segments_retransmitted += 1;
        }
        self.next = self.next.max(end);
        // One segment is timed at a time, and never one that was sent before (Karn; T-11).
        if again && self.timed.is_some_and(|timed| (piece.sequence..end).contains(&timed.sequence)) {
            self.timed = None;
        }
        if end > self.highest {
            self.highest = end;
            if piece.length < self.mss {
                self.small_sent_to = end;
            }
            if self.timed.is_none() && !again {
                self.timed = Some(Timed { sequence: piece.sequence, sent: now });
            }
        }
        if self.expires.is_none() {
            self.restart_timer(now);
        }
        self.last_sent = now;
        if self.notes_departures {
            self.note_paced(now, piece);
        }
        let Piece { sequence, length } = piece;
        let reduced = !again && self.marks.take_announcement();
        Segment { sequence, length, again, synchronize: false, reduced }
    }

    /// Sends a SYN.
    pub fn synchronize(&mut self, now: Time, again: bool) {
        self.outbox.push(Segment { sequence: 0, length: 0, again, synchronize: true, reduced: false });
        self.restart_timer(now);
    }

    /// Moves the segments to be sent to `segments`.
    pub fn empty_outbox(&mut self, segments: &mut Vec<Segment>) {
        if segments.is_empty() {
            std::mem::swap(segments, &mut self.outbox);
        } else {
            segments.append(&mut self.outbox);
        }
    }
}
