//! The structures of `longfat_control.h`, field by field.

use std::ffi::{c_char, c_void};

use longfat_engine::transport::law::Progress;
use longfat_engine::transport::{Delivery, LostSegment, Window as EngineWindow};
use longfat_engine::units::{Span, Time};

/// `LONGFAT_CONTROL_VERSION`.
pub const VERSION: u32 = 2;

/// `longfat_window`.
#[repr(C)]
pub struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    mss: f64,
    receiver_window: f64,
    in_slow_start: i32,
}

impl Window {
    #[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
    pub fn of(window: &EngineWindow) -> Self {
        Self {
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            mss: window.mss(),
            receiver_window: window.receiver_window() as f64,
            in_slow_start: window.in_slow_start().into(),
        }
    }
}

/// `longfat_parameter`.
#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    pub value: f64,
}

/// `longfat_progress`.
#[repr(C)]
pub struct ShownProgress {
    now_ps: u64,
    acknowledged: u64,
    round_trip_ps: u64,
    smoothed_round_trip_ps: u64,
    unacknowledged: u64,
    highest: u64,
    is_paced: i32,
    window_is_used: i32,
    one_way_delay_ps: u64,
}

impl From<&Progress> for ShownProgress {
    fn from(progress: &Progress) -> Self {
        Self {
            now_ps: progress.now.0,
            acknowledged: progress.acknowledged,
            round_trip_ps: or_zero(progress.sample),
            smoothed_round_trip_ps: or_zero(progress.smoothed_round_trip),
            unacknowledged: progress.unacknowledged,
            highest: progress.highest,
            is_paced: progress.is_paced.into(),
            window_is_used: progress.window_is_used.into(),
            one_way_delay_ps: or_zero(progress.one_way_delay),
        }
    }
}

/// `longfat_delivery`.
#[repr(C)]
pub struct ShownDelivery {
    now_ps: u64,
    bytes: u64,
    total: u64,
    total_when_sent: u64,
    in_flight_when_sent: u64,
    lost_since_sent: u64,
    rate: f64,
    round_trip_ps: u64,
    in_flight_before: u64,
    in_flight: u64,
    lost: u64,
    unacknowledged: u64,
    highest: u64,
    is_application_limited: i32,
    is_recovering: i32,
}

impl From<&Delivery> for ShownDelivery {
    fn from(delivery: &Delivery) -> Self {
        let standing = &delivery.standing;
        Self {
            now_ps: delivery.now.0,
            bytes: delivery.bytes,
            total: delivery.total,
            total_when_sent: delivery.total_when_sent,
            in_flight_when_sent: delivery.in_flight_when_sent,
            lost_since_sent: delivery.lost_since_sent,
            rate: delivery.rate.unwrap_or(0.0),
            round_trip_ps: or_zero(delivery.round_trip),
            in_flight_before: standing.in_flight_before,
            in_flight: standing.in_flight,
            lost: standing.lost,
            unacknowledged: standing.unacknowledged,
            highest: standing.highest,
            is_application_limited: delivery.is_application_limited.into(),
            is_recovering: standing.is_recovering.into(),
        }
    }
}

/// `longfat_lost_segment`.
#[repr(C)]
pub struct ShownLostSegment {
    now_ps: u64,
    begin: u64,
    bytes: u64,
    in_flight_when_sent: u64,
    lost_since_sent: u64,
    total: u64,
    is_application_limited: i32,
}

impl ShownLostSegment {
    pub fn of(lost: &LostSegment, now: Time) -> Self {
        Self {
            now_ps: now.0,
            begin: lost.begin,
            bytes: lost.bytes,
            in_flight_when_sent: lost.in_flight_when_sent,
            lost_since_sent: lost.lost_since_sent,
            total: lost.total,
            is_application_limited: lost.is_application_limited.into(),
        }
    }
}

fn or_zero(span: Option<Span>) -> u64 {
    span.map_or(0, |span| span.0)
}

/// The state of one connection's control.
pub type State = *mut c_void;
/// Method that takes a number of bytes in flight and may change the window.
pub type OnFlight = unsafe extern "C" fn(State, *mut Window, u64);
/// Function that draws a random number.
pub type Draw = unsafe extern "C" fn(*mut c_void) -> f64;

/// `longfat_methods`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Methods {
    pub version: u32,
    pub create: Option<unsafe extern "C" fn(*const Parameter, usize) -> State>,
    pub destroy: Option<unsafe extern "C" fn(State)>,
    pub on_acknowledgment: Option<unsafe extern "C" fn(State, *mut Window, *const ShownProgress)>,
    pub on_loss: Option<OnFlight>,
    pub on_timeout: Option<OnFlight>,
    pub on_mark: Option<OnFlight>,
    pub observe_marks: Option<unsafe extern "C" fn(State, u64, u64, u64, u64)>,
    pub on_delivery: Option<unsafe extern "C" fn(State, *mut Window, *const ShownDelivery)>,
    pub on_lost_segment: Option<unsafe extern "C" fn(State, *mut Window, *const ShownLostSegment)>,
    pub on_opened: Option<unsafe extern "C" fn(State, u64, u64)>,
    pub on_restart_from_idle: Option<unsafe extern "C" fn(State, u64)>,
    pub pacing_rate: Option<unsafe extern "C" fn(State, *const Window) -> f64>,
    pub take_chance: Option<unsafe extern "C" fn(State, Draw, *mut c_void)>,
}
