//! Texts with numbers in them, such as quantities, and scenarios as texts.

use longfat_engine::serde_json::Value as Json;

use super::dice::Dice;

/// Numbers that sit at the borders of machine words and of reason.
const SPECIAL: [&str; 10] =
    ["0", "1", "2", "65535", "65536", "4294967296", "9007199254740992", "9223372036854775807", "0.5", "0.000001"];

/// Splits a text into what is between its numbers and the numbers, in turns: the first and last pieces are no numbers.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut in_number = false;
    for c in text.chars() {
        let continues = c.is_ascii_digit() || (in_number && c == '.');
        if continues != in_number {
            pieces.push(String::new());
            in_number = continues;
        }
        pieces.last_mut().expect("one at least").push(c);
    }
    if in_number {
        pieces.push(String::new());
    }
    pieces
}

/// The text with each of its numbers replaced; numbers in parentheses ascend, as bounds do.
pub fn with_numbers(text: &str, mut new: impl FnMut(f64) -> String) -> String {
    let mut pieces = pieces(text);
    let mut numbers: Vec<String> = pieces
        .iter()
        .skip(1)
        .step_by(2)
        .map(|number| new(number.trim_end_matches('.').parse().unwrap_or(1.0)))
        .collect();
    if text.contains('(') {
        numbers.sort_by(|one, other| value(one).total_cmp(&value(other)));
    }
    for (place, number) in numbers.into_iter().enumerate() {
        pieces[2 * place + 1] = number;
    }
    pieces.concat()
}

fn value(number: &str) -> f64 {
    number.parse().unwrap_or(0.0)
}

/// A text like the example, with other numbers: mostly near, at times far, and special ones with probability `wild`.
pub fn varied(dice: &mut Dice, example: &str, wild: f64) -> String {
    with_numbers(example, |number| {
        if dice.happens(wild) {
            return (*dice.one(&SPECIAL)).into();
        }
        let factor = if dice.happens(0.75) { dice.magnitude(0.1, 10.0) } else { dice.magnitude(1e-4, 1e4) };
        let base = if number > 0.0 { number } else { 1.0 };
        written(dice, base * factor)
    })
}

/// The text with numbers that are larger or smaller by the factor.
pub fn scaled(dice: &mut Dice, text: &str, factor: f64) -> String {
    with_numbers(text, |number| written(dice, number * factor))
}

/// A decimal number of few digits, most often whole.
fn written(dice: &mut Dice, number: f64) -> String {
    if number >= 100.0 || (number >= 0.5 && dice.happens(0.7)) {
        return format!("{number:.0}");
    }
    let decimals = if number > 0.0 { (2.0 - number.log10()).clamp(0.0, 12.0).floor() } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 12")]
    let text = format!("{number:.*}", decimals as usize);
    text
}

/// A table of steps over time as CSV. The columns are those that the declaration names; a column's unit is in its name, and the first ascends.
pub fn table(dice: &mut Dice, expected: &str) -> String {
    let named = expected.split_once("columns").map_or(expected, |(_, names)| names);
    let words = named.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names: Vec<&str> = words.filter(|word| !matches!(*word, "" | "and" | "any" | "of" | "or" | "the")).collect();
    let (first, others) = names.split_first().expect("a table has columns");
    let others: Vec<&str> = others.iter().copied().filter(|_| dice.happens(0.6)).collect();
    let header = [&[*first], &others[..]].concat().join(",");
    let mut time = 0.0;
    let mut lines = vec![header];
    for _ in 0..=dice.below(5) {
        let mut row = vec![format!("{time:.9}")];
        row.extend(others.iter().map(|name| cell(dice, name)));
        lines.push(row.join(","));
        time += dice.magnitude(1e-4, 1.0);
    }
    lines.join("\n")
}

fn cell(dice: &mut Dice, column: &str) -> String {
    if dice.happens(0.15) {
        return "0".into();
    }
    if column.ends_with("_bps") {
        format!("{:.0}", dice.magnitude(1e4, 1e9))
    } else if column.ends_with("_s") {
        format!("{:.9}", dice.magnitude(1e-5, 0.3))
    } else {
        format!("{:.6}", dice.magnitude(1e-4, 1.0))
    }
}

/// A scenario as TOML, one line for each of its keys.
pub fn toml(scenario: &Json) -> String {
    let entries = scenario.as_object().expect("a scenario is a table");
    entries.iter().map(|(key, value)| format!("{key} = {}\n", fragment(value))).collect()
}

/// A value in TOML; JSON's escapes are valid there.
fn fragment(value: &Json) -> String {
    match value {
        Json::Object(entries) => {
            let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {}", fragment(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(fragment).collect::<Vec<_>>().join(", ")),
        Json::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().expect("it is one")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use longfat_engine::serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_a_text_are_replaced_and_bounds_ascend() {
        let mut next = 5.0;
        let mut lower = |_| {
            next -= 1.0;
            format!("{next}")
        };
        assert_eq!(with_numbers("K - 200 cells", &mut lower), "K - 4 cells");
        assert_eq!(with_numbers("uniform(0 ms, 1.5 ms)", &mut lower), "uniform(2 ms, 3 ms)");
        assert_eq!(with_numbers("unlimited", &mut lower), "unlimited");
    }

    #[test]
    fn a_scenario_is_written_as_toml() {
        let scenario = json!({ "seed": 1, "port": { "buffer": "1 BDP", "share": 1e-7, "list": [true] } });
        assert_eq!(toml(&scenario), "port = { buffer = \"1 BDP\", list = [true], share = 1e-7 }\nseed = 1\n");
    }
}
