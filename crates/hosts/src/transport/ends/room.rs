//! The room that a proxy has for the data of a connection, and how it advertises it.

use crate::transport::{Receiver, TcpConfig};

/// The room at the receiving end. All positions are bytes from the beginning.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The most that is advertised, in bytes, and the shift of the window field.
    window: u64,
    shift: u8,
    mss: u64,
    /// The most bytes that the application keeps, and up to where it has room.
    buffer: u64,
    end: u64,
    /// The right edge of the window as it was advertised last.
    pub reports: u64,
}

/// The room as the sending end knows it.
#[derive(Clone, Copy)]
pub(super) struct Known {
    shift: u8,
    /// The right edge of the window.
    pub edge: u64,
}

impl Known {
    /// An acknowledgment of all below `next` has come with this window field. Tells whether there is more room now: the low bits that do not
    /// travel never move the edge back.
    pub fn learn(&mut self, next: u64, window: u16) -> bool {
        let edge = next + (u64::from(window) << self.shift);
        let opens = edge > self.edge;
        self.edge = self.edge.max(edge);
        opens
    }
}

impl Room {
    pub fn of(tcp: &TcpConfig, buffer: u64) -> Self {
        Self {
            window: tcp.receiver_window.0,
            shift: tcp.window_scale().shift(),
            mss: tcp.mss.0,
            buffer,
            end: buffer,
            reports: tcp.advertised_window(),
        }
    }

    /// The room as the sending end knows it at first.
    pub fn known(&self) -> Known {
        Known { shift: self.shift, edge: self.reports }
    }

    /// Window field of an acknowledgment that is about to be sent.
    pub fn advertise(&mut self, receiver: &Receiver) -> u16 {
        let next = receiver.next();
        // RFC 5681 section 2 takes an acknowledgment for a duplicate only if the window is the same: while there is a hole it is.
        if receiver.bytes_held() == 0 {
            self.reports = self.edge(next);
        }
        u16::try_from((self.reports - next) >> self.shift).unwrap_or(u16::MAX)
    }

    /// The application keeps `unread` of the bytes below `next`. Tells whether the room that is left is news, which then counts as reported.
    pub fn open(&mut self, next: u64, unread: u64) -> bool {
        self.end = next - unread + self.buffer;
        let edge = self.edge(next);
        let is_news = self.is_news(next, edge);
        if is_news {
            self.reports = edge;
        }
        is_news
    }

    /// The right edge that an acknowledgment of all below `next` advertises: that of the last advertisement, unless it
    /// has moved by a segment (RFC 9293 section 3.8.6.2.2), or the sender has no room for a segment and would get it. That section has half of
    /// the buffer in place of a segment, if that is less: of windows so small, a sender has no room for a segment before. Low bits of
    /// the window do not travel.
    fn edge(&self, next: u64) -> u64 {
        let offered = next + ((self.end.min(next + self.window) - next) >> self.shift << self.shift);
        let is_worth_it = offered >= self.reports + self.mss;
        let is_needed = self.reports < next + self.mss && offered >= next + self.mss;
        if is_worth_it || is_needed { self.reports.max(offered) } else { self.reports }
    }

    /// True if a window update is sent in a packet of its own: for two segments or half of the window, as in BSD
    /// (`tcp_output`; Wright and Stevens, section 26.3), or if the sender has no room for a segment.
    fn is_news(&self, next: u64, edge: u64) -> bool {
        let is_much = edge >= self.reports + (2 * self.mss).min(self.window / 2).max(1);
        is_much || (edge > self.reports && self.reports < next + self.mss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { window: 8000, shift: 0, mss: 1000, buffer: 9999, end: 9999, reports: 8000 };

    #[test]
    fn the_right_edge_moves_by_a_segment_and_not_by_less() {
        assert_eq!(ROOM.edge(999), 8000, "999 bytes further");
        assert_eq!(ROOM.edge(1000), 9000, "a segment further");
        assert_eq!(Room { end: 8999, ..ROOM }.edge(1000), 8000, "the buffer has less room than the window");
    }

    #[test]
    fn it_never_moves_back_though_low_bits_of_the_window_do_not_travel() {
        let coarse = Room { shift: 4, reports: 7984, window: 8000, end: 9001, ..ROOM };
        assert_eq!(Room { end: 8000, ..coarse }.edge(1), 7984);
        assert_eq!(coarse.edge(1001), 9001);
        // Of 7999 bytes 7984 can be said.
        assert_eq!(coarse.edge(1002), 1002 + 7984);
    }

    #[test]
    fn a_sender_without_room_for_a_segment_gets_it_as_soon_as_there_is() {
        let mut closed = Room { window: 1900, reports: 2400, buffer: 1900, end: 2450, ..ROOM };
        // It has 900 bytes, and half of the window would be 950 more.
        assert_eq!(closed.edge(1500), 2400, "there is no room for a segment either");
        assert!(closed.open(1500, 900), "the buffer now reaches to 2500");
        assert_eq!(closed.reports, 2500);
    }

    #[test]
    fn only_room_for_two_segments_is_worth_an_acknowledgment_of_its_own() {
        assert!(!ROOM.is_news(4000, 9999));
        assert!(ROOM.is_news(4000, 10_000));
        assert!(!ROOM.is_news(4000, 8000), "nothing is new");
    }

    #[test]
    fn the_sending_end_learns_of_more_room_only() {
        let mut known = Room { shift: 4, ..ROOM }.known();
        assert!(known.learn(1000, 500));
        assert_eq!(known.edge, 9000);
        assert!(!known.learn(2000, 437), "8992, less than what was known");
        assert_eq!(known.edge, 9000);
    }
}
