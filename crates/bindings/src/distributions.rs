//! Student's t and Fisher's F for the analyses in Python, so that these need no scientific library of a hundred megabytes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use statrs::function::beta::beta_reg;

/// Probability that Student's t exceeds `t`, for `t >= 0` (Abramowitz and Stegun 26.7.1, halved).
fn student_tail(degrees: f64, t: f64) -> f64 {
    0.5 * beta_reg(0.5 * degrees, 0.5, degrees / (degrees + t * t))
}

/// Bisects the tail, which falls with `t`, until no number is left between the limits. Smaller tails keep their relative
/// precision. The quantile of statrs is not used: it is wrong from the sixth digit on for many degrees of freedom.
#[pyfunction]
pub fn student_quantile(degrees_of_freedom: f64, probability: f64) -> PyResult<f64> {
    if !(degrees_of_freedom > 0.0 && degrees_of_freedom.is_finite() && (0.0..=1.0).contains(&probability)) {
        let problem = format!("no quantile {probability} with {degrees_of_freedom} degrees of freedom");
        return Err(PyValueError::new_err(problem));
    }
    let wanted = probability.min(1.0 - probability);
    let sign = if probability < 0.5 { -1.0 } else { 1.0 };
    if wanted == 0.0 {
        return Ok(sign * f64::INFINITY);
    }
    let (mut low, mut high) = (0.0_f64, 1.0);
    while student_tail(degrees_of_freedom, high) > wanted {
        (low, high) = (high, 2.0 * high);
    }
    loop {
        let middle = low.midpoint(high);
        if middle <= low || middle >= high {
            return Ok(sign * middle);
        }
        if student_tail(degrees_of_freedom, middle) > wanted { low = middle } else { high = middle }
    }
}

/// Probability that F exceeds `ratio` (Abramowitz and Stegun 26.6.2).
#[pyfunction]
pub fn f_tail(degrees: f64, error_degrees: f64, ratio: f64) -> PyResult<f64> {
    if !(degrees > 0.0 && error_degrees > 0.0 && ratio >= 0.0) {
        let problem = format!("no tail of F at {ratio} with {degrees} and {error_degrees} degrees of freedom");
        return Err(PyValueError::new_err(problem));
    }
    let share = error_degrees / (error_degrees + degrees * ratio);
    Ok(beta_reg(0.5 * error_degrees, 0.5 * degrees, share))
}
