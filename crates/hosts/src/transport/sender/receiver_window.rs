//! A receiver whose window is not always the same: a proxy, which advertises the room that it has.

use longfat_foundation::units::Time;

use super::{Segment, Sender};

impl Sender {
    /// The receiver has told that so many bytes from the first unacknowledged on, or from the next acknowledgment on that is about to be
    /// taken, may be under way.
    pub fn learn_receiver_window(&mut self, bytes: u64) {
        self.connection.window.set_receiver_window(bytes);
    }

    /// An acknowledgment has arrived that tells of nothing but more room: none of data, and no duplicate either (RFC 5681 section 2).
    pub fn take_window_update(&mut self, now: Time, segments: &mut Vec<Segment>) {
        self.connection.open_window();
        self.send_allowed(now, segments);
    }

    /// After an acknowledgment: where the receiver has room for less than a segment, not all goes well.
    pub fn mind_closed_window(&mut self) {
        let room = self.connection.window.receiver_window();
        self.goes_well &= room >= self.connection.mss();
        self.goes_on_by_recovery &= room >= self.connection.mss();
        self.is_undisturbed &= self.goes_on_by_recovery;
    }
}
