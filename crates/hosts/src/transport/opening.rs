//! Effects of lost SYNs on the handshake and the first window.

use super::TcpConfig;

longfat_foundation::choice! {
    /// Effect of lost SYNs on what follows.
    pub enum LostSynRule {
        /// The timeout doubles each time, and the first window is one segment (RFC 5681 section 3.1). No round trip is measured (Karn).
        Rfc5681 = "rfc-5681",
        /// The first window is one segment only if two were lost (Linux, `tcp_init_transfer`). With timestamps the round trip of the SYN that
        /// was answered is measured; if that was the first, none was lost (`tcp_try_undo_spurious_syn`).
        Linux61 = "linux-6.1",
        /// So too, and the first five timeouts are alike (`tcp_syn_linear_timeouts`, from 6.5 on).
        Linux65 = "linux-6.5",
    }
    absent Rfc5681
}

/// Timeouts of a SYN that are alike, from Linux 6.5 on (`tcp_syn_linear_timeouts`, after which the next one doubles).
const ALIKE: u32 = 4;

/// The rule of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostSyns {
    rule: LostSynRule,
    has_timestamps: bool,
}

impl LostSyns {
    pub fn of(config: &TcpConfig) -> Self {
        Self { rule: config.lost_syns, has_timestamps: config.timestamps }
    }

    /// Whether the round trip of a SYN that was sent more than once can be measured.
    pub fn knows_which_was_answered(self) -> bool {
        self.rule != LostSynRule::Rfc5681 && self.has_timestamps
    }

    /// Whether the first window is one segment after a SYN that was sent `again` so many times; `of_first` if the first was answered.
    pub fn close_window(self, again: u32, of_first: bool) -> bool {
        match self.rule {
            LostSynRule::Rfc5681 => again > 0,
            LostSynRule::Linux61 | LostSynRule::Linux65 => again > 1 && !(of_first && self.has_timestamps),
        }
    }

    /// Whether the timeout doubles for a SYN that was sent `again` so many times before.
    pub fn backs_off(self, again: u32) -> bool {
        self.rule != LostSynRule::Linux65 || again >= ALIKE
    }
}
