//! Mending of refused scenarios: a refusal says where the mistake is, and often what would be right.

use longfat_engine::config::{Field, Shape};
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::{self, Map, Value as Json};

use super::builder::Builder;
use super::dice::whole;
use super::targets::Step;
use super::text;

/// Changes what a refusal is about. Later attempts follow its advice less, and leave out more.
pub fn mend(builder: &mut Builder, scenario: &mut Json, refusal: &str, attempt: usize) {
    let Some((path, message)) = place_and_message(refusal) else { return };
    let steps = steps(&path);
    let may_leave_out = message.contains("leave") || message.starts_with("unknown key");
    if may_leave_out && builder.dice.happens(0.6) {
        return leave_out(builder, scenario, &steps, attempt);
    }
    let follows = if attempt < 6 { 0.85 } else { 0.4 };
    if builder.dice.happens(follows) && follow(builder, scenario, &path, message) {
        return;
    }
    if attempt < 6 && builder.dice.happens(0.7) && change_numbers(builder, scenario, &steps, message) {
        return;
    }
    leave_out(builder, scenario, &steps, attempt);
}

/// The path of a key and what is wrong with it, from `file:line:column: path: message`.
fn place_and_message(refusal: &str) -> Option<(String, &str)> {
    let (_, said) = refusal.split_once(": ")?;
    let (path, message) = said.split_once(": ")?;
    let is_path = |c: char| c.is_ascii_alphanumeric() || "._-[]".contains(c);
    path.chars().all(is_path).then(|| (path.to_owned(), message))
}

