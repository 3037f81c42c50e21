//! The window while losses are repaired (section 4.2.3.4).

use super::{Law, LossResponse, State};
use crate::transport::law::Phase;
use crate::transport::{Delivery, Standing, Window};

/// State of the repair of losses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    None,
    /// Duplicate acknowledgments have just shown a loss.
    Begins,
    /// Losses that duplicates have shown; in the first round packets are conserved.
    Losses,
    /// A timeout, until all data sent before it is acknowledged.
    Timeout {
        recovery_point: Option<u64>,
    },
}

/// The repair of losses, as the window sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repair {
    response: LossResponse,
    step: Step,
    /// Whether packets are conserved: as many are sent as are delivered.
    conserves: bool,
    /// State of the recovery at the acknowledgment before (`prev_ca_state`).
    before: Phase,
}

impl Repair {
    pub fn new(response: LossResponse) -> Self {
        Self { response, step: Step::None, conserves: false, before: Phase::Open }
    }

    /// A loss was found.
    pub fn begin(&mut self) {
        self.step = Step::Begins;
    }

    /// The timer has expired.
    pub fn time_out(&mut self) {
        self.step = Step::Timeout { recovery_point: None };
        self.before = Phase::Loss;
    }

    /// The timeout was needless.
    pub fn end_timeout(&mut self) {
        if matches!(self.step, Step::Timeout { .. }) {
            self.step = Step::None;
        }
    }

    /// A round has ended: packets are not conserved any longer.
    pub fn end_conservation(&mut self) {
        self.conserves = false;
    }

    /// Whether neither a loss nor a timeout is being repaired.
    fn is_over(&self) -> bool {
        match self.response {
            LossResponse::Draft => self.step == Step::None,
            LossResponse::Kernel => !matches!(self.before, Phase::Recovery | Phase::Loss),
        }
    }

    /// Whether all that was sent before a timeout is acknowledged.
    fn has_passed(&mut self, standing: &Standing) -> bool {
        match &mut self.step {
            Step::Timeout { recovery_point } => {
                standing.unacknowledged >= *recovery_point.get_or_insert(standing.highest)
            }
            Step::None | Step::Begins | Step::Losses => true,
        }
    }

    /// State of the recovery after an acknowledgment.
    fn phase(&mut self, standing: &Standing) -> Phase {
        if standing.is_recovering {
            Phase::Recovery
        } else if self.has_passed(standing) {
            self.step = Step::None;
            Phase::Open
        } else {
            Phase::Loss
        }
    }
}

impl Law {
    /// Takes losses from the window; returns whether it may grow then.
    pub(super) fn follow_losses(&mut self, window: &mut Window, delivery: &Delivery) -> bool {
        match self.settings.loss_response {
            LossResponse::Draft => self.modulate_for_repair(window, delivery),
            LossResponse::Kernel => delivery.bytes > 0 && self.recover_or_restore(window, delivery),
        }
    }

    /// Section 4.2.3.4.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn modulate_for_repair(&mut self, window: &mut Window, delivery: &Delivery) -> bool {
        let (in_flight, delivered) = (delivery.standing.in_flight as f64, delivery.bytes as f64);
        match self.repair.step {
            Step::Begins => {
                window.set(in_flight + delivered.max(window.mss()));
                self.rounds.begin(delivery.total);
                (self.repair.step, self.repair.conserves) = (Step::Losses, true);
            }
            Step::Losses => {
                window.cwnd = (window.cwnd - delivery.standing.lost as f64).max(window.mss());
                if self.repair.conserves {
                    window.set(window.cwnd.max(in_flight + delivered));
                }
            }
            Step::None | Step::Timeout { .. } => return true,
        }
        !self.repair.conserves
    }

    /// `bbr_set_cwnd_to_recover_or_restore`.
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    fn recover_or_restore(&mut self, window: &mut Window, delivery: &Delivery) -> bool {
        let standing = &delivery.standing;
        let units = self.units;
        let whole = |bytes: u64| units.whole(bytes as f64);
        let conserved = || whole(standing.in_flight) + whole(delivery.bytes);
        let was_repairing = !self.repair.is_over();
        let before = self.repair.before;
        self.repair.before = self.repair.phase(standing);
        if standing.lost > 0 {
            window.set((window.cwnd - whole(standing.lost)).max(window.mss()));
        }
        if self.repair.before == Phase::Recovery && before != Phase::Recovery {
            self.repair.conserves = true;
            self.rounds.begin(delivery.total);
            window.set(conserved());
        } else if was_repairing && self.repair.is_over() {
            window.set(window.cwnd.max(self.window_before));
            self.repair.conserves = false;
        }
        if self.repair.conserves {
            window.set(window.cwnd.max(conserved()));
        }
        !self.repair.conserves
    }

    /// Restores the window when all losses are repaired.
    pub(super) fn check_repair(&mut self, window: &mut Window, delivery: &Delivery) {
        if self.settings.loss_response == LossResponse::Kernel {
            return;
        }
        let standing = &delivery.standing;
        let is_over = match self.repair.step {
            Step::None | Step::Begins => false,
            Step::Losses => !standing.is_recovering,
            Step::Timeout { .. } => self.repair.has_passed(standing),
        };
        if is_over {
            self.repair.step = Step::None;
            window.set(window.cwnd.max(self.window_before));
        }
    }

    /// `BBRSaveCwnd` of section 4.2.3.4.
    pub(super) fn save_window(&mut self, window: &Window) {
        let is_probing = matches!(self.state, State::ProbeRoundTrip { .. });
        let is_unchanged = self.repair.is_over() && !is_probing;
        self.window_before = if is_unchanged { window.cwnd } else { self.window_before.max(window.cwnd) };
    }
}
