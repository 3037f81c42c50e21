// Controls for settings, from what the engine says that there is.

import { useState } from "preact/hooks";
import { html } from "./common.js";
import * as S from "./settings.js";

// Words of the field are written as the field does.
const ACRONYMS = { mss: "MSS", mtu: "MTU", tcp: "TCP", sack: "SACK", z: "Z" };
const label = (key) => key.split("_").map((word) => ACRONYMS[word] ?? word).join(" ");

/** A control of any kind. `context` has the `settings`, what is `held` without being set, `change` for new ones, `problems`, `seeds`. */
export function Control({ control, path, name = label(control.key), context }) {
  const Kind = KINDS[control.kind];
  return html`<${Kind} control=${control} path=${path} name=${name} context=${context} />`;
}

const idOf = (path) => `set-${path.replaceAll(/[^A-Za-z0-9]/g, "-")}`;

const problemsAt = (path, context) => context.problems.filter((problem) => problem.path === path);

/** A label with its explanation on request, around an input. */
function Labelled({ control, path, name, context, children, inline = false, unset = path in context.settings && control.default !== undefined }) {
  const [open, setOpen] = useState(false);
  const problems = problemsAt(path, context);
  const id = idOf(path);
  return html`<div class=${`control ${problems.length ? "wrong" : ""}`} data-path=${path}>
    <div class="label">
      ${inline && children(id)}<label for=${id}>${name}</label>
      ${unset && html`<button type="button" class="small" title="Back to the default"
        aria-label=${`${name}: back to the default`}
        onClick=${() => context.change(S.without(context.settings, path))}>↺</button>`}
      ${control.doc && html`<button type="button" class="small" aria-expanded=${open}
        aria-label=${`${name}: what is it?`} onClick=${() => setOpen(!open)}>?</button>`}
    </div>
    ${!inline && children(id)}
    ${open && html`<p class="doc">${control.doc}</p>`}
    ${problems.map((problem) => html`<p class="doc problem">${problem.message}</p>`)}
  </div>`;
}

const set = (context, path, text) => context.change(S.withOne(context.settings, path, text, context.held));

function Text(properties) {
  const { control, path, context } = properties;
  const text = S.current(control, path, context.settings, context.held);
  const step = (direction) => {
    const next = S.stepped(text, direction);
    if (next !== null) set(context, path, next);
  };
  const keys = { ArrowUp: 1, ArrowDown: -1 };
  const onKeyDown = (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    step(keys[event.key]);
  };
  const share = control.range?.most === 1 && Number(text) > 0 && Number(text) <= 1;
  return html`<${Labelled} ...${properties}>${(id) => html`<div class="row">
    <input id=${id} type="text" value=${text} spellcheck="false" autocomplete="off"
      list=${control.examples.length ? `${id}-examples` : undefined} onKeyDown=${onKeyDown}
      onChange=${(event) => set(context, path, event.target.value.trim())} />
    ${control.examples.length > 0 && html`<datalist id=${`${id}-examples`}>
      ${control.examples.map((example) => html`<option value=${example}></option>`)}</datalist>`}
    ${share
      ? html`<${Slider} path=${path} value=${text} least=${0.05} context=${context} name=${properties.name} />`
      : S.stepped(text, 1) !== null && html`
        <button type="button" class="step" aria-label=${`${properties.name}: less`}
          onClick=${() => step(-1)}>−</button>
        <button type="button" class="step" aria-label=${`${properties.name}: more`}
          onClick=${() => step(1)}>+</button>`}
  </div>`}</${Labelled}>`;
}

function Slider({ path, value, least, context, name }) {
  return html`<input type="range" min=${least} max="1" step="0.05" value=${value} aria-label=${`${name}, as a share`}
    onInput=${(event) => set(context, path, event.target.value)} />`;
}

function Number_(properties) {
  const { control, path, context, name } = properties;
  const text = S.current(control, path, context.settings, context.held);
  const whole = control.kind === "integer";
  return html`<${Labelled} ...${properties}>${(id) => html`<div class="row">
    <input id=${id} type="number" value=${text} step=${whole ? 1 : "any"}
      min=${control.least ?? control.above} max=${control.most}
      onInput=${(event) => event.target.value !== "" && set(context, path, event.target.value)} />
    ${control.most === 1 && html`<${Slider} path=${path} value=${text} least=${0} context=${context} name=${name} />`}
  </div>`}</${Labelled}>`;
}

