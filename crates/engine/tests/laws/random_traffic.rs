//! Traffic of random networks.

use longfat_engine::traffic::SOURCES;
use longfat_engine::traffic::size::SIZES;
use proptest::prelude::*;

use crate::support::declared::any_table;

pub fn any_endless_traffic() -> BoxedStrategy<String> {
    any_start().prop_map(|start| format!("{{ kind = \"infinite\", start = \"{start}\" }}")).boxed()
}

pub fn any_limited_traffic() -> BoxedStrategy<String> {
    let finite = (1_u64..100_000, any_start())
        .prop_map(|(size, start)| format!("{{ kind = \"finite\", size = \"{size} B\", start = \"{start}\" }}"));
    let count = prop_oneof![(1_u64..20).prop_map(|count| count.to_string()), Just("\"unlimited\"".to_owned())];
    let messages = (1_u64..5_000, 200_u64..20_000, count, any_start()).prop_map(|(size, interval, count, start)| {
        format!(
            "{{ kind = \"messages\", size = \"{size} B\", interval = \"{interval} us\", count = {count}, start = \"{start}\" }}"
        )
    });
    prop_oneof![3 => finite, 3 => messages, 3 => any_bursts(), 3 => any_flows(), 3 => any_rounds(), 3 => any_closed_loop(), 4 => any_datagrams()]
        .boxed()
}

/// Users who wait for pages of a few files.
pub fn any_closed_loop() -> impl Strategy<Value = String> {
    let count = prop_oneof![(1_u64..8).prop_map(|count| count.to_string()), Just("\"unlimited\"".to_owned())];
    (1_u64..20_000, count, 0_u64..4, (1_u64..20, 0_u64..20), 0_u64..8_000, any_start()).prop_map(
        |(mean, count, embedded, (low, more), request, start)| {
            format!(
                "{{ kind = \"closed-loop\", size = {{ kind = \"exponential\", mean = \"{mean} B\" }}, count = {count}, \
                 embedded = {embedded}, pause = \"uniform({low} ms, {} ms)\", request = \"{request} us\", start = \"{start}\" }}",
                low + more
            )
        },
    )
}

/// Synchronized rounds.
pub fn any_rounds() -> impl Strategy<Value = String> {
    let count = prop_oneof![(1_u64..6).prop_map(|count| count.to_string()), Just("\"unlimited\"".to_owned())];
    (1_u64..20_000, count, 0_u64..3_000, any_start()).prop_map(|(size, count, pause, start)| {
        format!(
            "{{ kind = \"rounds\", size = \"{size} B\", count = {count}, pause = \"{pause} us\", start = \"{start}\" }}"
        )
    })
}

/// Sources of datagrams that fit every framing, often and seldom.
pub fn any_datagrams() -> BoxedStrategy<String> {
    let constant = (10_000_u64..50_000_000, 1_u64..1_400, any_start()).prop_map(|(rate, size, start)| {
        format!("{{ kind = \"constant-rate\", rate = \"{rate} bit/s\", size = \"{size} B\", start = \"{start}\" }}")
    });
    let (talk, silence) = (1_u64..60, prop_oneof![1 => Just(0), 2 => 1_u64..60]);
    let voice =
        (1_u64..4, any::<bool>(), talk, silence, any_start()).prop_map(|(frames, is_narrow, talk, silence, start)| {
            let codec = if is_narrow { "G.729" } else { "G.711" };
            let interval = if is_narrow { 10 * frames } else { frames };
            format!(
                "{{ kind = \"voip\", codec = \"{codec}\", packet_interval = \"{interval} ms\", talk = \"{talk} ms\", \
                 silence = \"{silence} ms\", start = \"{start}\" }}"
            )
        });
    let ladder = prop::collection::vec((1_000_u64..20_000_000, 40_u64..120), 1..4);
    let video = (ladder, 1_u64..40, 13_u64..1_400, any_start()).prop_map(|(ladder, interval, packet, start)| {
        let rung = |(rate, lasts): &(u64, u64)| format!("{{ rate = \"{rate} bit/s\", lasts = \"{lasts} ms\" }}");
        let ladder = ladder.iter().map(rung).collect::<Vec<_>>().join(", ");
        format!(
            "{{ kind = \"video\", ladder = [{ladder}], frame_interval = \"{interval} ms\", \
                 packet = \"{} B\", start = \"{start}\" }}",
            packet + 50
        )
    });
    let spacing = prop::sample::select(vec!["periodic", "poisson"]);
    let probe = (200_u64..20_000, 1_u64..1_400, any::<bool>(), spacing, any_start()).prop_map(
        |(interval, size, answered, spacing, start)| {
            format!(
                "{{ kind = \"probe\", interval = \"{interval} us\", size = \"{size} B\", answered = {answered}, \
                 spacing = \"{spacing}\", start = \"{start}\" }}"
            )
        },
    );
    prop_oneof![constant, voice, video, probe].boxed()
}

