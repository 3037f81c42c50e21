//! TCP SACK with the PIPE of 98-0876R1.

use longfat_foundation::units::Time;

use super::guard::LossGuard;
use super::{Acknowledgment, Connection, DUPLICATE_THRESHOLD, Piece, Recovery, Response, ResponseToDuplicates};

longfat_foundation::choice! {
    /// Initial value of PIPE when a loss is detected (T-32).
    pub enum PipeAtEntry {
        /// The usable window before it is halved, less the three segments that, by the duplicates, have left the network.
        UsableWindow = "usable-window",
        /// The congestion window, even if the receiver window is smaller, less three segments.
        CongestionWindow = "congestion-window",
        /// The bytes in flight, less three segments, as in later versions of ns-2.
        FlightSize = "flight-size",
    }
}

longfat_foundation::choice! {
    /// Contribution of a partial segment to PIPE.
    pub enum PipeUnit {
        /// A whole segment, both when it is sent and when an acknowledgment shows that it has left.
        Segments = "segments",
        /// Its bytes when it is sent; a whole segment when an acknowledgment shows that one has left.
        BytesSent = "bytes-sent",
        /// Its bytes, both when it is sent and when the blocks of an acknowledgment report them.
        Bytes = "bytes",
    }
}

longfat_foundation::choice! {
    /// Effect of a timeout on the fast retransmit phase (T-34, T-35).
    pub enum PhaseAtTimeout {
        /// The phase ends: new losses begin another.
        Ends = "ends",
        /// The phase continues with an empty PIPE until RECOVER is acknowledged, and the window grows by slow start meanwhile. No loss
        /// begins another phase until then.
        GoesOn = "goes-on",
    }
}

longfat_foundation::choice! {
    /// Segments that leave with the third duplicate acknowledgment.
    pub enum SentAtEntry {
        /// The retransmission, and whatever else PIPE leaves room for.
        WhatFits = "what-fits",
        /// The retransmission alone. Everything else waits for the next acknowledgment.
        RetransmissionAlone = "retransmission-alone",
    }
    absent WhatFits
}

longfat_foundation::choice! {
    /// Blocks that the sender still knows after new data was acknowledged outside the phase, or the phase has ended.
    pub enum BlocksAfterPhase {
        /// All that report bytes in flight.
        Kept = "kept",
        /// None, not even those of that acknowledgment, and no record of what was retransmitted.
        Forgotten = "forgotten",
    }
    absent Kept
}

longfat_foundation::model! {
    /// Selective acknowledgments. At the third duplicate acknowledgment the window is halved. Until everything sent before is
    /// acknowledged, PIPE estimates how many bytes are in the network. While PIPE is below the window, the sender retransmits the holes
    /// that the blocks show, each once, and then sends new data. A lost retransmission costs a timeout, after which the blocks are
    /// forgotten.
    #[name = "sack"]
    #[source = "98-0876R1 section 3.2; Fall and Floyd 1996 section 4; RFC 2018"]
    pub struct Sack: dyn Recovery {
        /// The initial value of PIPE (T-32). 98-0876R1: "the value of CWND - 3 segments".
        pipe_at_entry: PipeAtEntry = "usable-window" or ["congestion-window", "flight-size"],
        /// Whether the retransmission that begins the recovery counts in PIPE (T-32). 98-0876R1: "When a segment is sent, PIPE
        /// is incremented by one segment"; ns-2 leaves the first out.
        counts_first_retransmission: bool = "true" or ["false"],
        /// Segments that leave with the third duplicate acknowledgment (T-32). 98-0876R1 lets data leave whenever PIPE is below the window,
        /// which in small windows it is at once; ns-2 sends the retransmission alone.
        sent_at_entry: SentAtEntry = "what-fits" or ["retransmission-alone"],
        /// How much a segment that is not full counts in PIPE (T-33).
        pipe_unit: PipeUnit = "bytes-sent" or ["segments", "bytes"],
        /// Effect of a timeout on the fast retransmit phase (T-34). 98-0876R1: "the sender does not come out of the fast-retransmit phase
        /// until it has received the ACK for RECOVER"; ns-2 ends the phase.
        phase_at_timeout: PhaseAtTimeout = "ends" or ["goes-on"],
        /// Whether the receiver window also limits new data during the phase (T-33). 98-0876R1 names PIPE alone: "The sender sends data
        /// (new or retransmitted) only when PIPE is less than CWND value".
        respects_receiver_window: bool = "true" or ["false"],
        /// Whether acknowledgments of new data let the window grow during the phase as they do outside it (T-35). 98-0876R1 makes no
        /// exception for the phase; ns-2 does.
        grows_in_phase: bool = "false" or ["true"],
        /// Blocks that remain known when the phase ends, and when new data is acknowledged outside it (T-31). 98-0876R1 clears them at a
        /// timeout only; ns-2 also here, and learns from the duplicates that follow what their blocks repeat.
        blocks_after_phase: BlocksAfterPhase = "kept" or ["forgotten"],
        /// Whether duplicate acknowledgments signal a loss only after something sent since the last timeout has been acknowledged.
        multiple_loss_guard: bool = "false" or ["true"],
        /// Whether an acknowledgment counts as a duplicate only if its blocks report something new.
        duplicates_need_news: bool = "false" or ["true"],
        /// Whether duplicate acknowledgments are ignored from a timeout until new data is acknowledged (T-31).
        ignores_duplicates_after_timeout: bool = "false" or ["true"],
    }
    build(config, _context) {
        Box::new(FastRetransmitPhase {
            guard: LossGuard::new(config.multiple_loss_guard),
            config: config.clone(),
            recover: None,
            has_timed_out: false,
            pipe: 0,
            newly_reported: 0,
            is_after_timeout: false,
            is_entering: false,
        })
    }
}

