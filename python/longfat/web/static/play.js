// The playground: change a setting, and the run is done again at once.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Chart } from "./charts.js";
import { ask, html, shown, Trouble } from "./common.js";
import { Control, Controls, find } from "./controls.js";
import { Drawer } from "./drawer.js";
import { Headline, Ledger, Metrics, Parts } from "./parts.js";
import { Beside, NAMES } from "./beside.js";
import { addressOf, fromAddress, inForce, queryOf } from "./settings.js";

const PAGE = crypto.randomUUID();
const SHORT = { "topology.sources": "sources (N)", background: "other traffic (VBR …)" };

/** What a path of two links is called at the top: "bottleneck rate". */
const shortName = (path) => SHORT[path] ?? path.split(".").slice(path.startsWith("topology") ? 1 : -1).join(" ");

/** What there is to set: the controls and the presets. */
export function useOffer() {
  const [state, setState] = useState({ offer: null, trouble: [] });
  useEffect(() => {
    ask("/api/play").then((offer) => setState({ offer, trouble: [] }), (error) => setState({ offer: null, trouble: [error.message] }));
  }, []);
  return state;
}

export function Page() {
  const { offer, trouble } = useOffer();
  useEffect(() => { document.title = "Playground – longfat"; }, []);
  if (!offer) return trouble.length ? html`<${Trouble} problems=${trouble} />` : html`<p class="quiet">Loading …</p>`;
  return html`<h1 class="unseen">Playground</h1><${Playground} offer=${offer} first=${offer.presets[0].settings} />`;
}