/// Bursts of a few segments, and pauses.
fn any_bursts() -> impl Strategy<Value = String> {
    (1_u64..20_000, 1_u64..100, 1_u64..3_000, 1_u64..20_000, any_start()).prop_map(
        |(mean, megabits, write, pause, start)| {
            format!(
                "{{ kind = \"on-off\", burst = {{ kind = \"exponential\", mean = \"{mean} B\" }}, rate = \"{megabits} Mbit/s\", \
                 write = \"{write} B\", pause = \"{pause} us\", start = \"{start}\" }}"
            )
        },
    )
}

/// Flows that arrive over time, on connections of their own or not.
fn any_flows() -> impl Strategy<Value = String> {
    let sizes = SIZES.iter().map(|entry| any_table(Some(entry.name), &(entry.parameters)(), &[])).collect::<Vec<_>>();
    let size = prop::strategy::Union::new(sizes);
    let words = |words: [&'static str; 2]| prop::sample::select(words.to_vec());
    let arrivals = words(["poisson", "evenly-spaced"]);
    let connections = words(["one-each", "persistent"]);
    let count = prop_oneof![(1_u64..20).prop_map(|count| count.to_string()), Just("\"unlimited\"".to_owned())];
    (size, 1_000_u64..40_000, arrivals, connections, count, any_start()).prop_map(
        |(size, interval, arrivals, connections, count, start)| {
            format!(
                "{{ kind = \"flows\", size = {size}, interval = \"{interval} us\", arrivals = \"{arrivals}\", \
                 connections = \"{connections}\", count = {count}, start = \"{start}\" }}"
            )
        },
    )
}

/// Documents of a few small files, several per run.
pub fn any_www_traffic() -> BoxedStrategy<String> {
    let www = SOURCES.iter().find(|entry| entry.name == "www").expect("it is registered");
    let left_out = ["request", "classes", "file_size", "requests", "spacing", "interval", "start", "stagger"];
    let knobs = any_table(Some(www.name), &(www.parameters)(), &left_out);
    let counts = || {
        (1_u64..40, 1_u64..9, any::<bool>()).prop_map(|(mean, most, clamps)| {
            let beyond = if clamps { "clamp" } else { "redraw" };
            format!(
                "{{ mean = {}, most = {most}, beyond = \"{beyond}\" }}",
                0.2 * f64::from(u32::try_from(mean).unwrap_or(1))
            )
        })
    };
    let times = (0_u64..4, 0_u64..3, 1_u64..60, any_start());
    (knobs, 1_u64..700, 1_u64..200, counts(), counts(), times)
        .prop_map(|(knobs, request, unit, file_size, requests, (low, more, pause, start))| {
            let high = low + more;
            knobs.replace(
                " }",
                &format!(
                    ", request = \"{request} B\", file_size = {file_size}, requests = {requests}, start = \"{start}\",
                classes = [{{ probability = 0.25, unit = {unit}e-2 }}, {{ probability = 0.75, unit = 1 }}],
                spacing = \"uniform({low} ms, {high} ms)\", interval = \"{} ms\" }}",
                    9 * high + pause
                ),
            )
        })
        .boxed()
}

/// Traffic whose receiving ends ask.
pub fn any_asking_traffic() -> BoxedStrategy<String> {
    prop_oneof![any_www_traffic(), any_http_traffic()].boxed()
}

/// Pages of a few small files, several per run.
pub fn any_http_traffic() -> BoxedStrategy<String> {
    let http = SOURCES.iter().find(|entry| entry.name == "http").expect("it is registered");
    let left_out =
        ["request", "response_header", "classes", "file_size", "files", "frame", "interval", "start", "stagger"];
    let knobs = any_table(Some(http.name), &(http.parameters)(), &left_out);
    let bytes = (1_u64..700, 1_u64..300, 1_u64..5_000, 1_u64..200);
    (knobs, bytes, 1_u64..9, 1_u64..60, any_start())
        .prop_map(|(knobs, (request, header, frame, unit), most, interval, start)| {
            knobs.replace(
                " }",
                &format!(
                    ", request = \"{request} B\", response_header = \"{header} B\", frame = \"{frame} B\", start = \"{start}\",
                file_size.most = {most}, files.most = {most}, interval = \"{interval} ms\",
                classes = [{{ probability = 0.25, unit = {unit}e-2 }}, {{ probability = 0.75, unit = 1 }}] }}"
                ),
            )
        })
        .boxed()
}

fn any_start() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0 s".to_owned()),
        (0_u64..20, 0_u64..20).prop_map(|(low, more)| format!("uniform({low} ms, {} ms)", low + more)),
    ]
}
