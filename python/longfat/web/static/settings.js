// Settings of a scenario: texts by path. What a control shows, and what follows from a change.

/** A setting as text: what `--set` takes. */
export const textOf = (value) => typeof value === "string" ? value : JSON.stringify(value);

const isInside = (key, path) => key.startsWith(`${path}.`) || key.startsWith(`${path}[`);

/** Settings without those at a path and below it. */
export const without = (settings, path) =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key !== path && !isInside(key, path)));

/** Settings with one set; in its old place if it had one. A parameter of a model brings that along. */
export function withOne(settings, path, text, held = {}) {
  const models = within(path).filter((outer) => `${outer}.kind` in held
    && settings[`${outer}.kind`] === undefined && settings[outer] === undefined);
  const kinds = models.map((outer) => [`${outer}.kind`, held[`${outer}.kind`]]);
  return { ...settings, ...Object.fromEntries(kinds), [path]: text };
}

/** What holds without being set, by the last run: defaults, and what a preset says in their place. */
export function inForce(settings, resolved) {
  const told = (path) => settings[`${path}.kind`] ?? settings[path];
  // Parameters of a model are of no use to another one that has been chosen since.
  const isOfOther = (path) => told(path) !== undefined && told(path) !== (resolved[`${path}.kind`] ?? told(path));
  return Object.fromEntries(Object.entries(resolved).filter(([path]) => !within(path).some(isOfOther)));
}

/** The paths that a path lies in, from the outermost on. */
const within = (path) => [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));

/** The text that a control shows: what is set, or what holds without. */
export function current(control, path, settings, held = {}) {
  if (path in settings) return settings[path];
  if (path in held) return held[path];
  return control.default === undefined || control.default === null ? "" : textOf(control.default);
}

/** The model that a control shows. */
export function chosenModel(control, path, settings, held = {}) {
  const chosen = settings[`${path}.kind`] ?? settings[path] ?? held[`${path}.kind`] ?? control.default;
  return typeof chosen === "object" && chosen !== null ? chosen.kind : chosen;
}

/** Settings with another model chosen: its parameters begin with their defaults, or with `seeds`. */
export function withModel(settings, control, path, name, seeds) {
  const next = { ...without(settings, path), [`${path}.kind`]: name };
  const model = control.models.find((model) => model.name === name);
  return { ...next, ...required(model?.controls ?? [], path, seeds) };
}

function required(controls, path, seeds) {
  const found = {};
  for (const control of controls) {
    const own = `${path}.${control.key}`;
    if (control.default !== undefined) continue;
    if (control.kind === "section") Object.assign(found, required(control.controls, own, seeds));
    else found[own] = seeds[own] ?? example(control);
  }
  return found;
}

/** Some value that a control accepts. */
function example(control) {
  if (control.examples?.length) return control.examples[0];
  if (control.kind === "choice") return control.choices[0].name;
  if (control.kind === "model") return control.models[0].name;
  if (control.kind === "boolean") return "false";
  return textOf(control.least ?? control.most ?? 1);
}

/** The number of items of a list. */
export function itemsOf(path, settings) {
  let count = 0;
  while (Object.keys(settings).some((key) => isInside(key, `${path}[${count}]`))) count += 1;
  return count;
}

/** Settings with one more item at the end of a list, of a model. */
export const withItem = (settings, control, path, name, seeds) =>
  withModel(settings, control.item, `${path}[${itemsOf(path, settings)}]`, name, seeds);

/** Settings without an item of a list; those behind it move up. */
export function withoutItem(settings, path, place) {
  const moved = ([key, text]) => {
    const found = key.startsWith(`${path}[`) && /^\[(\d+)\](.*)$/.exec(key.slice(path.length));
    if (!found || Number(found[1]) < place) return [[key, text]];
    if (Number(found[1]) === place) return [];
    return [[`${path}[${Number(found[1]) - 1}]${found[2]}`, text]];
  };
  return Object.fromEntries(Object.entries(settings).flatMap(moved));
}

const LARGER = {
  ps: "ns", ns: "us", us: "ms", ms: "s",
  "bit/s": "kbit/s", "kbit/s": "Mbit/s", "Mbit/s": "Gbit/s",
};
const SMALLER = Object.fromEntries(Object.entries(LARGER).map(([small, large]) => [large, small]));

/** The next quantity of 1, 2, 5, 10, 20 … in its unit; null for a text that is no quantity. */
export function stepped(text, direction) {
  const found = /^\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\D*)$/i.exec(text);
  if (!found || !(Number(found[1]) > 0)) return null;
  let [number, unit] = [Number(found[1]), found[2].trim()];
  const decade = 10 ** Math.floor(Math.log10(number));
  const marks = [0.5, 1, 2, 5, 10].map((mark) => mark * decade);
  const next = direction > 0
    ? marks.find((mark) => mark > number * (1 + 1e-9))
    : marks.findLast((mark) => mark < number * (1 - 1e-9));
  number = Number(next.toPrecision(6));
  if (number >= 1000 && LARGER[unit]) [number, unit] = [number / 1000, LARGER[unit]];
  if (number < 1 && SMALLER[unit]) [number, unit] = [number * 1000, SMALLER[unit]];
  // What comes without a unit, or in a unit that has no smaller one, is counted.
  if (number < 1 && !SMALLER[unit] && !/^(RTT|BDP|)$/.test(unit)) return null;
  return unit ? `${number} ${unit}` : String(number);
}

/** The address of a playground with these settings. */
export const addressOf = (settings) => `/play${queryOf(settings)}`;

/** The key of the settings that stand beside the others: no path of a scenario. */
const BESIDE = "beside";

/** Settings, and others that stand beside them, as the query of an address. */
export const queryOf = (settings, other = undefined) =>
  `?${new URLSearchParams(other ? { ...settings, [BESIDE]: new URLSearchParams(other).toString() } : settings)}`;

/** The settings of the address, with those beside them if there are any; null without settings. */
export function fromAddress() {
  const { [BESIDE]: other, ...settings } = Object.fromEntries(new URLSearchParams(location.search));
  if (!Object.keys(settings).length) return null;
  return other ? [settings, Object.fromEntries(new URLSearchParams(other))] : [settings];
}
