//! Values for declared fields, derived from their declarations alone: tests cover whatever the registries list.

use longfat_engine::config::{Field, Shape};
use proptest::prelude::*;

/// Topologies for which the smallest value of each parameter is no valid network: name, topology and connections.
pub const SMALLEST_TOPOLOGIES: &[(&str, &str, &str)] = &[
    (
        "graph",
        "{ kind = 'graph', hosts = ['a', 'b'], switches = ['s', 't'], links = [\
     { from = 'a', to = 's', rate = '10 Mbit/s', delay = '1 ms' }, \
     { from = 's', to = 't', rate = '10 Mbit/s', delay = '1 ms', managed = 'there' }, \
     { from = 't', to = 'b', rate = '10 Mbit/s', delay = '1 ms' }] }",
        "[{ from = 'a', to = 'b' }]",
    ),
    (
        "terminals",
        "{ kind = 'terminals', terminals = 2, access = { delay = '1 ms' }, servers = { delay = '1 ms' }, \
         satellite = { forward_rate = '10 Mbit/s', terminal_rate = '1 Mbit/s', return_rate = '2 Mbit/s' } }",
        "[{ count = 2 }]",
    ),
];

/// A small value of a shape, as a TOML fragment.
pub fn smallest(shape: &Shape) -> String {
    match shape {
        Shape::Quantity { examples, .. } => format!("{:?}", examples[0]),
        Shape::Integer { minimum, .. } => minimum.to_string(),
        Shape::Number { above, up_to } => format!("{:?}", above + (up_to.unwrap_or(above + 1.0) - above) / 2.0),
        Shape::Within { low, high } => format!("{:?}", f64::midpoint(*low, *high)),
        Shape::Probability => "0.5".into(),
        Shape::Boolean => "false".into(),
        Shape::Text => "\"text\"".into(),
        Shape::Choice(variants) => format!("{:?}", variants[0].name),
        Shape::Section(fields) => table(fields, None),
        Shape::Model { models, .. } => table(&models[0].fields, Some(models[0].name)),
        Shape::Either(shapes) => smallest(&shapes[0]),
        Shape::List(_) => "[]".into(),
        Shape::Map(_) => "{}".into(),
    }
}

/// A table with all mandatory fields and nothing else.
pub fn table(fields: &[Field], kind: Option<&str>) -> String {
    let required = fields.iter().filter(|field| field.default.is_none());
    let entries = required.map(|field| format!("{} = {}", field.name, smallest(&field.shape())));
    let kind = kind.map(|kind| format!("kind = {kind:?}"));
    format!("{{ {} }}", kind.into_iter().chain(entries).collect::<Vec<_>>().join(", "))
}

/// A text that is a TOML value stays, any other is quoted (`true`, `0.8`, `{}` and `12 cells`).
pub fn fragment(text: &str) -> String {
    let is_value = text.parse::<f64>().is_ok() || matches!(text, "true" | "false") || text.starts_with(['{', '[']);
    if is_value { text.into() } else { format!("{text:?}") }
}

/// Any value that a declaration mentions, and random ones within its shape.
pub fn any_value(field: &Field) -> BoxedStrategy<String> {
    let mentioned: Vec<String> = field.default.iter().chain(field.alternatives).map(|text| fragment(text)).collect();
    let random = random_value(&field.shape());
    match (mentioned.is_empty(), random) {
        (false, Some(random)) => prop_oneof![prop::sample::select(mentioned), random].boxed(),
        (false, None) => prop::sample::select(mentioned).boxed(),
        (true, Some(random)) => random,
        (true, None) => Just(smallest(&field.shape())).boxed(),
    }
}

fn random_value(shape: &Shape) -> Option<BoxedStrategy<String>> {
    match shape {
        Shape::Integer { minimum, maximum } => {
            let largest = (*maximum).min(minimum + 4);
            Some((*minimum..=largest).prop_map(|number| number.to_string()).boxed())
        }
        Shape::Number { above, up_to } => {
            let width = up_to.unwrap_or(above + 3.0) - above;
            let above = *above;
            Some((1_u32..=1000).prop_map(move |n| format!("{:?}", above + width * f64::from(n) / 1000.0)).boxed())
        }
        Shape::Within { low, high } => {
            let (low, width) = (*low, high - low);
            Some((0_u32..=1000).prop_map(move |n| format!("{:?}", low + width * f64::from(n) / 1000.0)).boxed())
        }
        // Mostly far below one half: events of high probability hide everything else.
        Shape::Probability => Some((0_u32..=100).prop_map(|n| format!("{:?}", f64::from(n * n) / 10_000.0)).boxed()),
        Shape::Boolean => Some(any::<bool>().prop_map(|value| value.to_string()).boxed()),
        Shape::Choice(variants) => {
            let words: Vec<_> = variants.iter().map(|variant| format!("{:?}", variant.name)).collect();
            Some(prop::sample::select(words).boxed())
        }
        Shape::Either(shapes) => shapes.iter().find_map(random_value),
        Shape::Model { models, .. } => {
            let models: Vec<_> = models.iter().map(|model| any_table(Some(model.name), &model.fields, &[])).collect();
            Some(prop::strategy::Union::new(models).boxed())
        }
        _ => None,
    }
}

/// An inline table with any value for each field, except those left to the caller.
pub fn any_table(kind: Option<&'static str>, fields: &[Field], left_out: &[&str]) -> BoxedStrategy<String> {
    let entry = |field: &Field| {
        let name = field.name;
        any_value(field).prop_map(move |value| format!("{name} = {value}"))
    };
    let entries: Vec<_> = fields.iter().filter(|field| !left_out.contains(&field.name)).map(entry).collect();
    entries
        .prop_map(move |mut entries| {
            entries.splice(0..0, kind.map(|kind| format!("kind = {kind:?}")));
            format!("{{ {} }}", entries.join(", "))
        })
        .boxed()
}
