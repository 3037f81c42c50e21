//! Tables in scenarios: CSV whose first column is the time.

use std::marker::PhantomData;

use longfat_foundation::config::{Node, Parameter, Reader, Shape, Value};
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};
use serde_json::Value as Json;

/// The columns that a table may have besides `time_s`: at most four.
pub trait Columns {
    /// Names.
    const NAMES: &'static [&'static str];
    /// Upper bounds of the values; larger ones are taken for mistakes: nothing on or around Earth is so far, so fast or so long.
    const LARGEST: &'static [f64];
    /// Words of the message for a value that is no such table.
    const EXPECTED: &'static str;
    /// A small table.
    const EXAMPLE: &'static str;
}

/// Largest time in seconds.
const LARGEST_TIME_S: f64 = 8.64e6;

/// A row: its time, and the values of those columns that the table has, in the order of [`Columns::NAMES`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// From when on the values apply.
    pub time: Time,
    /// Values.
    pub values: [Option<f64>; 4],
}

/// Rows of a CSV file, and its text.
#[derive(Clone, Debug)]
pub struct Table<C> {
    text: String,
    rows: Vec<Row>,
    columns: PhantomData<C>,
}

impl<C: Columns> Table<C> {
    /// Rows, of which there is at least one, with ascending times.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Reads CSV. The error names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = || text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
        let (_, header) = lines().next().ok_or_else(|| format!("no header; expected \"{}\"", known::<C>(",")))?;
        let columns = header.split(',').map(|name| column::<C>(name.trim())).collect::<Result<Vec<_>, _>>()?;
        if columns.first() != Some(&0) {
            return Err(format!("line 1: the first column must be \"time_s\", found \"{header}\""));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (number, line) in lines().skip(1) {
            let row = parse_row::<C>(line, &columns).map_err(|message| format!("line {}: {message}", number + 1))?;
            if rows.last().is_some_and(|before| before.time >= row.time) {
                return Err(format!("line {}: times must ascend", number + 1));
            }
            rows.push(row);
        }
        if rows.is_empty() {
            return Err("no rows below the header".into());
        }
        let text = lines().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
        Ok(Self { text, rows, columns: PhantomData })
    }
}

/// Names of all columns.
fn known<C: Columns>(separator: &str) -> String {
    [&["time_s"], C::NAMES].concat().join(separator)
}

/// The place of a column: 0 for the time, n + 1 for the n-th of [`Columns::NAMES`].
fn column<C: Columns>(name: &str) -> Result<usize, String> {
    let place = std::iter::once(&"time_s").chain(C::NAMES).position(|column| *column == name);
    let separated = if name.contains([';', '\t', '|']) { "; columns are separated by commas" } else { "" };
    place.ok_or_else(|| format!("line 1: unknown column \"{name}\"; known: {}{separated}", known::<C>(", ")))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the limits")]
#[expect(clippy::cast_precision_loss, reason = "a power of ten")]
fn parse_row<C: Columns>(line: &str, columns: &[usize]) -> Result<Row, String> {
    let cells: Vec<_> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("{} values for {} columns", cells.len(), columns.len()));
    }
    let mut row = Row::default();
    for (&column, cell) in columns.iter().zip(cells) {
        let (name, largest) = match column.checked_sub(1) {
            None => ("time_s", LARGEST_TIME_S),
            Some(place) => (C::NAMES[place], C::LARGEST[place]),
        };
        let number = cell.parse().ok().filter(|number| (0.0..=largest).contains(number));
        let number: f64 =
            number.ok_or_else(|| format!("{name} must be a number from 0 to {largest}, found \"{cell}\""))?;
        match column.checked_sub(1) {
            None => row.time = Time::ZERO + Span((number * PICOSECONDS_PER_SECOND as f64).round() as u64),
            Some(place) => row.values[place] = Some(number),
        }
    }
    Ok(row)
}

impl<C: Columns> Parameter for Table<C> {
    fn shape() -> Shape {
        Shape::Quantity { expected: C::EXPECTED, examples: &[C::EXAMPLE] }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = &node.value else {
            reader.reject(node, format!("expected {}, found {}", Self::shape().expected(), node.describe()));
            return None;
        };
        // A single word may be the name of a file.
        let from_a_file = if text.contains([',', '\n']) {
            String::new()
        } else {
            format!("; expected the table itself; to read it from a file, use --set '{}=@FILE'", reader.path())
        };
        Self::parse(text).map_err(|message| reader.reject(node, message + &from_a_file)).ok()
    }

    fn resolved(&self) -> Json {
        self.text.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Conditions;

    type Table = super::Table<Conditions>;

    #[test]
    fn a_table_says_from_when_on_how_the_path_is() {
        let table = Table::parse("\ntime_s, delay_s, rate_bps\n0, 0.02, 1e6\n 1.5, 0.03, 0\n").expect("a table");
        assert_eq!(table.text, "time_s, delay_s, rate_bps\n0, 0.02, 1e6\n1.5, 0.03, 0");
        let rows: Vec<_> = table.rows.iter().map(|row| (row.time.0, row.values)).collect();
        assert_eq!(rows[0], (0, [Some(1e6), Some(0.02), None, None]));
        assert_eq!(rows[1], (1_500_000_000_000, [Some(0.0), Some(0.03), None, None]));
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
            ("steps.csv", "line 1: unknown column \"steps.csv\"; known: time_s, rate_bps, delay_s, jitter_s, loss"),
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
