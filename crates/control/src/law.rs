//! Window law of one connection, implemented by a library.

use std::ffi::c_void;
use std::sync::Arc;

use libloading::Library;
use longfat_engine::random::{Stream, unit_interval};
use longfat_engine::transport::control::fail;
use longfat_engine::transport::law::{Progress, WindowLaw};
use longfat_engine::transport::{Delivery, LostSegment, Window};
use longfat_engine::units::{Span, Time};

use crate::interface::{self, Methods, OnFlight, ShownDelivery, ShownLostSegment, ShownProgress, State};

/// A control's methods, and its state.
pub struct LibraryLaw {
    name: String,
    methods: Methods,
    state: State,
    /// Random stream of the control, if it asked for one.
    chance: Option<Box<Stream>>,
    /// Keeps the library loaded.
    _library: Arc<Library>,
}

// SAFETY: the header says that a control is called by one thread at a time, not always the same; nothing else has the state.
unsafe impl Send for LibraryLaw {}

impl LibraryLaw {
    /// Wraps the state that the library has created for this connection.
    pub fn new(name: String, methods: Methods, state: State, library: Arc<Library>) -> Self {
        Self { name, methods, state, chance: None, _library: library }
    }

    /// Calls `ask` with a copy of the window, validates the result and applies it.
    fn with_window(&self, window: &mut Window, ask: impl FnOnce(State, *mut interface::Window)) {
        let mut shown = interface::Window::of(window);
        ask(self.state, &raw mut shown);
        // An unchanged window is not applied, since that would clip it to the limit and drop its fraction.
        let cwnd = if shown.cwnd == window.cwnd { Ok(()) } else { window.ask_for_cwnd(shown.cwnd) };
        cwnd.and_then(|()| window.ask_for_ssthresh(shown.ssthresh)).unwrap_or_else(|problem| fail(&self.name, problem));
    }

    fn on_flight(&self, method: Option<OnFlight>, window: &mut Window, flight: u64) {
        let Some(method) = method else { return };
        // SAFETY: the state is owned by the control, and the window lives until the method returns.
        self.with_window(window, |state, window| unsafe { method(state, window, flight) });
    }
}

impl Drop for LibraryLaw {
    fn drop(&mut self) {
        if let Some(destroy) = self.methods.destroy {
            // SAFETY: the control is not called any more.
            unsafe { destroy(self.state) };
        }
    }
}

// In all that follows the state is owned by the control, and all other pointers are valid until the method returns.
impl WindowLaw for LibraryLaw {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let Some(method) = self.methods.on_acknowledgment else { return };
        let progress = ShownProgress::from(progress);
        // SAFETY: as above.
        self.with_window(window, |state, window| unsafe { method(state, window, &raw const progress) });
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.on_flight(self.methods.on_loss, window, flight);
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.on_flight(self.methods.on_timeout, window, flight);
    }

    /// Like a loss, unless the control has a method for marks (RFC 3168 section 6.1.2).
    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.on_flight(self.methods.on_mark.or(self.methods.on_loss), window, flight);
    }

    /// If marks are treated like losses, responds once to a mark and a loss in one window of data (RFC 3168 section 6.1.2).
    fn on_loss_after_mark(&mut self, window: &mut Window, flight: u64) {
        if self.methods.on_mark.is_some() {
            self.on_loss(window, flight);
        }
    }

    fn observes_marks(&self) -> bool {
        self.methods.observe_marks.is_some()
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        if let Some(method) = self.methods.observe_marks {
            // SAFETY: as above.
            unsafe { method(self.state, acknowledged, marked, unacknowledged, highest) };
        }
    }

    fn observes_deliveries(&self) -> bool {
        self.methods.on_delivery.is_some()
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(method) = self.methods.on_delivery else { return };
        let delivery = ShownDelivery::from(delivery);
        // SAFETY: as above.
        self.with_window(window, |state, window| unsafe { method(state, window, &raw const delivery) });
    }

    fn on_lost_segment(&mut self, window: &mut Window, lost: &LostSegment, now: Time) {
        let Some(method) = self.methods.on_lost_segment else { return };
        let lost = ShownLostSegment::of(lost, now);
        // SAFETY: as above.
        self.with_window(window, |state, window| unsafe { method(state, window, &raw const lost) });
    }

    fn on_opened(&mut self, now: Time, round_trip: Span) {
        if let Some(method) = self.methods.on_opened {
            // SAFETY: as above.
            unsafe { method(self.state, now.0, round_trip.0) };
        }
    }

    fn on_restart_from_idle(&mut self, now: Time) {
        if let Some(method) = self.methods.on_restart_from_idle {
            // SAFETY: as above.
            unsafe { method(self.state, now.0) };
        }
    }

    fn forgets_when_idle(&self) -> bool {
        self.methods.pacing_rate.is_none()
    }

    fn is_paced(&self) -> bool {
        self.observes_deliveries() || self.methods.pacing_rate.is_some()
    }

    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        let method = self.methods.pacing_rate?;
        let shown = interface::Window::of(window);
        // SAFETY: as above.
        let rate = unsafe { method(self.state, &raw const shown) };
        if !(rate.is_finite() && rate >= 0.0) {
            fail(&self.name, format!("pacing_rate gives bytes per second, or 0 for none; not {rate}"));
        }
        (rate > 0.0).then_some(rate)
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        let Some(method) = self.methods.take_chance else { return };
        let stream: *mut Stream = &raw mut **self.chance.insert(Box::new(chance()));
        // SAFETY: the stream is pinned in its box for the lifetime of the control, and only the control draws from it.
        unsafe { method(self.state, draw, stream.cast()) };
    }
}

/// Draws a random number in [0, 1).
unsafe extern "C" fn draw(chance: *mut c_void) -> f64 {
    // SAFETY: `chance` was passed with this function, and nothing else has it.
    unit_interval(unsafe { &mut *chance.cast::<Stream>() }.draw())
}
