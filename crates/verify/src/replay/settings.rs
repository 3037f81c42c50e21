//! Conversion of ns-2's variables to a scenario.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::recorded::Trace;

/// Sizes of segment data and of headers; the traces have packets of 1040 bytes and acknowledgments of 40.
const SEGMENT_BYTES: u64 = 1000;
const HEADER_BYTES: u64 = 40;

type Variables<'t> = BTreeMap<&'t str, &'t str>;

/// Scenario of a trace.
pub fn scenario_of(trace: &Trace) -> Result<Json, String> {
    let starts = trace.list("starts")?;
    let link = |name: &str| -> Result<Json, String> {
        let rate = trace.get(&format!("{name}_bits_per_second"))?;
        Ok(json!({ "rate": format!("{rate} bit/s"), "delay": seconds(trace.get(&format!("{name}_delay_seconds"))?)? }))
    };
    Ok(json!({
        "schema_version": 1,
        "duration": seconds(trace.get("end")?)?,
        "topology": { "kind": "n-source", "sources": starts.len(), "access": link("access")?, "bottleneck": link("bottleneck")? },
        "framing": { "kind": "packet", "header": format!("{HEADER_BYTES} B") },
        "port": port(trace)?,
        "loss": losses(trace, "lost_data")?,
        "acknowledgment_loss": losses(trace, "lost_acknowledgments")?,
        "traffic": { "kind": "infinite", "stagger": seconds(starts.get(1).unwrap_or(&"0"))? },
        "tcp": tcp(trace)?,
    }))
}

/// Queue of the bottleneck.
fn port(trace: &Trace) -> Result<Json, String> {
    let buffer = format!("{} packets", trace.get("waiting_places")?);
    if trace.get("red").is_err() {
        return Ok(json!({ "buffer": buffer, "policy": "tail-drop" }));
    }
    Ok(json!({ "buffer": buffer, "queue": red(&trace.variables("red")?)? }))
}

/// RED as `REDQueue::enque` has it.
fn red(variables: &Variables<'_>) -> Result<Json, String> {
    let get = |name: &str| variables.get(name).copied().ok_or_else(|| format!("{name} is not set"));
    let number = |name: &str| get(name)?.parse::<f64>().map_err(|_| format!("{name} is no number"));
    Ok(json!({
        "kind": "red",
        "minimum": format!("{} packets", get("thresh_")?),
        "maximum": format!("{} packets", get("maxthresh_")?),
        "maximum_probability": 1.0 / number("linterm_")?,
        "weight": number("q_weight_")?,
        "gentle": is_set(variables, "gentle_"),
        "spacing": if is_set(variables, "wait_") { "uniform-after-wait" } else { "uniform" },
        "short_queue": "let-in",
        "first_above_minimum": "let-in",
        "samples_after_idle": "idle-time-and-arrival",
    }))
}

/// Converts seconds, possibly with an exponent, to a duration.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
fn seconds(number: &str) -> Result<String, String> {
    let seconds = number.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| format!("{number} is no number of seconds"))?;
    Ok(format!("{} ps", (seconds * 1e12).round() as u64))
}

/// Converts a number of segments to bytes.
fn bytes(segments: u64) -> Result<String, String> {
    let bytes = segments.checked_mul(SEGMENT_BYTES).ok_or_else(|| format!("nobody has {segments} segments"))?;
    Ok(format!("{bytes} B"))
}

fn losses(trace: &Trace, key: &str) -> Result<Json, String> {
    let numbers: Result<Vec<u64>, _> = trace.list(key)?.iter().map(|number| number.parse()).collect();
    let numbers = numbers.map_err(|_| format!("{key} is no list of numbers"))?;
    Ok(if numbers.is_empty() { "none".into() } else { json!({ "kind": "list", "drops": [numbers] }) })
}

