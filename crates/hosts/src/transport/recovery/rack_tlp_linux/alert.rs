//! States of a recovery: what begins and ends them, and what is undone (`tcp_fastretrans_alert`).

use longfat_foundation::units::Time;

use super::{Connection, LossRecovery, State};

impl LossRecovery {
    /// `tcp_enter_recovery`.
    pub(super) fn enter_recovery(&mut self, now: Time, connection: &mut Connection) {
        self.probe.end();
        self.undo.begin(self.losses.repaired());
        if self.is_reducing() {
            connection.statistics.fast_retransmits += 1;
        } else {
            self.undo.remember(connection);
            let reduce = |connection: &mut Connection| connection.keep_timer(|connection| connection.reduce(now));
            self.begin_reduction(connection.window.cwnd, connection, reduce);
        }
        self.state = State::Recovery { until: connection.highest() };
        connection.delay_retransmission(now);
    }

    /// Reduces the threshold now and the window over a round trip (`tcp_init_cwnd_reduction`); `before` is the window before.
    pub(super) fn begin_reduction(
        &mut self,
        before: f64,
        connection: &mut Connection,
        reduce: impl FnOnce(&mut Connection),
    ) {
        reduce(connection);
        connection.window.end_growth();
        if self.settings.proportional_rate_reduction {
            connection.window.cwnd = before;
            self.reduction.begin(&connection.window);
        }
    }

    /// `tcp_end_cwnd_reduction`, unless the reduction was undone.
    pub(super) fn end_reduction(&mut self, connection: &mut Connection) {
        if self.settings.proportional_rate_reduction && connection.window.ssthresh.is_finite() {
            connection.window.set_to_threshold();
        }
    }

    /// `tcp_cwnd_reduction`.
    pub(super) fn reduce(&mut self, connection: &mut Connection, lost: u64, advances: bool) {
        if self.is_reducing() && self.settings.proportional_rate_reduction {
            let all_well = advances && lost == 0;
            self.reduction.proceed(&mut connection.window, self.news.bytes, self.losses.in_network(), all_well);
        }
    }

    /// Whether the reduction was needless (`tcp_may_undo`).
    pub(super) fn may_undo(&self) -> bool {
        self.settings.undoes && self.undo.is_due(self.news.echoed)
    }

    /// `tcp_undo_cwnd_reduction`; with `unmark`, nothing counts as lost any more.
    pub(super) fn undo(&mut self, connection: &mut Connection, unmark: bool) {
        if unmark {
            self.losses.unmark();
        }
        self.undo.apply(connection);
    }

    /// Ends the state whose last segment is acknowledged (step D of `tcp_fastretrans_alert`).
    pub(super) fn end_state(&mut self, connection: &mut Connection) {
        match self.state {
            State::Reducing { until } if connection.unacknowledged() > until => {
                self.end_reduction(connection);
                self.state = State::Open;
                connection.note_recovered();
            }
            State::Recovery { until } if connection.unacknowledged() >= until => {
                if self.may_undo() {
                    self.undo(connection, false);
                } else {
                    self.reordering.note_recovery_end();
                    self.end_reduction(connection);
                }
                self.state = State::Open;
            }
            _ => {}
        }
    }

    /// `tcp_process_loss`.
    pub(super) fn process_loss(&mut self, connection: &mut Connection, until: u64, advances: bool) {
        let recovered = connection.unacknowledged() >= until;
        let is_spurious = self.frto && self.news.original.is_some_and(|end| end <= until);
        if (advances && self.may_undo()) || is_spurious {
            self.undo(connection, true);
            (self.state, self.frto) = (State::Open, false);
            return;
        }
        if self.frto {
            if connection.highest() > until {
                self.frto = !self.news.beyond && advances;
            } else if advances && !recovered {
                self.state = State::Loss { until: connection.highest() };
                self.tries_new = true;
                return;
            }
        }
        if recovered {
            self.reordering.note_recovery_end();
            (self.state, self.frto) = (State::Open, false);
        }
    }

    /// `tcp_fastretrans_alert`, and the part of `tcp_cong_control` that reduces the window. Whether the window may grow.
    pub(super) fn respond(&mut self, now: Time, connection: &mut Connection, advances: bool) -> bool {
        if self.state == State::Open {
            self.undo.forget_retransmissions();
        }
        self.end_state(connection);
        if let State::Recovery { .. } = self.state
            && advances
            && self.settings.undoes
            && self.undo.was_delayed(self.news.echoed)
            && self.losses.repaired() == 0
        {
            self.undo(connection, true);
            self.state = State::Open;
        }
        if let State::Loss { until } = self.state {
            self.process_loss(connection, until, advances);
        }
        if self.state == State::Open && self.settings.undoes && self.undo.is_answered() {
            self.undo(connection, false);
        }
        let lost = self.look_for_losses(now, connection);
        let stays = match self.state {
            State::Recovery { .. } => true,
            State::Loss { .. } => !self.losses.has_lost_repair(),
            State::Open | State::Reducing { .. } => false,
        };
        if !stays && self.has_losses() {
            self.enter_recovery(now, connection);
        }
        self.reduce(connection, lost, advances);
        advances && !self.is_reducing()
    }
}