function Boolean_(properties) {
  const { control, path, context } = properties;
  const isSet = S.current(control, path, context.settings, context.held) === "true";
  return html`<${Labelled} ...${properties} inline=${true}>${(id) => html`<input id=${id} type="checkbox" checked=${isSet}
    onChange=${(event) => set(context, path, String(event.target.checked))} />`}</${Labelled}>`;
}

function Options({ id, value, names, onChange }) {
  const known = names.includes(value);
  return html`<select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${!known && html`<option value=${value}>${value}</option>`}
    ${names.map((name) => html`<option value=${name} selected=${name === value}>${name}</option>`)}
  </select>`;
}

function Choice(properties) {
  const { control, path, context } = properties;
  const value = S.current(control, path, context.settings, context.held);
  const chosen = control.choices.find((choice) => choice.name === value);
  const explained = { ...control, doc: [control.doc, chosen?.doc].filter(Boolean).join(" — ") };
  return html`<${Labelled} ...${properties} control=${explained}>${(id) => html`<${Options}
    id=${id} value=${value} names=${control.choices.map((choice) => choice.name)}
    onChange=${(name) => set(context, path, name)} />`}</${Labelled}>`;
}

function Model(properties) {
  const { control, path, context } = properties;
  const name = S.chosenModel(control, path, context.settings, context.held);
  const model = control.models.find((model) => model.name === name);
  const explained = { ...control, doc: [control.doc, model?.doc].filter(Boolean).join(" — ") };
  const isSet = path in context.settings || `${path}.kind` in context.settings;
  const unset = control.default !== undefined && isSet && name !== S.chosenModel(control, path, {});
  const choose = (name) =>
    context.change(S.withModel(context.settings, control, path, name, context.seeds));
  return html`<div class="group">
    <${Labelled} ...${properties} control=${explained} unset=${unset}>${(id) => html`<${Options}
      id=${id} value=${name} names=${control.models.map((model) => model.name)} onChange=${choose} />`}
    </${Labelled}>
    ${problemsAt(`${path}.kind`, context).map((problem) => html`<p class="doc problem">${problem.message}</p>`)}
    <${Controls} controls=${model?.controls ?? []} path=${path} context=${context} />
  </div>`;
}

function Section({ control, path, name, context }) {
  return html`<fieldset><legend>${name}</legend>
    <${Controls} controls=${control.controls} path=${path} context=${context} /></fieldset>`;
}

function List(properties) {
  const { control, path, name, context } = properties;
  const { settings, change } = context;
  const items = Array.from({ length: S.itemsOf(path, settings) }, (_, place) => place);
  return html`<fieldset class="list"><legend>${name}</legend>
    ${problemsAt(path, context).map((problem) => html`<p class="doc problem">${problem.message}</p>`)}
    ${items.map((place) => html`<div class="item">
      <${Model} control=${control.item} path=${`${path}[${place}]`} name=${`${name} ${place + 1}`} context=${context} />
      <button type="button" class="small" onClick=${() => change(S.withoutItem(settings, path, place))}>remove</button>
    </div>`)}
    ${control.item.kind === "model" && html`<div class="row">${control.item.models.map((model) => html`
      <button type="button" title=${model.doc}
        onClick=${() => change(S.withItem(settings, control, path, model.name, context.seeds))}>+ ${model.name}</button>`)}
    </div>`}
  </fieldset>`;
}

/** Several controls below a path. */
export function Controls({ controls, path, context }) {
  const own = (control) => (path ? `${path}.${control.key}` : control.key);
  return controls.filter((control) => !context.hidden.has(own(control))).map((control) => html`<${Control}
    key=${own(control)} control=${control} path=${own(control)} context=${context} />`);
}

const KINDS = {
  text: Text, number: Number_, integer: Number_, boolean: Boolean_,
  choice: Choice, model: Model, section: Section, list: List,
};

/** The control at a path, whatever models are chosen on the way. */
export function find(controls, path, settings, held) {
  const [key, ...rest] = path.split(".");
  let [own, control] = [key, controls.find((control) => control.key === key)];
  for (const step of rest) {
    if (!control) return undefined;
    const inside = control.kind === "model"
      ? control.models.find((model) => model.name === S.chosenModel(control, own, settings, held))?.controls
      : control.controls;
    control = inside?.find((inner) => inner.key === step);
    own = `${own}.${step}`;
  }
  return control;
}
