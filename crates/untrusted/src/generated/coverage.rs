//! Counts of what generated scenarios have used, by declaration.

use std::collections::{BTreeMap, BTreeSet};

use longfat_engine::config::{Field, Shape};
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::Value as Json;

/// How often each model and each word of each vocabulary was part of a scenario.
#[derive(Default)]
pub struct Coverage {
    counts: BTreeMap<Used, u64>,
}

/// A kind of model or a vocabulary, and the name of a model or a word of it.
type Used = (String, &'static str);

impl Coverage {
    /// All that is declared, with no scenario yet.
    #[must_use]
    pub fn of_declarations() -> Self {
        let mut coverage = Self::default();
        coverage.declare(&Scenario::fields(), "");
        coverage
    }

    /// Counts what a checked scenario uses, as written and as resolved: bundles of settings are only written.
    pub fn count(&mut self, written: &Json, canonical: &Json) {
        let mut used = BTreeSet::new();
        for scenario in [written, canonical] {
            add_fields(&mut used, &Scenario::fields(), scenario, "");
        }
        for name in used {
            *self.counts.entry(name).or_default() += 1;
        }
    }

    /// Kind and name of all that was used fewer times.
    pub fn seen_less_than(&self, times: u64) -> impl Iterator<Item = (&str, &str, u64)> {
        let few = self.counts.iter().filter(move |(_, count)| **count < times);
        few.map(|((kind, name), count)| (kind.as_str(), *name, *count))
    }

    /// Number of models and words that are declared.
    #[must_use]
    pub fn declared(&self) -> usize {
        self.counts.len()
    }

    fn declare(&mut self, fields: &[Field], table: &str) {
        fields.iter().for_each(|field| self.declare_shape(&field.shape(), field.name, table));
    }

    fn declare_shape(&mut self, shape: &Shape, key: &str, table: &str) {
        match shape {
            Shape::Section(fields) => self.declare(fields, key),
            Shape::Model { kind, models } => {
                for model in models {
                    self.counts.entry(((*kind).into(), model.name)).or_default();
                    self.declare(&model.fields, model.name);
                }
            }
            Shape::Choice(words) => {
                for word in words {
                    self.counts.entry((format!("{table}.{key}"), word.name)).or_default();
                }
            }
            Shape::Either(shapes) => shapes.iter().for_each(|shape| self.declare_shape(shape, key, table)),
            Shape::List(item) => self.declare_shape(item, key, table),
            _ => {}
        }
    }
}

fn add_fields(used: &mut BTreeSet<Used>, fields: &[Field], node: &Json, table: &str) {
    for field in fields {
        let written = node.get(field.name).or_else(|| node.get(field.resolved_name()));
        // A resolved scenario leaves out what stands for "none", which is the default.
        let absent = field.default.map(Json::from);
        if let Some(value) = written.or(absent.as_ref()) {
            add_shape(used, &field.shape(), value, field.name, table);
        }
    }
}

fn add_shape(used: &mut BTreeSet<Used>, shape: &Shape, node: &Json, key: &str, table: &str) {
    match shape {
        Shape::Section(fields) if node.is_object() => add_fields(used, fields, node, key),
        Shape::Model { kind, models } => {
            let name = node.as_str().or_else(|| node["kind"].as_str());
            let Some(model) = models.iter().find(|model| Some(model.name) == name) else { return };
            used.insert(((*kind).into(), model.name));
            add_fields(used, &model.fields, node, model.name);
        }
        Shape::Choice(words) => {
            if let Some(word) = words.iter().find(|word| Some(word.name) == node.as_str()) {
                used.insert((format!("{table}.{key}"), word.name));
            }
        }
        Shape::Either(shapes) => shapes.iter().for_each(|shape| add_shape(used, shape, node, key, table)),
        Shape::List(item) => {
            node.as_array().into_iter().flatten().for_each(|node| add_shape(used, item, node, key, table));
        }
        _ => {}
    }
}