/// Steps of a path: keys and indices of lists.
fn steps(path: &str) -> Vec<String> {
    path.replace('[', ".[").split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

fn index(step: &str) -> Option<usize> {
    step.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// Follows advice of the message, if it has any: a setting to write, or a list of what is known.
fn follow(builder: &mut Builder, scenario: &mut Json, path: &str, message: &str) -> bool {
    let here = steps(path);
    for (before, is_wanted) in [("; known: ", !message.starts_with("unknown key")), ("write \"", true)] {
        let Some(at) = message.find(before).filter(|_| is_wanted) else { continue };
        let names = quoted(&message[at..]);
        if !names.is_empty() {
            set(scenario, &here, builder.dice.one(&names).as_str().into());
            return true;
        }
    }
    let advice = advice(message);
    if advice.is_empty() {
        return false;
    }
    let (key, values) = builder.dice.one(&advice).clone();
    let place = place_of(builder, scenario, &here, &steps(&key));
    let value = builder.dice.one(&values).clone();
    draw_or_set(builder, scenario, &place, value);
    true
}

/// Where advice wants a key: at the root, in an item of the list that is refused, or beside the refused key.
fn place_of(builder: &mut Builder, scenario: &Json, here: &[String], key: &[String]) -> Vec<String> {
    let is_of_root = key.first().is_some_and(|first| Scenario::fields().iter().any(|field| field.name == first));
    if is_of_root {
        return key.to_vec();
    }
    match at(scenario, here) {
        Some(Json::Array(items)) => [here, &[format!("[{}]", builder.dice.below(items.len()))], key].concat(),
        _ => [&here[..here.len().saturating_sub(1)], key].concat(),
    }
}

/// Sets a value. Another model, and a list, are drawn: their tables have to be complete.
fn draw_or_set(builder: &mut Builder, scenario: &mut Json, place: &[String], value: Json) {
    let model = match place.split_last() {
        Some((last, above)) if last == "kind" => above,
        _ => place,
    };
    let Some(field) = declared(scenario, model) else { return set(scenario, place, value) };
    let kind = value.as_str().unwrap_or_default();
    let new = match field.shape() {
        Shape::Model { models, .. } => match models.iter().find(|model| model.name == kind) {
            Some(model) => builder.field(&field, &[Step::Named(model.name)]),
            None => builder.field(&field, &[]),
        },
        Shape::List(_) => builder.field(&field, &[Step::Item]),
        _ if value.is_null() => builder.field(&field, &[]),
        _ => return set(scenario, place, value),
    };
    set(scenario, model, new);
}

/// The settings that a message proposes: `key = value`, `key may be "one", "other"`, and what else follows an "or".
fn advice(message: &str) -> Vec<(String, Vec<Json>)> {
    let mut found = Vec::new();
    for (separator, is_list) in [(" = ", false), (" may be ", true)] {
        for (at, _) in message.match_indices(separator) {
            // Keys in a table that is advised are not those of the scenario.
            let is_within = message[..at].matches(['{', '[']).count() > message[..at].matches(['}', ']']).count();
            let key = message[..at].rsplit(|c: char| !(c.is_ascii_lowercase() || "._[]0123456789".contains(c))).next();
            let Some(key) = key.filter(|key| !key.is_empty() && !is_within) else { continue };
            let behind = message[at + separator.len()..].split(';').next().unwrap_or_default();
            let values: Vec<Json> = if is_list || behind.starts_with('"') {
                quoted(behind).into_iter().map(Json::from).collect()
            } else {
                let word = behind.split([',', ' ', ')']).next().unwrap_or_default();
                // A table or a list is drawn, whatever it says.
                let value = if word.starts_with(['[', '{']) { Ok(Json::Null) } else { serde_json::from_str(word) };
                value.into_iter().collect()
            };
            if !values.is_empty() {
                found.push((key.to_owned(), values));
            }
        }
    }
    found
}

/// Texts in quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Makes numbers smaller or larger, as the message seems to ask: those of a table have keys that the message names.
fn change_numbers(builder: &mut Builder, scenario: &mut Json, steps: &[String], message: &str) -> bool {
    let is_too_large = ["at most", "too ", "less than", "beyond", "more than", "above", "does not fit"];
    let is_too_small = ["at least", "cannot hold", "smaller than", "below", "must be more"];
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let factor = match (says(&is_too_large), says(&is_too_small)) {
        (true, false) => builder.dice.magnitude(1e-4, 0.5),
        (false, true) => builder.dice.magnitude(2.0, 1e4),
        _ => builder.dice.magnitude(1e-3, 1e3),
    };
    let Some(value) = at_mut(scenario, steps) else { return false };
    scale(builder, value, factor, message)
}

/// Multiplies the numbers of a value; false if it has none.
fn scale(builder: &mut Builder, value: &mut Json, factor: f64, message: &str) -> bool {
    match value {
        Json::String(text) if text.contains(|c: char| c.is_ascii_digit()) => {
            *text = text::scaled(&mut builder.dice, text, factor);
        }
        Json::Number(number) if number.is_u64() => {
            *value = Json::from(whole((number.as_f64().unwrap_or(1.0) * factor).round()));
        }
        Json::Number(number) => *value = (number.as_f64().unwrap_or(1.0) * factor).into(),
        Json::Object(table) => {
            let named = table.iter_mut().filter(|(key, value)| value.is_object() || message.contains(key.as_str()));
            return named
                .map(|(_, value)| scale(builder, value, factor, message))
                .fold(false, |one, other| one | other);
        }
        Json::Array(items) => {
            return items
                .iter_mut()
                .map(|item| scale(builder, item, factor, message))
                .fold(false, |one, other| one | other);
        }
        _ => return false,
    }
    true
}

/// Leaves out the key, or draws it again if it has no default; later the table in which it is.
fn leave_out(builder: &mut Builder, scenario: &mut Json, steps: &[String], attempt: usize) {
    let shorter =
        if attempt > 7 && steps.len() > 1 && builder.dice.happens(0.5) { &steps[..steps.len() - 1] } else { steps };
    let Some((last, above)) = shorter.split_last() else { return };
    let field = declared(scenario, shorter);
    if let Some(field) = field.filter(|field| field.default.is_none()) {
        let new = builder.field(&field, &[]);
        set(scenario, shorter, new);
        return;
    }
    let is_gone = match at_mut(scenario, above) {
        Some(Json::Object(table)) => table.remove(last).is_some(),
        Some(Json::Array(items)) => {
            index(last).filter(|place| *place < items.len()).map(|place| items.remove(place)).is_some()
        }
        _ => false,
    };
    // The refused value may be a default: then remove the table that it belongs to.
    if !is_gone && !above.is_empty() {
        leave_out(builder, scenario, above, attempt);
    }
}

/// The declaration of a field at a path.
fn declared(scenario: &Json, steps: &[String]) -> Option<Field> {
    let mut fields = Scenario::fields();
    let mut node = Some(scenario);
    let mut found: Option<Field> = None;
    for step in steps {
        node = node.and_then(|node| child(node, step));
        if index(step).is_some() {
            found = None;
        } else {
            found = fields.iter().find(|field| field.name == *step).cloned();
            fields.clear();
        }
        if let Some(field) = &found {
            fields = inner(&field.shape(), node, field.default);
        }
    }
    found
}

/// Fields below a value of this shape.
fn inner(shape: &Shape, node: Option<&Json>, default: Option<&str>) -> Vec<Field> {
    match shape {
        Shape::Section(fields) => fields.clone(),
        Shape::Model { models, .. } => {
            let kind = node.and_then(|node| node.as_str().or_else(|| node["kind"].as_str())).or(default);
            models.iter().find(|model| Some(model.name) == kind).map_or_else(Vec::new, |model| model.fields.clone())
        }
        Shape::List(item) => inner(item, None, None),
        Shape::Either(shapes) => shapes.iter().flat_map(|shape| inner(shape, node, default)).collect(),
        _ => Vec::new(),
    }
}

fn child<'j>(node: &'j Json, step: &str) -> Option<&'j Json> {
    index(step).map_or_else(|| node.get(step), |place| node.get(place))
}

