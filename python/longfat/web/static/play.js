// The playground: change a setting, and the run is done again at once.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Chart } from "./charts.js";
import { ask, html, shown, Trouble } from "./common.js";
import { Control, Controls, find } from "./controls.js";
import { Drawer } from "./drawer.js";
import { Headline, Ledger, Metrics, Parts } from "./parts.js";
import { addressOf, inForce } from "./settings.js";

const PAGE = crypto.randomUUID();
const SHORT = { "topology.sources": "sources (N)", background: "other traffic (VBR …)" };

/** What a path of two links is called at the top: "bottleneck rate". */
const shortName = (path) => SHORT[path] ?? path.split(".").slice(path.startsWith("topology") ? 1 : -1).join(" ");

export function Page() {
  const [offer, setOffer] = useState(null);
  const [trouble, setTrouble] = useState([]);
  useEffect(() => {
    document.title = "Playground – longfat";
    ask("/api/play").then(setOffer, (error) => setTrouble([error.message]));
  }, []);
  if (!offer) return trouble.length ? html`<${Trouble} problems=${trouble} />` : html`<p class="quiet">Loading …</p>`;
  return html`<${Playground} offer=${offer} />`;
}

function Playground({ offer }) {
  const [settings, setSettings] = useState(() => {
    const given = Object.fromEntries(new URLSearchParams(location.search));
    return Object.keys(given).length ? given : offer.presets[0].settings;
  });
  const changed = useRef(performance.now());
  const change = useCallback((next) => {
    changed.current = performance.now();
    setSettings(next);
  }, []);
  const { answer, problems, busy } = useRun(settings, changed);
  useEffect(() => history.replaceState(null, "", addressOf(settings)), [settings]);
  useEffect(() => {
    const back = () => setSettings(Object.fromEntries(new URLSearchParams(location.search)));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const paths = problems.map(placed);
  const held = inForce(settings, answer?.in_force ?? {});
  const context = { settings, held, change, problems: paths, seeds: useSeeds(offer), hidden: new Set() };
  return html`<h1 class="unseen">Playground</h1>
    <div class="playground">
      <${Sidebar} offer=${offer} context=${context} />
      <div class="results" aria-busy=${busy}>
        <${Problems} problems=${paths} />
        ${answer && html`<${Results} answer=${answer} />`}
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

function Problems({ problems }) {
  const texts = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return html`<${Trouble} problems=${texts} />`;
}

/** The run of the settings: the latest answer, what is wrong, and whether one is on the way. */
function useRun(settings, changed) {
  const [state, setState] = useState({ answer: null, problems: [], busy: true });
  useEffect(() => {
    const aborter = new AbortController();
    const since = changed.current;
    setState((state) => ({ ...state, busy: true }));
    ask("/api/play", { page: PAGE, settings }, aborter.signal).then(
      (answer) => {
        if (aborter.signal.aborted) return;
        setState({ answer, problems: [], busy: false });
        // When the next picture is on the screen: what `benchmarks/playground.py` reads.
        requestAnimationFrame(() => setTimeout(() => {
          performance.measure("redraw", { start: since, end: performance.now(), detail: answer.run_id });
          document.documentElement.dataset.drawn = answer.run_id;
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

function Sidebar({ offer, context }) {
  const { settings, held, change } = context;
  const first = offer.first.map((path) => [path, find(offer.controls, path, settings, held)]).filter(([, control]) => control);
  const rest = { ...context, hidden: new Set(offer.first) };
  const groups = offer.controls.filter((control) => !rest.hidden.has(control.key));
  return html`<${Drawer} name="Settings"><form onSubmit=${(event) => event.preventDefault()} aria-label="Scenario">
    <div class="control"><div class="label"><label for="preset">begin with</label></div>
      <${Presets} offer=${offer} settings=${settings} change=${change} /></div>
    ${first.map(([path, control]) => html`<${Control} key=${path} control=${control} path=${path}
      name=${shortName(path)} context=${context} />`)}
    ${groups.map((control) => html`<details key=${control.key}><summary>${control.key.replaceAll("_", " ")}</summary>
      <${Control} control=${control} path=${control.key} context=${rest} /></details>`)}
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

function Share({ settings }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.origin + addressOf(settings));
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