fn tcp(trace: &Trace) -> Result<Json, String> {
    let sender = trace.variables("sender")?;
    let get = |name: &str| sender.get(name).copied().ok_or_else(|| format!("{name} is not set"));
    let window: u64 = get("window_")?.parse().map_err(|_| "window_ is no number")?;
    let mut tcp = json!({
        "flavor": flavor(trace.get("agent")?, &sender)?,
        "mss": format!("{SEGMENT_BYTES} B"),
        "receiver_window": bytes(window)?,
        "initial_window": format!("{} MSS", get("windowInit_")?),
        "initial_ssthresh": "receiver-window",
        // slowdown(): half of the smaller window in whole segments; with precisionReduce_ the window itself keeps its fraction.
        "ssthresh_rule": "bsd",
        "window_after_loss": if is_set(&sender, "precisionReduce_") { "half" } else { "half-in-segments" },
        // opencwnd(): slow start below the threshold, and no limit.
        "slow_start_at_ssthresh": false,
        "cwnd_limit": "unlimited",
        "timer_granularity": seconds(get("tcpTick_")?)?,
        "timer_phase": "from-start",
        // rtt_update() and rtt_timeout(), and rtt_backoff(), which forgets the mean at the fourth consecutive expiry.
        "retransmission_timeout": {
            "kind": "rfc-6298", "minimum": seconds(get("minrto_")?)?, "maximum": seconds(get("maxrto_")?)?, "initial": "3 s",
            "timeouts_until_fresh_start": 4,
        },
        "round_trips_in_recovery": round_trips_in_recovery(trace.get("agent")?),
        "limited_transmit": is_set(&sender, "singledup_"),
        "sack_option_size": "blocks-only",
    });
    if trace.get("sink")?.ends_with("DelAck") {
        let delay = trace.variables("receiver")?.get("interval_").copied().ok_or("interval_ is not set")?.to_owned();
        // DelAckSink::recv delays the answer to every segment that is the last in order, new or not.
        tcp["acknowledgments"] =
            json!({ "kind": "delayed", "delay": seconds(&delay)?, "answer_to_repetition": "delayed" });
    }
    if is_set(&sender, "newreno_changes_") {
        tcp["initial_ssthresh"] = bytes(hoes_threshold(trace)?)?.into();
    }
    Ok(tcp)
}

fn is_set(variables: &Variables<'_>, name: &str) -> bool {
    variables.get(name).is_some_and(|value| matches!(*value, "true" | "1"))
}

/// Use of a round trip that was measured during recovery (newack and partialnewack).
fn round_trips_in_recovery(agent: &str) -> &'static str {
    match agent {
        "TCP/Newreno" => "ignored",
        "TCP/Sack1" => "until-exit",
        _ => "measured",
    }
}

fn flavor(agent: &str, variables: &Variables<'_>) -> Result<Json, String> {
    let is = |name: &str| is_set(variables, name);
    let guard = is("bugFix_");
    Ok(match agent {
        "TCP" => json!({ "kind": "tahoe", "multiple_loss_guard": guard }),
        "TCP/Reno" => json!({ "kind": "reno", "multiple_loss_guard": guard, "grows_at_exit": true }),
        "TCP/Newreno" => json!({
            "kind": "newreno",
            "multiple_loss_guard": guard,
            "grows_at_exit": true,
            "flywheel": if is("newreno_changes_") { "replaces-inflation" } else { "none" },
            "timer_restart": if is("newreno_changes1_") { "first-partial-acknowledgment" } else { "each-partial-acknowledgment" },
            "partial_window": if is("partial_window_deflation_") { "deflated" } else { "threshold" },
            "new_segments_at_partial_acknowledgment": if is("newreno_changes_") { 0 } else { 2 },
            "new_segments_at_duplicate": if is("newreno_changes_") { "window" } else { "two" },
            "exit_window": if is("exit_recovery_fix_") { "flight-limited" } else { "unchanged" },
        }),
        "TCP/Sack1" => json!({
            "kind": "sack",
            "multiple_loss_guard": guard,
            "pipe_at_entry": if is("oldCode_") { "congestion-window" } else { "flight-size" },
            "counts_first_retransmission": false,
            "sent_at_entry": "retransmission-alone",
            "blocks_after_phase": "forgotten",
            "duplicates_need_news": true,
            "ignores_duplicates_after_timeout": true,
        }),
        other => return Err(format!("unknown agent {other}")),
    })
}

/// Hoe's initial threshold, which newreno_changes_ sets at the third acknowledgment: the first round trip divided by the time between the
/// second and third acknowledgment (NewRenoTcpAgent::recv).
fn hoes_threshold(trace: &Trace) -> Result<u64, String> {
    use super::recorded::Act;
    let times: Vec<u64> =
        trace.events.iter().filter(|event| event.act == Act::Acknowledged).map(|event| event.time.0).take(3).collect();
    let [first, second, third] = times[..] else { return Err("fewer than three acknowledgments".into()) };
    let apart = third.checked_sub(second).ok_or("acknowledgments are not in order")?;
    first.checked_div(apart).ok_or_else(|| "two acknowledgments at one time".into())
}
