//! The handshake (RFC 9000 section 7, RFC 9001 section 4), by the sizes of its messages.

use super::{End, Side, Space};

/// Size of a `ServerHello` with an X25519 key share (RFC 8446 section 4.1.3).
const SERVER_HELLO_BYTES: u64 = 90;

/// Size of a `Finished` message with SHA-256 (RFC 8446 section 4.4.4).
const FINISHED_BYTES: u64 = 36;

/// Bytes that a server may send for each that it has received, before it knows the client's address (RFC 9000 section 8.1).
const AMPLIFICATION_LIMIT: u64 = 3;

impl End {
    /// The client says hello.
    pub(super) fn begin_handshake(&mut self) {
        self.space(Space::Initial).has_keys = true;
        if self.side == Side::Client {
            self.space(Space::Initial).crypto_out.offered = self.settings.client_hello;
            self.space(Space::Data).has_keys = self.settings.has_early_data;
        }
    }

    /// All of the server's messages after its hello.
    fn rest_of_flight(&self) -> u64 {
        self.settings.server_flight.saturating_sub(SERVER_HELLO_BYTES).max(1)
    }

    /// Does what follows from the messages that have arrived.
    pub(super) fn proceed_with_handshake(&mut self) {
        let [in_initial, in_handshake] = [0, 1].map(|space: usize| self.spaces[space].crypto_in.delivered);
        let has_handshake_keys = self.spaces[Space::Handshake as usize].has_keys;
        let rest = self.rest_of_flight();
        match self.side {
            Side::Client => {
                if in_initial >= SERVER_HELLO_BYTES {
                    self.space(Space::Handshake).has_keys = true;
                }
                if in_handshake >= rest && !self.is_complete {
                    self.complete();
                    self.space(Space::Handshake).crypto_out.offered = FINISHED_BYTES;
                    self.space(Space::Data).has_keys = true;
                }
            }
            Side::Server => {
                if in_initial >= self.settings.client_hello && !has_handshake_keys {
                    self.space(Space::Initial).crypto_out.offered = SERVER_HELLO_BYTES;
                    let handshake = self.space(Space::Handshake);
                    handshake.has_keys = true;
                    handshake.crypto_out.offered = rest;
                    self.space(Space::Data).has_keys = true;
                }
                if in_handshake >= FINISHED_BYTES && !self.is_complete {
                    self.complete();
                    self.pending.handshake_done = true;
                    self.confirm();
                }
            }
        }
    }

    /// The handshake is complete (RFC 9001 section 4.1.1).
    fn complete(&mut self) {
        self.is_complete = true;
        self.pending.ack_frequency = self.settings.asked.is_some();
    }

    /// The handshake is confirmed (RFC 9001 section 4.1.2).
    pub(super) fn confirm(&mut self) {
        self.is_confirmed = true;
        self.discard(Space::Handshake);
    }

    /// Forgets a space whose keys are needed no more (RFC 9001 section 4.9; RFC 9002 section 6.4).
    pub(super) fn discard(&mut self, space: Space) {
        let state = self.space(space);
        if state.is_discarded {
            return;
        }
        state.is_discarded = true;
        state.probes = 0;
        let bytes = std::mem::take(&mut state.sent).bytes_in_flight();
        self.congestion.forget(bytes);
        self.probe_timeouts = 0;
    }

    /// True if a server may not send another full datagram before it hears from the client.
    pub(super) fn is_held_back(&self) -> bool {
        !self.is_validated && self.sent_bytes + self.settings.packet_bytes > AMPLIFICATION_LIMIT * self.received_bytes
    }
}
