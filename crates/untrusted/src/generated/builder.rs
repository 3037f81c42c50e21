//! Values of declared fields, drawn at random.

use longfat_engine::config::{Field, ModelShape, Shape, parse_fragment};
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::{Map, Value as Json};

use super::dice::{Dice, whole};
use super::graphs::{Network, links_of};
use super::targets::Step;
use super::text;

/// Values of one scenario's fields.
pub struct Builder {
    /// Random choices.
    pub dice: Dice,
    /// Probability that a field with a default is written.
    density: f64,
    /// Probability that a number is an extreme or special one.
    wild: f64,
    /// Names of hosts and switches, if the topology has any.
    network: Network,
    names: usize,
}

impl Builder {
    /// Choices that follow from the seed: how much is written, and how extreme it is, differs between scenarios.
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let density = *dice.one(&[0.03, 0.1, 0.25]);
        let wild = *dice.one(&[0.0, 0.0, 0.0, 0.01, 0.01, 0.1]);
        Self { dice, density, wild, network: Network::default(), names: 0 }
    }

    /// A scenario that visits a place; it may have to be mended.
    pub fn scenario(&mut self, target: &[Step]) -> Json {
        self.table(&Scenario::fields(), target)
    }

    /// A table with all fields that have no default, the one that leads to the target, and some others.
    fn table(&mut self, fields: &[Field], target: &[Step]) -> Json {
        let mut table = Map::new();
        for field in fields {
            let (is_visited, rest) = match target {
                [Step::Field(name), rest @ ..] if *name == field.name => (true, rest),
                _ => (false, &[][..]),
            };
            let density = self.density;
            let is_needed = match field.shape() {
                Shape::List(item) => matches!(&*item, Shape::Section(fields) if self.network.must_connect(fields)),
                _ => field.default.is_none(),
            };
            if is_visited || is_needed || self.dice.happens(density) {
                table.insert(field.name.into(), self.field(field, rest));
            }
        }
        self.network.connect(&mut self.dice, fields, &mut table);
        table.into()
    }

    /// A value of a field: often one that the declaration mentions.
    pub fn field(&mut self, field: &Field, target: &[Step]) -> Json {
        let mentioned: Vec<&str> = field.default.iter().chain(field.alternatives).copied().collect();
        let shape = field.shape();
        let holds_more = matches!(shape, Shape::Section(_) | Shape::Model { .. } | Shape::List(_) | Shape::Either(_));
        if target.is_empty() && !mentioned.is_empty() && !holds_more && self.dice.happens(0.3) {
            let text = self.dice.one::<&str>(&mentioned);
            return json(text);
        }
        self.value(&shape, field.default, target)
    }

    fn value(&mut self, shape: &Shape, default: Option<&str>, target: &[Step]) -> Json {
        match shape {
            Shape::Quantity { expected, examples } => self.quantity(expected, examples, default).into(),
            Shape::Integer { minimum, maximum } => self.integer(*minimum, *maximum, default).into(),
            Shape::Number { above, up_to } => self.number(*above, *up_to, default).into(),
            Shape::Within { low, high } => (low + (high - low) * self.probability()).into(),
            Shape::Probability => self.probability().into(),
            Shape::Boolean => self.dice.happens(0.5).into(),
            Shape::Text => self.name().into(),
            Shape::Choice(words) => match target {
                [Step::Named(name), ..] => (*name).into(),
                _ => self.dice.one(words).name.into(),
            },
            Shape::Section(fields) => self.table(fields, target),
            Shape::Model { models, .. } => self.model(models, default, target),
            Shape::Either(shapes) => match target {
                [Step::Shape(number), rest @ ..] => self.value(&shapes[*number], default, rest),
                _ => {
                    let chosen = self.dice.below(shapes.len());
                    self.value(&shapes[chosen], default, target)
                }
            },
            Shape::List(item) => self.list(item, target),
            Shape::Map(_) => {
                (0..self.dice.below(3)).map(|n| (format!("name-{n}"), Json::from(self.dice.share()))).collect()
            }
        }
    }

    fn model(&mut self, models: &[ModelShape], default: Option<&str>, target: &[Step]) -> Json {
        let (named, rest) = match target {
            [Step::Named(name), rest @ ..] => (models.iter().find(|model| model.name == *name), rest),
            _ => (None, &[][..]),
        };
        // The default is what most scenarios have, and what most others go with.
        let usual = models.iter().find(|model| Some(model.name) == default);
        let model = match (named, usual) {
            (Some(named), _) => named,
            (None, Some(usual)) if self.dice.happens(0.3) => usual,
            _ => self.dice.one(models),
        };
        if rest.is_empty() && model.fields.iter().all(|field| field.default.is_some()) && self.dice.happens(0.3) {
            return model.name.into();
        }
        let mut table = self.table(&model.fields, rest);
        let is_topology = models.iter().any(|model| links_of(&model.fields).is_some());
        if is_topology {
            self.network = Network::default();
        }
        if let Some((_, of_link)) = links_of(&model.fields) {
            let network = Network::drawn(&mut self.dice);
            let links = (0..network.links()).map(|_| self.table(&of_link, &[])).collect();
            network.lay_out(&mut self.dice, &model.fields, &mut table, links);
            self.network = network;
        }
        table["kind"] = model.name.into();
        table
    }

    fn list(&mut self, item: &Shape, target: &[Step]) -> Json {
        let (at_least, rest) = match target {
            [Step::Item, rest @ ..] => (1, rest),
            _ => (0, &[][..]),
        };
        let of_graph = matches!(item, Shape::Section(fields) if self.network.must_connect(fields));
        let length = at_least.max(usize::from(of_graph)) + *self.dice.one(&[0, 0, 0, 1, 1, 2]);
        (0..length).map(|number| self.value(item, None, if number == 0 { rest } else { &[] })).collect()
    }

    fn quantity(&mut self, expected: &str, examples: &[&str], default: Option<&str>) -> String {
        let is_quantity = |text: &str| !text.starts_with(['{', '[']);
        let like: Vec<&str> = examples.iter().copied().chain(default.filter(|text| is_quantity(text))).collect();
        let example = *self.dice.one(&like);
        if example.contains('\n') {
            return text::table(&mut self.dice, expected);
        }
        text::varied(&mut self.dice, example, self.wild)
    }

    fn integer(&mut self, minimum: u64, maximum: u64, default: Option<&str>) -> u64 {
        if self.dice.happens(self.wild) {
            return *self.dice.one(&[minimum, maximum, maximum / 2, (1 << 32).clamp(minimum, maximum)]);
        }
        let usual = default.and_then(|text| text.parse().ok()).unwrap_or(minimum) as f64;
        let near = whole(usual.max(1.0) * self.dice.magnitude(0.2, 5.0)) + self.dice.below(4) as u64;
        near.clamp(minimum, maximum)
    }

    fn number(&mut self, above: f64, up_to: Option<f64>, default: Option<&str>) -> f64 {
        if self.dice.happens(self.wild) {
            return *self.dice.one(&[above.next_up(), up_to.unwrap_or(1e300), above + 1e-9, above + 1.0]);
        }
        let usual = default
            .and_then(|text| text.parse().ok())
            .unwrap_or(above + up_to.map_or(1.0, |limit| (limit - above) / 4.0));
        let near = above + (usual - above).max(1e-6) * self.dice.magnitude(0.1, 10.0);
        up_to.map_or(near, |limit| near.min(limit))
    }

    fn probability(&mut self) -> f64 {
        if self.dice.happens(self.wild.max(0.05)) {
            return *self.dice.one(&[0.0, 1.0, 1e-300, 1.0_f64.next_down()]);
        }
        let share = self.dice.share();
        if self.dice.happens(0.5) { self.dice.magnitude(1e-5, 0.3) } else { share }
    }

    /// A name: of the network that has been laid out, or a new one.
    fn name(&mut self) -> String {
        if let Some(name) = self.network.any_name(&mut self.dice) {
            return name;
        }
        self.names += 1;
        format!("name-{}", self.names)
    }
}

/// A default or alternative as it would be written.
fn json(text: &str) -> Json {
    fn of(node: longfat_engine::config::Node) -> Json {
        use longfat_engine::config::Value;
        match node.value {
            Value::Table(entries) => entries.into_iter().map(|(key, node)| (key.name, of(node))).collect(),
            Value::Array(items) => items.into_iter().map(of).collect(),
            Value::Text(text) | Value::Other(text) => text.into(),
            Value::Integer(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Boolean(value) => value.into(),
        }
    }
    of(parse_fragment(text))
}
