//! Proportional rate reduction in segments, from the window (`tcp_cwnd_reduction`).

use crate::transport::Window;

/// Counters of one reduction, in segments.
///
/// RFC 9937 reduces from the bytes in flight at the start (`RecoverFS`), Linux from the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateReduction {
    /// The window at the start (`prior_cwnd`).
    from: u64,
    /// Segments delivered (`prr_delivered`) and sent (`prr_out`) since.
    delivered: u64,
    sent: u64,
}

impl RateReduction {
    /// Starts from the present window.
    pub fn begin(&mut self, window: &Window) {
        *self = Self { from: window.segments().max(1), ..Self::default() };
    }

    /// Records a segment sent.
    pub fn note_sent(&mut self) {
        self.sent += 1;
    }

    /// Sets the window to what is `in_network` and what may be sent for an acknowledgment that delivers `bytes` bytes; `all_well` if it
    /// advances the left edge and shows no loss. The first retransmission is never held back.
    pub fn proceed(&mut self, window: &mut Window, bytes: u64, in_network: u64, all_well: bool) {
        let newly = window.in_segments(bytes);
        if newly == 0 {
            return;
        }
        self.delivered += newly;
        let (threshold, in_network) = (window.threshold_segments(), window.in_segments(in_network));
        let allowed = if in_network > threshold {
            (threshold * self.delivered).div_ceil(self.from).saturating_sub(self.sent)
        } else {
            let conserved = self.delivered.saturating_sub(self.sent).max(newly) + u64::from(all_well);
            conserved.min(threshold - in_network)
        };
        window.set_segments(in_network + allowed.max(u64::from(self.sent == 0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::window;

    const MSS: u64 = 1000;

    /// A window of 40 segments that is to become 20.
    fn started() -> (RateReduction, Window) {
        let mut window = window(40.0 * 1000.0);
        window.ssthresh = 20.0 * 1000.0;
        let mut reduction = RateReduction::default();
        reduction.begin(&window);
        (reduction, window)
    }

    /// By hand: ceil(20 * 1 / 40) = 1 for the first segment delivered, then one for every second.
    #[test]
    fn above_the_threshold_a_segment_goes_for_every_second_that_is_delivered() {
        let (mut reduction, mut window) = started();
        let mut sent = Vec::new();
        for in_network in [36, 36, 35, 35] {
            reduction.proceed(&mut window, MSS, in_network * MSS, false);
            let may_send = window.segments() - in_network;
            (0..may_send).for_each(|_| reduction.note_sent());
            sent.push(may_send);
        }
        assert_eq!(sent, [1, 0, 1, 0]);
    }

    #[test]
    fn below_the_threshold_it_conserves_packets_and_grows_by_one_if_all_is_well() {
        let (mut reduction, mut window) = started();
        (0..10).for_each(|_| reduction.note_sent());
        reduction.proceed(&mut window, 2 * MSS, 15 * MSS, false);
        assert_eq!(window.segments(), 17);
        reduction.proceed(&mut window, 2 * MSS, 15 * MSS, true);
        assert_eq!(window.segments(), 18);
        reduction.proceed(&mut window, 2 * MSS, 19 * MSS, true);
        assert_eq!(window.segments(), 20, "not above the threshold");
    }

    #[test]
    fn the_first_retransmission_is_not_held_back() {
        let (mut reduction, mut window) = started();
        reduction.proceed(&mut window, MSS, 20 * MSS, false);
        assert_eq!(window.segments(), 21);
    }

    #[test]
    fn an_acknowledgment_that_delivers_nothing_changes_nothing() {
        let (mut reduction, mut window) = started();
        reduction.proceed(&mut window, 0, 10 * MSS, true);
        assert_eq!(window.segments(), 40);
    }
}
