//! Objects that Python controls receive.

use longfat_engine::random::{Stream, unit_interval};
use longfat_engine::transport::law::Progress;
use longfat_engine::transport::{Delivery, LostSegment, Window};
use longfat_engine::units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Congestion window during a call of a control.
#[pyclass(name = "Window", module = "longfat.controls")]
#[derive(Default)]
pub struct ShownWindow(Option<Window>);

impl ShownWindow {
    /// Copies the engine's window.
    pub fn show(&mut self, window: &Window) {
        match &mut self.0 {
            Some(shown) => shown.clone_from(window),
            None => self.0 = Some(window.clone()),
        }
    }

    /// Applies the control's changes to the engine's window.
    pub fn take_over(&self, window: &mut Window) {
        if let Some(shown) = &self.0 {
            window.clone_from(shown);
        }
    }

    fn get(&self) -> PyResult<&Window> {
        self.0.as_ref().ok_or_else(|| PyValueError::new_err("no control is being asked"))
    }

    fn get_mut(&mut self) -> PyResult<&mut Window> {
        self.0.as_mut().ok_or_else(|| PyValueError::new_err("no control is being asked"))
    }
}

#[pymethods]
impl ShownWindow {
    #[getter]
    fn cwnd(&self) -> PyResult<f64> {
        self.get().map(|window| window.cwnd)
    }

    /// Sets the window: at least a segment, at most the scenario's limit.
    #[setter]
    fn set_cwnd(&mut self, bytes: f64) -> PyResult<()> {
        self.get_mut()?.ask_for_cwnd(bytes).map_err(PyValueError::new_err)
    }

    #[getter]
    fn ssthresh(&self) -> PyResult<f64> {
        self.get().map(|window| window.ssthresh)
    }

    #[setter]
    fn set_ssthresh(&mut self, bytes: f64) -> PyResult<()> {
        self.get_mut()?.ask_for_ssthresh(bytes).map_err(PyValueError::new_err)
    }

    #[getter]
    fn mss(&self) -> PyResult<f64> {
        self.get().map(Window::mss)
    }

    #[getter]
    fn receiver_window(&self) -> PyResult<u64> {
        self.get().map(Window::receiver_window)
    }

    #[getter]
    fn in_slow_start(&self) -> PyResult<bool> {
        self.get().map(Window::in_slow_start)
    }

    fn grow_classically(&mut self, acknowledged: u64) -> PyResult<()> {
        self.get_mut().map(|window| window.grow_classically(acknowledged))
    }

    fn grow_exponentially(&mut self, acknowledged: u64) -> PyResult<()> {
        self.get_mut().map(|window| window.grow_exponentially(acknowledged))
    }

    fn halve(&mut self, flight: u64) -> PyResult<()> {
        self.get_mut().map(|window| window.halve(flight))
    }

    fn halve_threshold(&mut self, flight: u64) -> PyResult<()> {
        self.get_mut().map(|window| window.halve_threshold(flight))
    }

    fn collapse(&mut self) -> PyResult<()> {
        self.get_mut().map(Window::collapse)
    }

    fn __repr__(&self) -> String {
        self.0.as_ref().map_or_else(
            || "<Window>".to_owned(),
            |window| format!("<Window: cwnd {} B, ssthresh {} B>", window.cwnd, window.ssthresh),
        )
    }
}

/// Validates a pacing rate returned by a control.
pub fn checked_rate(rate: Option<f64>) -> PyResult<Option<f64>> {
    match rate {
        Some(rate) if !(rate.is_finite() && rate > 0.0) => {
            Err(PyValueError::new_err(format!("pacing_rate gives bytes per second above 0, or None; not {rate}")))
        }
        _ => Ok(rate),
    }
}

/// Progress reported by an acknowledgment of new data.
#[pyclass(name = "Progress", module = "longfat.controls", frozen)]
pub struct ShownProgress(pub Progress);