fn at<'j>(scenario: &'j Json, steps: &[String]) -> Option<&'j Json> {
    steps.iter().try_fold(scenario, |node, step| child(node, step))
}

fn at_mut<'j>(scenario: &'j mut Json, steps: &[String]) -> Option<&'j mut Json> {
    steps.iter().try_fold(scenario, |node, step| match index(step) {
        Some(place) => node.get_mut(place),
        None => node.get_mut(step),
    })
}

/// Sets a value; tables that are missing are made, and the name of a model becomes a table.
pub fn set(scenario: &mut Json, steps: &[String], value: Json) {
    let [step, rest @ ..] = steps else {
        *scenario = value;
        return;
    };
    if let Some(place) = index(step) {
        if let Some(item) = scenario.get_mut(place) {
            set(item, rest, value);
        }
        return;
    }
    if let Some(kind) = scenario.as_str() {
        *scenario = longfat_engine::serde_json::json!({ "kind": kind });
    } else if !scenario.is_object() {
        *scenario = Map::new().into();
    }
    set(&mut scenario[step.as_str()], rest, value);
}

#[cfg(test)]
mod tests {
    use longfat_engine::serde_json::json;

    use super::*;

    #[test]
    fn advice_of_refusals_is_read() {
        let message = "\"codel\" keeps packets that travel whole, and framing \"aal5\" has cells; write framing = \"packet\" or \"ethernet\"";
        assert_eq!(advice(message), [("framing".to_owned(), vec![json!("packet"), json!("ethernet")])]);
        let message =
            "a recovery with respects_receiver_window = false sends more than a proxy has room for; set it to true";
        assert_eq!(advice(message), [("respects_receiver_window".to_owned(), vec![json!(false)])]);
        let message = "scheduler \"fifo\" has no queue for it; port.scheduler may be \"a\", \"b\"";
        assert_eq!(advice(message), [("port.scheduler".to_owned(), vec![json!("a"), json!("b")])]);
    }

    #[test]
    fn a_key_is_set_in_the_table_of_a_model_that_was_named_only() {
        let mut scenario = json!({ "background": ["poisson"] });
        set(&mut scenario, &steps("background[0].load"), 0.5.into());
        assert_eq!(scenario, json!({ "background": [{ "kind": "poisson", "load": 0.5 }] }));
    }
}
