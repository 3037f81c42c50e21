//! A path given by a table.

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span, Time};
use serde_json::Value as Json;

use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A table, measured or made up: rate, delay and losses of the bottleneck from each time on.
    #[name = "schedule"]
    #[source = "a table of the user's"]
    pub struct Schedule: dyn Path {
        /// CSV with the column time_s and any of rate_bps (0 while the path is interrupted), delay_s (one way), jitter_s (the largest extra
        /// delay of a packet, drawn uniformly) and loss (a probability). Missing columns are as in the topology.
        steps: Table,
    }
    build(config, context) { Box::new(Tabulated { table: config.steps.clone(), context: context.clone() }) }
}

struct Tabulated {
    table: Table,
    context: PathContext,
}

impl Path for Tabulated {
    fn steps(&self) -> Vec<Step> {
        let step = |row: &Row| {
            let nominal = self.context.nominal(row.time);
            Step {
                time: row.time,
                rate: row.rate.map_or(nominal.rate, |rate| Some(rate).filter(|rate| rate.0 > 0)),
                delay: row.delay.unwrap_or(nominal.delay),
                jitter: row.jitter.unwrap_or(nominal.jitter),
                loss: row.loss.unwrap_or(nominal.loss),
            }
        };
        self.table.rows.iter().map(step).collect()
    }
}

/// Rows of a CSV file, and its text.
#[derive(Clone, Debug)]
pub struct Table {
    text: String,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    time: Time,
    rate: Option<Rate>,
    delay: Option<Span>,
    jitter: Option<Span>,
    loss: Option<f64>,
}

const COLUMNS: [&str; 5] = ["time_s", "rate_bps", "delay_s", "jitter_s", "loss"];
/// Added to the message for a single word, which may be a file name.
const FROM_A_FILE: &str = "expected the table itself; to read it from a file, use --set path.steps=@FILE";
/// Upper bounds of the columns; larger values are taken for mistakes: nothing on or around Earth is so far, so fast or so long.
const LARGEST: [f64; 5] = [8.64e6, 1e14, 60.0, 60.0, 1.0];

impl Table {
    fn parse(text: &str) -> Result<Self, String> {
        let lines = || text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
        let (_, header) = lines().next().ok_or("no header; expected \"time_s,rate_bps,delay_s,jitter_s,loss\"")?;
        let columns = header.split(',').map(|name| column(name.trim())).collect::<Result<Vec<_>, _>>();
        let columns = columns.map_err(|message| match lines().nth(1) {
            None if !header.contains(',') => format!("{message}; {FROM_A_FILE}"),
            _ => message,
        })?;
        if columns.first() != Some(&0) {
            return Err(format!("line 1: the first column must be \"time_s\", found \"{header}\""));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (number, line) in lines().skip(1) {
            let row = parse_row(line, &columns).map_err(|message| format!("line {}: {message}", number + 1))?;
            if rows.last().is_some_and(|before| before.time >= row.time) {
                return Err(format!("line {}: times must ascend", number + 1));
            }
            rows.push(row);
        }
        if rows.is_empty() {
            return Err("no rows below the header".into());
        }
        let text = lines().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
        Ok(Self { text, rows })
    }
}

fn column(name: &str) -> Result<usize, String> {
    let known = COLUMNS.iter().position(|column| *column == name);
    let separated = if name.contains([';', '\t', '|']) { "; columns are separated by commas" } else { "" };
    known.ok_or_else(|| format!("line 1: unknown column \"{name}\"; known: {}{separated}", COLUMNS.join(", ")))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the limits")]
#[expect(clippy::cast_precision_loss, reason = "a power of ten")]
fn parse_row(line: &str, columns: &[usize]) -> Result<Row, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("{} values for {} columns", cells.len(), columns.len()));
    }
    let mut row = Row::default();
    let span = |seconds: f64| Span((seconds * PICOSECONDS_PER_SECOND as f64).round() as u64);
    for (&column, cell) in columns.iter().zip(cells) {
        let number = cell.parse().ok().filter(|number| (0.0..=LARGEST[column]).contains(number));
        let expected =
            || format!("{} must be a number from 0 to {}, found \"{cell}\"", COLUMNS[column], LARGEST[column]);
        let number: f64 = number.ok_or_else(expected)?;
        match column {
            0 => row.time = Time::ZERO + span(number),
            1 => row.rate = Some(Rate(number.round() as u64)),
            2 => row.delay = Some(span(number)),
            3 => row.jitter = Some(span(number)),
            _ => row.loss = Some(number),
        }
    }
    Ok(row)
}

impl Parameter for Table {
    fn shape() -> Shape {
        Shape::Quantity {
            expected: "CSV with the columns time_s and any of rate_bps, delay_s, jitter_s and loss",
            examples: &["time_s,rate_bps\n0,1000000\n5,500000"],
        }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        Self::parse(text).map_err(|message| reader.reject(node, message)).ok()
    }

    fn resolved(&self) -> Json {
        self.text.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_from_when_on_how_the_path_is() {
        let table = Table::parse("\ntime_s, delay_s, rate_bps\n0, 0.02, 1e6\n 1.5, 0.03, 0\n").expect("a table");
        assert_eq!(table.text, "time_s, delay_s, rate_bps\n0, 0.02, 1e6\n1.5, 0.03, 0");
        let rows: Vec<_> = table.rows.iter().map(|row| (row.time.0, row.delay, row.rate, row.loss)).collect();
        let milliseconds = |number: u64| Some(Span::from_microseconds(1000 * number));
        assert_eq!(rows[0], (0, milliseconds(20), Some(Rate(1_000_000)), None));
        assert_eq!(rows[1], (1_500_000_000_000, milliseconds(30), Some(Rate(0)), None));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, message) in [
            ("", "no header"),
            ("time_s,loss\n", "no rows"),
            ("time_s,speed\n0,1", "line 1: unknown column \"speed\"; known: time_s, rate_bps, delay_s, jitter_s, loss"),
            (
                "time_s;loss\n0;1",
                "line 1: unknown column \"time_s;loss\"; known: time_s, rate_bps, delay_s, jitter_s, loss; columns are separated by \
                 commas",
            ),
            (
                "steps.csv",
                "line 1: unknown column \"steps.csv\"; known: time_s, rate_bps, delay_s, jitter_s, loss; expected the table itself; to \
                 read it from a file, use --set path.steps=@FILE",
            ),
            ("loss,time_s\n0,1", "line 1: the first column must be \"time_s\""),
            ("time_s,loss\n0,0\n\n1,2", "line 4: loss must be a number from 0 to 1, found \"2\""),
            ("time_s,loss\n0", "line 2: 1 values for 2 columns"),
            ("time_s,loss\n1,0\n1,0", "line 3: times must ascend"),
            ("time_s,rate_bps\n0,fast", "line 2: rate_bps must be a number"),
        ] {
            let problem = Table::parse(text).expect_err(text);
            assert!(problem.contains(message), "{text:?}: {problem}");
        }
    }
}
