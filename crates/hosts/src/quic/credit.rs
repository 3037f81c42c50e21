//! Limits of flow control (RFC 9000 section 4).

use super::frame::Frame;

/// A limit that each end sets the other: of bytes, or of streams.
#[derive(Clone, Copy, Debug)]
pub struct Credit {
    /// Limit that the peer sets, and limit that it is told.
    pub limit: u64,
    pub own: u64,
    /// True if the peer is to be told what it is allowed.
    pub tells: bool,
    /// The limit at which this end is blocked, if the peer is to be told, and the one that it was told of.
    blocked: Option<u64>,
    pub told: Option<u64>,
}

impl Credit {
    /// A limit that both ends know from the handshake.
    #[must_use]
    pub fn of(window: u64) -> Self {
        Self { limit: window, own: window, tells: false, blocked: None, told: None }
    }

    /// The peer allows so much.
    pub fn learn(&mut self, limit: u64) {
        self.limit = self.limit.max(limit);
    }

    /// The limit is raised when half of the window is used up.
    pub fn raise(&mut self, used: u64, window: u64) {
        if self.own - used < window.div_ceil(2) {
            (self.own, self.tells) = (used + window, true);
        }
    }

    /// The peer is told once that its limit blocks the sender (RFC 9000 section 4.1).
    pub fn note_blocked(&mut self, is_blocked: bool) {
        self.blocked = Some(self.limit).filter(|limit| is_blocked && self.told != Some(*limit));
    }

    /// Adds a frame with what the peer is allowed, if it is to be told.
    pub fn add_limit(&mut self, frames: &mut Vec<Frame>, left: &mut u64, frame: impl Fn(u64) -> Frame) {
        if self.tells {
            self.tells = !frame(self.own).add_to(frames, left);
        }
    }

    /// Adds a frame with the limit that blocks, if the peer is to be told.
    pub fn add_blocked(&mut self, frames: &mut Vec<Frame>, left: &mut u64, frame: impl Fn(u64) -> Frame) {
        if self.blocked.is_some_and(|limit| frame(limit).add_to(frames, left)) {
            self.told = self.blocked.take();
        }
    }

    /// True if the peer is to be told anything.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.tells || self.blocked.is_some()
    }
}
