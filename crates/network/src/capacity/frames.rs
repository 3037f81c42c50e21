//! Frames of lines whose capacity is asked for.

use longfat_foundation::config::format_span;
use longfat_foundation::units::Span;

/// Maximum of frames between a request and its grant.
const MOST_FRAMES: u64 = 10_000;

/// Shortest frame. No satellite system has shorter ones, and their events would dominate a run.
const SHORTEST_FRAME: Span = Span::from_microseconds(1000);

/// Errors of the length of a frame and of the time from a request to its grant, as (parameter, message).
pub fn objections(frame: Span, response: Span) -> Vec<(&'static str, String)> {
    if frame < SHORTEST_FRAME {
        return vec![("frame", format!("must be at least {}", format_span(SHORTEST_FRAME)))];
    }
    if number_in(response, frame) > MOST_FRAMES {
        let (response, frame) = (format_span(response), format_span(frame));
        let message = format!("{response} are more than {MOST_FRAMES} frames of {frame}; make frames longer");
        return vec![("frame", message)];
    }
    Vec::new()
}

/// Number of frames that a span takes, begun ones included.
pub fn number_in(span: Span, frame: Span) -> u64 {
    span.0.div_ceil(frame.0)
}