/// Exceeds any window.
const BEYOND_ANY_WINDOW: u64 = u64::MAX / 2;

struct FastRetransmitPhase {
    config: Sack,
    guard: LossGuard,
    /// Sequence number that must be acknowledged to leave the phase (RECOVER); `None` outside it.
    recover: Option<u64>,
    /// True if a timeout occurred during the phase, which continues nevertheless.
    has_timed_out: bool,
    /// Estimate of the bytes in the network; may be negative.
    pipe: i64,
    /// Bytes newly reported by the blocks of the latest acknowledgment.
    newly_reported: u64,
    is_after_timeout: bool,
    /// True from the third duplicate on until the next acknowledgment.
    is_entering: bool,
}

#[expect(clippy::cast_possible_wrap, reason = "sequence numbers are far below 2^63")]
fn signed(bytes: u64) -> i64 {
    bytes as i64
}

impl FastRetransmitPhase {
    fn enter(&mut self, now: Time, connection: &mut Connection) {
        self.recover = Some(connection.highest());
        self.is_entering = true;
        self.has_timed_out = false;
        let under_way = match self.config.pipe_at_entry {
            PipeAtEntry::UsableWindow => connection.window.usable(),
            PipeAtEntry::CongestionWindow => connection.window.whole_cwnd(),
            PipeAtEntry::FlightSize => connection.flight(),
        };
        self.pipe = signed(under_way) - signed(u64::from(DUPLICATE_THRESHOLD) * connection.mss());
        self.guard.note_loss(connection);
        connection.reduce(now);
        if let Some(piece) = connection.fast_retransmit(now) {
            connection.scoreboard.note_retransmission(piece.end());
            if self.config.counts_first_retransmission {
                self.pipe += self.worth(connection, piece.length);
            }
        }
    }

    /// True if an acknowledgment of all data below `next` clears the scoreboard of SACK blocks.
    fn forgets_blocks_at(&self, connection: &Connection, next: u64) -> bool {
        let is_over = next > connection.unacknowledged() && self.recover.is_none_or(|recover| next >= recover);
        is_over && self.config.blocks_after_phase == BlocksAfterPhase::Forgotten
    }

    /// Contribution of a segment to PIPE when it is sent.
    fn worth(&self, connection: &Connection, length: u64) -> i64 {
        signed(if self.config.pipe_unit == PipeUnit::Segments { connection.mss() } else { length })
    }

    /// Bytes that a duplicate acknowledgment removes from PIPE.
    fn left(&self, connection: &Connection) -> i64 {
        signed(if self.config.pipe_unit == PipeUnit::Bytes { self.newly_reported } else { connection.mss() })
    }

