//! Pages over QUIC as a model beside quinn: each file on a stream of its own, while packets are lost.

use serde_json::json;

use crate::check::{Check, Finding, Kind, require};
use crate::runs::record;
use crate::stacks::{ENGINES, LAWS, Law, TIMES_WITHIN, mean, settings};

/// Orders of answers, each with and without losses.
const ORDERS: [(&str, f64); 4] =
    [("round-robin", 0.0), ("round-robin", 0.01), ("sequential", 0.0), ("sequential", 0.01)];

/// Which packets are lost is chance, with these seeds.
const SEEDS: [u64; 3] = [201, 202, 203];

/// All checks: with quinn's NewReno, which is the model's, and with CUBIC of the engine over both.
pub fn checks() -> Vec<Check> {
    let alike = LAWS.iter().filter(|law| law.control == "new-reno" || (law.control, law.flavor) == (ENGINES, "cubic"));
    alike
        .flat_map(|law| {
            ORDERS.map(|(order, loss)| {
                let name =
                    format!("pages over quic beside quinn, {}, {order}, {} % of packets lost", law.name, 100.0 * loss);
                Check::new(name, Kind::Stack, move || pages(law, order, loss))
            })
        })
        .collect()
}

/// Mean times of files, and of pages of a document and eight files of 10 to 90 kB.
fn pages(law: &Law, order: &str, loss: f64) -> Finding {
    let means = |mut stack: serde_json::Value| -> Result<[f64; 2], String> {
        stack["opened_by"] = "receiver".into();
        let measured = |seed: &u64| -> Result<[f64; 2], String> {
            let run = record(&json!({
                "schema_version": 1, "duration": "400 s", "seed": seed, "framing": "packet", "stack": stack,
                "traffic": { "kind": "http", "schedule": order, "interval": "4 s", "files": { "mean": 500, "most": 9 },
                             "classes": [{ "probability": 1, "unit": 10 }] },
                "port": { "buffer": "1 BDP" }, "loss": { "kind": "random", "probability": loss },
                "topology": { "kind": "n-source", "sources": 1, "access": { "rate": "1 Gbit/s", "delay": "1 ms" },
                              "bottleneck": { "rate": "10 Mbit/s", "delay": "23 ms" } },
            }))?;
            let of = |place: usize| run.completions[place].times.mean_seconds().ok_or("nothing has arrived");
            Ok([of(0)?, of(1)?])
        };
        let runs = SEEDS.iter().map(measured).collect::<Result<Vec<_>, _>>()?;
        Ok(std::array::from_fn(|place| mean(runs.iter().map(|run| run[place]))))
    };
    let [quinn, model] = settings(law);
    let (theirs, ours) = (means(quinn)?, means(model)?);
    let holds = (0..2).all(|place| (ours[place] / theirs[place] - 1.0).abs() <= TIMES_WITHIN);
    let words =
        format!("files in {:.3} for {:.3} s, pages in {:.3} for {:.3} s", ours[0], theirs[0], ours[1], theirs[1]);
    require(holds, words)
}
