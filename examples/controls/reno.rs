//! Slow start and congestion avoidance, written out (RFC 5681 section 3): `reno.py` in Rust.
//!
//!     rustc --edition 2021 -O --crate-type cdylib -o reno.so reno.rs
//!
//! The structures are those of `longfat_control.h`, in its order.

use std::ffi::{CStr, c_char, c_void};

#[repr(C)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
    mss: f64,
    receiver_window: f64,
    in_slow_start: i32,
}

#[repr(C)]
pub struct Parameter {
    name: *const c_char,
    value: f64,
}

type Control = *mut c_void;
type OnFlight = extern "C" fn(Control, &mut Window, u64);
/// A method that this control does without: null.
type Without = Option<extern "C" fn()>;

#[repr(C)]
pub struct Methods {
    version: u32,
    create: extern "C" fn(*const Parameter, usize) -> Control,
    destroy: extern "C" fn(Control),
    on_acknowledgment: extern "C" fn(Control, &mut Window, *const c_void),
    on_loss: OnFlight,
    on_timeout: OnFlight,
    on_mark: Without,
    observe_marks: Without,
    on_delivery: Without,
    on_lost_segment: Without,
    on_opened: Without,
    on_restart_from_idle: Without,
    pacing_rate: Without,
    take_chance: Without,
}

struct Reno {
    /// What a loss leaves of the window.
    beta: f64,
}

impl Reno {
    fn reduce_threshold(&self, window: &mut Window) {
        let left = (self.beta * window.cwnd).min(window.receiver_window);
        window.ssthresh = left.max(2.0 * window.mss);
    }
}

extern "C" fn create(parameters: *const Parameter, count: usize) -> Control {
    let mut reno = Reno { beta: 0.5 };
    for place in 0..count {
        // SAFETY: longfat passes `count` parameters, whose names end with a zero.
        let (name, value) = unsafe {
            let parameter = &*parameters.add(place);
            (CStr::from_ptr(parameter.name), parameter.value)
        };
        if name != c"beta" {
            return std::ptr::null_mut();
        }
        reno.beta = value;
    }
    Box::into_raw(Box::new(reno)).cast()
}

extern "C" fn destroy(control: Control) {
    // SAFETY: `create` made it, and longfat destroys it once.
    drop(unsafe { Box::from_raw(control.cast::<Reno>()) });
}

extern "C" fn on_acknowledgment(_: Control, window: &mut Window, _: *const c_void) {
    window.cwnd += if window.in_slow_start != 0 { window.mss } else { window.mss * window.mss / window.cwnd };
}

extern "C" fn on_loss(control: Control, window: &mut Window, _: u64) {
    reno(control).reduce_threshold(window);
    window.cwnd = window.ssthresh;
}

extern "C" fn on_timeout(control: Control, window: &mut Window, _: u64) {
    reno(control).reduce_threshold(window);
    window.cwnd = window.mss;
}

fn reno<'a>(control: Control) -> &'a Reno {
    // SAFETY: `create` made it, and it lives until `destroy`.
    unsafe { &*control.cast() }
}

static METHODS: Methods = Methods {
    version: 2,
    create,
    destroy,
    on_acknowledgment,
    on_loss,
    on_timeout,
    on_mark: None,
    observe_marks: None,
    on_delivery: None,
    on_lost_segment: None,
    on_opened: None,
    on_restart_from_idle: None,
    pacing_rate: None,
    take_chance: None,
};

#[unsafe(no_mangle)]
pub extern "C" fn longfat_control() -> *const Methods {
    &METHODS
}