/** A scenario and its run; or two beside each other, of which the controls change one. */
export function Playground({ offer, first }) {
  const [both, setBoth] = useState(() => fromAddress() ?? [first]);
  const [side, setSide] = useState(0);
  const changed = useRef(performance.now());
  const changeBoth = useCallback((next) => {
    changed.current = performance.now();
    setBoth(next);
  }, []);
  const runs = [useRun(both[0], changed, 0), useRun(both[1], changed, 1)];
  useEffect(() => history.replaceState(null, "", queryOf(...both)), [both]);
  useEffect(() => {
    const back = () => setBoth(fromAddress() ?? [first]);
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const own = Math.min(side, both.length - 1);
  const settings = both[own];
  const paths = runs[own].problems.map(placed);
  const context = {
    settings, held: inForce(settings, runs[own].answer?.in_force ?? {}), problems: paths,
    change: (next) => changeBoth(both.map((each, place) => (place === own ? next : each))),
    seeds: useSeeds(offer), hidden: new Set(),
  };
  const beside = { both, side: own, setSide, setOther: (other) => { changeBoth(other ? [both[0], other] : [both[0]]); setSide(other ? 1 : 0); } };
  const answers = both.map((_, place) => runs[place].answer);
  return html`<div class="playground">
      <${Sidebar} offer=${offer} context=${context} beside=${beside} />
      <div class="results" aria-busy=${runs.some(({ busy }) => busy)}>
        ${both.map((_, place) => html`<${Problems} key=${place} problems=${runs[place].problems.map(placed)} name=${both.length > 1 ? NAMES[place] : ""} />`)}
        ${answers.length > 1 ? answers.every(Boolean) && html`<${Beside} answers=${answers} />` : answers[0] && html`<${Results} answer=${answers[0]} />`}
      </div>
    </div>`;
}

/** Values that the presets have for settings without a default. */
const useSeeds = (offer) => useMemo(
  () => Object.assign({}, ...offer.presets.map((preset) => preset.settings).reverse()), [offer]);

/** A message of the engine ("scenario.toml:7:1: port.buffer: expected …") with the path it is of. */
function placed(problem) {
  const found = /^(?:scenario\.toml(?::\d+:\d+)?: )?(?:([a-z_][a-z_0-9.[\]]*): )?(.*)$/s.exec(problem);
  return { path: found[1] ?? "", message: found[2] };
}

function Problems({ problems, name }) {
  const texts = problems.map(({ path, message }) => [name, path, message].filter(Boolean).join(": "));
  return html`<${Trouble} problems=${texts} />`;
}

/** The run of the settings, if there are any: the latest answer, what is wrong, and whether one is on the way. */
function useRun(settings, changed, place) {
  const [state, setState] = useState({ answer: null, problems: [], busy: Boolean(settings) });
  useEffect(() => {
    if (!settings) {
      setState({ answer: null, problems: [], busy: false });
      return undefined;
    }
    const aborter = new AbortController();
    const since = changed.current;
    setState((state) => ({ ...state, busy: true }));
    ask("/api/play", { page: `${PAGE}-${place}`, settings }, aborter.signal).then(
      (answer) => {
        if (aborter.signal.aborted) return;
        setState({ answer, problems: [], busy: false });
        // When the next picture is on the screen: what `benchmarks/playground.py` reads.
        requestAnimationFrame(() => setTimeout(() => {
          performance.measure("redraw", { start: since, end: performance.now(), detail: answer.run_id });
          document.documentElement.dataset[place ? "beside" : "drawn"] = answer.run_id;
        }));
      },
      (error) => {
        if (aborter.signal.aborted) return;
        setState((state) => ({ ...state, problems: error.problems ?? [error.message], busy: false }));
      },
    );
    return () => aborter.abort();
  }, [settings]);
  return state;
}

function Sidebar({ offer, context, beside }) {
  const { settings, held, change } = context;
  const first = offer.first.map((path) => [path, find(offer.controls, path, settings, held)]).filter(([, control]) => control);
  const rest = { ...context, hidden: new Set(offer.first) };
  const groups = offer.controls.filter((control) => !rest.hidden.has(control.key));
  return html`<${Drawer} name="Settings"><form onSubmit=${(event) => event.preventDefault()} aria-label="Scenario">
    <div class="control"><div class="label"><label for="preset">begin with</label></div>
      <${Presets} offer=${offer} settings=${settings} change=${change} /></div>
    <${Other} offer=${offer} beside=${beside} />
    ${first.map(([path, control]) => html`<${Control} key=${path} control=${control} path=${path}
      name=${shortName(path)} context=${context} />`)}
    ${groups.map((control) => html`<details key=${control.key}><summary>${control.key.replaceAll("_", " ")}</summary>
      <${Control} control=${control} path=${control.key} context=${rest} /></details>`)}
    <details><summary>exercises</summary><div class="links"><ul>${offer.exercises.map(({ number, title }) => html`
      <li><a href=${`/exercise/${number}`}>${number}. ${title}</a></li>`)}</ul></div></details>
    <${Share} settings=${settings} />
  </form></${Drawer}>`;
}

function Presets({ offer, settings, change }) {
  const same = (preset) => addressOf(preset.settings) === addressOf(settings);
  const chosen = offer.presets.find(same)?.name ?? "";
  const choose = (event) => {
    const preset = offer.presets.find((preset) => preset.name === event.target.value);
    if (preset) change(preset.settings);
  };
  return html`<select id="preset" value=${chosen} onChange=${choose}>
    ${!chosen && html`<option value="" selected>your own settings</option>`}
    ${offer.presets.map((preset) => html`<option value=${preset.name} selected=${preset.name === chosen}>
      ${preset.title}</option>`)}
  </select>`;
}

/** What stands beside the settings, and which of both the controls change. */
function Other({ offer, beside: { both, side, setSide, setOther } }) {
  const choose = ({ target: { value } }) =>
    setOther(value === "same" ? { ...both[0] } : offer.presets.find(({ name }) => name === value)?.settings);
  return html`<div class="control"><div class="label"><label for="beside">beside it</label></div>
      <select id="beside" value="" onChange=${choose}>
        <option value="" selected>${both.length > 1 ? "(two are shown)" : "nothing"}</option>
        ${both.length > 1 && html`<option value="none">nothing</option>`}
        <option value="same">the same, to change it</option>
        ${offer.presets.map(({ name, title }) => html`<option value=${name}>${title}</option>`)}
      </select></div>
    ${both.length > 1 && html`<fieldset class="list"><legend>controls change</legend><div class="row">
      ${NAMES.map((name, place) => html`<button type="button" aria-pressed=${place === side} onClick=${() => setSide(place)}>${name}</button>`)}
    </div></fieldset>`}`;
}

function Share({ settings }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid("copied");
    } catch {
      setSaid("the address bar has it");
    }
  };
  const file = `/play/scenario.toml?${new URLSearchParams(settings)}`;
  return html`<div class="share">
    <button type="button" onClick=${copy}>Copy link</button>
    <a class="button" href=${file} download="scenario.toml">Download scenario.toml</a>
    <span class="quiet" role="status">${said}</span>
  </div>`;
}

function Results({ answer }) {
  return html`
    <${Headline} metrics=${answer.metrics} whole=${answer.travels_whole} />
    <p class="quiet" data-run=${answer.run_id}>
      ${shown(answer.simulated_s)} s simulated in ${shown(Math.round(answer.engine_ms))} ms
      (${shown(answer.events)} events${answer.driver ? `, driver ${answer.driver}` : ""}), charts ${shown(Math.round(answer.charts_ms))} ms;
      run ${answer.run_id.slice(0, 12)}, fingerprint ${answer.fingerprint}, engine ${answer.engine}
    </p>
    ${answer.charts.map((chart) => html`<${Chart} key=${chart.name} chart=${chart} />`)}
    <div class="pair">
      <${Ledger} entries=${answer.ledger} />
      <${Metrics} metrics=${answer.metrics} whole=${answer.travels_whole} />
    </div>
    <${Parts} title="Completions" parts=${answer.completions} />
    <${Parts} title="Flows" parts=${answer.flows} whole=${answer.travels_whole} leftOut=${answer.parts_left_out} />
    <${Parts} title="Ports" parts=${answer.ports} whole=${answer.travels_whole} />`;
}
