//! Places in the declarations of a scenario, each of which generated scenarios visit in turns.

use std::sync::OnceLock;

use longfat_engine::config::{Field, Shape};
use longfat_engine::scenario::Scenario;

/// A step from the root of a scenario to a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a field of a table.
    Field(&'static str),
    /// To a model, or to a word of a vocabulary.
    Named(&'static str),
    /// To an item of a list.
    Item,
    /// To one of several shapes.
    Shape(usize),
}

/// A place and how to get there.
pub type Target = Vec<Step>;

/// Places of a scenario, from its declarations.
pub struct Targets {
    /// Places of models.
    pub models: Vec<Target>,
    /// Places of words, and of fields with other values.
    pub others: Vec<Target>,
}

impl Targets {
    /// All that can be said in a scenario.
    pub fn of_scenarios() -> &'static Self {
        static ALL: OnceLock<Targets> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut all = Self { models: Vec::new(), others: Vec::new() };
            all.add_fields(&Scenario::fields(), &Vec::new());
            all
        })
    }

    /// The place that the scenario with this seed visits: seeds take turns, half of them through the models.
    pub fn of(&self, seed: u64) -> &[Step] {
        let turn = usize::try_from(seed / 2).unwrap_or(0);
        let list = if seed.is_multiple_of(2) { &self.models } else { &self.others };
        &list[turn % list.len()]
    }

    fn add_fields(&mut self, fields: &[Field], above: &Target) {
        for field in fields {
            self.add_shape(&field.shape(), &and(above, Step::Field(field.name)));
        }
    }

    fn add_shape(&mut self, shape: &Shape, place: &Target) {
        match shape {
            Shape::Section(fields) => self.add_fields(fields, place),
            Shape::Model { models, .. } => {
                for model in models {
                    let place = and(place, Step::Named(model.name));
                    self.models.push(place.clone());
                    self.add_fields(&model.fields, &place);
                }
            }
            Shape::Choice(words) => self.others.extend(words.iter().map(|word| and(place, Step::Named(word.name)))),
            Shape::Either(shapes) => {
                for (number, shape) in shapes.iter().enumerate() {
                    self.add_shape(shape, &and(place, Step::Shape(number)));
                }
            }
            Shape::List(item) => self.add_shape(item, &and(place, Step::Item)),
            _ => self.others.push(place.clone()),
        }
    }
}

fn and(place: &Target, step: Step) -> Target {
    [&place[..], &[step]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place in words: `background[].kind=poisson.load`.
    fn described(target: &[Step]) -> String {
        let mut text = String::new();
        for step in target {
            match step {
                Step::Field(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text += name;
                }
                Step::Named(name) => text += &format!("={name}"),
                Step::Item => text += "[]",
                Step::Shape(_) => {}
            }
        }
        text
    }

    #[test]
    fn places_reach_models_in_models_words_and_fields() {
        let all = Targets::of_scenarios();
        let [models, others] =
            [&all.models, &all.others].map(|list| list.iter().map(|target| described(target)).collect::<Vec<_>>());
        assert!(models.contains(&"background[]=poisson".into()), "{models:?}");
        assert!(models.contains(&"proxies=split-tcp.tcp.flavor=cubic".into()), "{models:?}");
        assert!(others.contains(&"tcp.preset=rfc".into()), "{others:?}");
        assert!(others.contains(&"background[]=poisson.load".into()), "{others:?}");
    }
}