    /// Next hole, or else new data, while PIPE is below the window.
    fn next_in_phase(&self, connection: &Connection) -> Option<Piece> {
        let room = signed(connection.window.usable()) - self.pipe;
        // Without silly window avoidance, a hole is retransmitted whole, and new data is cut at the window's edge (T-45).
        let cuts = !connection.avoids_silly_windows();
        if let Some((begin, end)) = connection.scoreboard.next_hole(connection.unacknowledged()) {
            let hole = Piece { sequence: begin, length: connection.mss().min(end - begin) };
            return (room >= if cuts { 1 } else { signed(hole.length) }).then_some(hole);
        }
        let limit =
            if self.config.respects_receiver_window { connection.window.receiver_window() } else { BEYOND_ANY_WINDOW };
        let new = connection.next_within(limit)?;
        match u64::try_from(room) {
            Ok(room) if room >= new.length => Some(new),
            Ok(room) if room > 0 && cuts => match self.config.pipe_unit {
                PipeUnit::Segments => Some(new),
                PipeUnit::BytesSent | PipeUnit::Bytes => Some(Piece { length: room, ..new }),
            },
            _ => None,
        }
    }
}

impl Recovery for FastRetransmitPhase {
    fn response_to_duplicates(&self) -> ResponseToDuplicates {
        ResponseToDuplicates::FastRecovery
    }

    fn may_exceed_receiver_window(&self) -> bool {
        !self.config.respects_receiver_window
    }

    fn is_selective(&self) -> bool {
        true
    }

    fn is_recovering(&self) -> bool {
        self.recover.is_some()
    }

    fn take_in(&mut self, _now: Time, connection: &mut Connection, acknowledgment: &Acknowledgment) -> bool {
        if self.is_after_timeout && acknowledgment.next == connection.unacknowledged() {
            return false;
        }
        self.is_after_timeout = false;
        self.is_entering = false;
        if self.forgets_blocks_at(connection, acknowledgment.next) {
            connection.scoreboard.clear();
            return true;
        }
        let highest = connection.highest();
        let news = connection.scoreboard.update(acknowledgment.next, highest, &acknowledgment.blocks);
        self.newly_reported = news;
        news > 0 || !self.config.duplicates_need_news || self.is_recovering()
    }

    fn on_duplicate(&mut self, now: Time, connection: &mut Connection) {
        if self.is_recovering() {
            self.pipe -= self.left(connection);
        } else if connection.duplicates == DUPLICATE_THRESHOLD && self.guard.allows(connection) {
            self.enter(now, connection);
        }
    }

    fn on_acknowledgment(&mut self, _now: Time, connection: &mut Connection, bytes: u64) -> Response {
        let Some(recover) = self.recover else { return Response::NORMAL };
        if connection.unacknowledged() >= recover {
            self.recover = None;
            self.guard.forget();
        } else {
            // One segment for the retransmission that has arrived, one for the original, which is now known to be lost.
            let segment = if self.config.pipe_unit == PipeUnit::Bytes { bytes } else { connection.mss() };
            self.pipe -= 2 * signed(segment.min(connection.mss()));
            if self.has_timed_out || self.config.grows_in_phase {
                return Response::NORMAL;
            }
        }
        Response::RECOVERING
    }

    fn on_timeout(&mut self, _now: Time, connection: &mut Connection) {
        match self.config.phase_at_timeout {
            PhaseAtTimeout::Ends => self.recover = None,
            PhaseAtTimeout::GoesOn => (self.pipe, self.has_timed_out) = (0, true),
        }
        (self.is_after_timeout, self.is_entering) = (self.config.ignores_duplicates_after_timeout, false);
        self.guard.note_loss(connection);
        connection.scoreboard.clear();
    }

    fn next(&self, connection: &Connection) -> Option<Piece> {
        if self.is_recovering() {
            let waits = self.is_entering && self.config.sent_at_entry == SentAtEntry::RetransmissionAlone;
            if waits { None } else { self.next_in_phase(connection) }
        } else {
            connection.next_within(connection.window.usable())
        }
    }

    fn on_send(&mut self, _now: Time, connection: &mut Connection, piece: Piece) {
        if piece.sequence < connection.highest() {
            connection.scoreboard.note_retransmission(piece.end());
        }
        self.pipe += self.worth(connection, piece.length);
    }
}
