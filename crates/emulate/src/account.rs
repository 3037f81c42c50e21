//! Account of a run in real time besides its record: its lateness, the interfaces, and the programs' connections by their headers.

use longfat_engine::observer::Observer;
use longfat_engine::outside::{Address, Connection};
use longfat_engine::units::Time;
use longfat_engine::{End, Simulation};
use serde_json::{Value as Json, json};

use crate::device::Device;
use crate::lateness::Lateness;

/// The account of a run that ended at `end`.
pub fn of_run<O: Observer>(simulation: &mut Simulation<O>, devices: &[Device], lateness: &Lateness, end: Time) -> Json {
    let mut connections = Vec::new();
    for device in devices {
        for &(connection, _) in device.own.iter().filter(|(_, at)| *at == End::Near) {
            add_connections(simulation, connection, end, &mut connections);
        }
    }
    let mut marked = |device: &Device| -> u64 {
        let own = device
            .own
            .iter()
            .filter_map(|&(connection, at)| simulation.outside(connection, at).map(|end| end.marked()));
        own.sum()
    };
    json!({
        "seconds": end.as_seconds(),
        "lateness": lateness.to_json(),
        "interfaces": devices.iter().map(|device| of_device(device, marked(device))).collect::<Vec<_>>(),
        "tcp": connections,
    })
}

fn of_device(device: &Device, marked: u64) -> Json {
    let counts = device.counts;
    json!({
        "host": device.name,
        "packets_sent": counts.sent,
        "bytes_sent": counts.sent_bytes,
        "packets_received": counts.received,
        "bytes_received": counts.received_bytes,
        "packets_marked": marked,
        "packets_to_unknown_hosts": counts.strays,
        "packets_refused": counts.refused,
    })
}

/// Adds each TCP connection of a pair of ends: of its data there what the near end knows of sending them and the far end of receiving them, and
/// of those back the reverse.
fn add_connections<O: Observer>(simulation: &mut Simulation<O>, number: usize, end: Time, all: &mut Vec<Json>) {
    let (near, far) = (End::Near, End::Far);
    let keys: Vec<_> = simulation.outside(number, near).map_or_else(Vec::new, |outside| {
        outside.follower().connections().map(|(own, other, _)| (*own, *other)).collect()
    });
    for (own, other) in keys {
        let mut of_end = |at, own: Address, other: Address, read: &dyn Fn(&Connection) -> Json| {
            let outside = simulation.outside(number, at);
            outside.and_then(|outside| outside.follower().connection(own, other)).map_or(Json::Null, read)
        };
        let sending = |connection: &Connection| of_sending(connection);
        let receiving = move |connection: &Connection| of_receiving(connection, end);
        all.push(json!({
            "connection": number + 1,
            "address": own.to_string(),
            "far_address": other.to_string(),
            "there": { "sent": of_end(near, own, other, &sending), "received": of_end(far, other, own, &receiving) },
            "back": { "sent": of_end(far, other, own, &sending), "received": of_end(near, own, other, &receiving) },
        }));
    }
}

fn of_sending(connection: &Connection) -> Json {
    let round_trips = &connection.round_trips;
    let extremes = round_trips.extremes();
    json!({
        "began_s": connection.began.as_seconds(),
        "bytes_acknowledged": connection.acknowledged_bytes(),
        "segments": connection.segments_sent,
        "segments_retransmitted": connection.segments_retransmitted,
        "round_trips": round_trips.count,
        "mean_round_trip_s": round_trips.mean_seconds(),
        "min_round_trip_s": extremes.map(|(least, _)| least.as_seconds()),
        "max_round_trip_s": extremes.map(|(_, most)| most.as_seconds()),
    })
}

/// The goodput is that from the first packet to the last new data.
#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
fn of_receiving(connection: &Connection, end: Time) -> Json {
    let bytes = connection.received_bytes();
    let seconds = (connection.latest_data.unwrap_or(end) - connection.began).as_seconds();
    json!({
        "bytes": bytes,
        "duplicate_bytes": connection.duplicate_bytes,
        "goodput_bps": (bytes > 0 && seconds > 0.0).then(|| 8.0 * bytes as f64 / seconds),
        "latest_data_s": connection.latest_data.map(Time::as_seconds),
        "finished_s": connection.finished().map(Time::as_seconds),
        "progress": connection.progress().map(|(time, bytes)| json!([time.as_seconds(), bytes])).collect::<Vec<_>>(),
    })
}