#[pymethods]
impl ShownProgress {
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_seconds()
    }
    #[getter]
    fn acknowledged(&self) -> u64 {
        self.0.acknowledged
    }
    #[getter]
    fn round_trip_s(&self) -> Option<f64> {
        self.0.sample.map(|sample| sample.as_seconds())
    }
    #[getter]
    fn one_way_delay_s(&self) -> Option<f64> {
        self.0.one_way_delay.map(|delay| delay.as_seconds())
    }
    #[getter]
    fn smoothed_round_trip_s(&self) -> Option<f64> {
        self.0.smoothed_round_trip.map(|round_trip| round_trip.as_seconds())
    }
    #[getter]
    fn is_paced(&self) -> bool {
        self.0.is_paced
    }
    #[getter]
    fn unacknowledged(&self) -> u64 {
        self.0.unacknowledged
    }
    #[getter]
    fn highest(&self) -> u64 {
        self.0.highest
    }
    #[getter]
    fn window_is_used(&self) -> bool {
        self.0.window_is_used
    }
}

/// Delivery rate sample of an acknowledgment.
#[pyclass(name = "Delivery", module = "longfat.controls", frozen)]
pub struct ShownDelivery(pub Delivery);

#[pymethods]
impl ShownDelivery {
    #[getter]
    fn now_s(&self) -> f64 {
        self.0.now.as_seconds()
    }
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes
    }
    #[getter]
    fn total(&self) -> u64 {
        self.0.total
    }
    #[getter]
    fn total_when_sent(&self) -> u64 {
        self.0.total_when_sent
    }
    #[getter]
    fn in_flight_when_sent(&self) -> u64 {
        self.0.in_flight_when_sent
    }
    #[getter]
    fn lost_since_sent(&self) -> u64 {
        self.0.lost_since_sent
    }
    #[getter]
    fn rate(&self) -> Option<f64> {
        self.0.rate
    }
    #[getter]
    fn is_application_limited(&self) -> bool {
        self.0.is_application_limited
    }
    #[getter]
    fn round_trip_s(&self) -> Option<f64> {
        self.0.round_trip.map(|round_trip| round_trip.as_seconds())
    }
    #[getter]
    fn in_flight_before(&self) -> u64 {
        self.0.standing.in_flight_before
    }
    #[getter]
    fn in_flight(&self) -> u64 {
        self.0.standing.in_flight
    }
    #[getter]
    fn lost(&self) -> u64 {
        self.0.standing.lost
    }
    #[getter]
    fn is_recovering(&self) -> bool {
        self.0.standing.is_recovering
    }
    #[getter]
    fn unacknowledged(&self) -> u64 {
        self.0.standing.unacknowledged
    }
    #[getter]
    fn highest(&self) -> u64 {
        self.0.standing.highest
    }
}

/// A segment that the recovery has detected as lost.
#[pyclass(name = "LostSegment", module = "longfat.controls", frozen)]
pub struct ShownLostSegment {
    pub lost: LostSegment,
    pub now: Time,
}

#[pymethods]
impl ShownLostSegment {
    #[getter]
    fn now_s(&self) -> f64 {
        self.now.as_seconds()
    }
    #[getter]
    fn begin(&self) -> u64 {
        self.lost.begin
    }
    #[getter]
    fn bytes(&self) -> u64 {
        self.lost.bytes
    }
    #[getter]
    fn in_flight_when_sent(&self) -> u64 {
        self.lost.in_flight_when_sent
    }
    #[getter]
    fn lost_since_sent(&self) -> u64 {
        self.lost.lost_since_sent
    }
    #[getter]
    fn is_application_limited(&self) -> bool {
        self.lost.is_application_limited
    }
    #[getter]
    fn total(&self) -> u64 {
        self.lost.total
    }
}

/// Random stream of a connection, for its control.
#[pyclass(module = "longfat.controls")]
pub struct Chance(Stream);

impl Chance {
    /// Wraps a stream.
    pub fn of(stream: Stream) -> Self {
        Self(stream)
    }
}

#[pymethods]
impl Chance {
    /// Draws a random number in [0, 1).
    fn draw(&mut self) -> f64 {
        unit_interval(self.0.draw())
    }
}
