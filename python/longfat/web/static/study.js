// One study: its state, live; a map of the means over its factor combinations; the runs of each.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, html, keepLooking, shown, Trouble, words } from "./common.js";
import { Figures } from "./figures.js";
import { Heat, NONE } from "./heat.js";
import { Outcome } from "./outcome.js";
import { Progress } from "./progress.js";

const MILLISECONDS_BETWEEN_LOOKS = 1000;

export function Page({ name }) {
  const [study, setStudy] = useState(null);
  const [state, setState] = useState(null);
  const [trouble, setTrouble] = useState([]);
  const address = `/api/studies/${encodeURIComponent(name)}`;
  useEffect(() => {
    document.title = `${name} – longfat`;
    return follow(address, (now) => { setState(now); setTrouble([]); }, setTrouble);
  }, [address]);
  // The map changes when runs end, which the state tells.
  const ended = state && `${state.done}/${state.failed}/${state.runs}`;
  useEffect(() => {
    if (ended === null) return;
    ask(address).then(
      (found) => { setStudy(found); setTrouble([]); },
      (error) => setTrouble(error.problems ?? [error.message]),
    );
  }, [address, ended]);
  return html`<p><a href="/">All studies</a></p>
    <h1>${name}</h1>
    <${Trouble} problems=${trouble} />
    ${study && html`<p>${study.title}<br /><span class="quiet">${study.citation && `${study.citation}; `}in ${study.store}</span></p>`}
    ${state && html`<${Progress} state=${state} />`}
    ${study && html`<${Outcome} study=${study} address=${address} ended=${ended} />`}
    ${study && html`<${Results} study=${study} address=${address} />`}`;
}

/** Tells the state of a study whenever it has changed; gives how to stop. */
function follow(address, tell, complain) {
  let known = null;
  const look = () => ask(`${address}/state`).then(
    (state) => {
      const now = JSON.stringify(state);
      if (now !== known) tell(state);
      known = now;
    },
    (error) => {
      known = null;
      complain(error.problems ?? [error.message]);
    },
  );
  return keepLooking(look, MILLISECONDS_BETWEEN_LOOKS);
}

const LAYOUT_OF = (study) => ({
  metric: study.metrics[0],
  across: study.factors.some(({ name }) => name === "policy") ? "policy" : study.factors.at(-1)?.name,
});

function Results({ study, address }) {
  const [layout, setLayout] = useState(() => LAYOUT_OF(study));
  const [levels, setLevels] = useState(() => mainPart(study));
  const [number, setNumber] = useState(() => numberOf(location.hash));
  useEffect(() => {
    const follow = () => setNumber(numberOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const factors = study.factors.map((factor, index) => ({ ...factor, index })).filter(({ levels }) => levels.length > 1);
  const runs = number !== null && html`<${Runs} address=${address} number=${number} metric=${layout.metric} whole=${study.travels_whole}
    combination=${study.combinations[number]} confidence=${study.confidence} ended=${study.state.done + study.state.failed} />`;
  return html`<section class="card">
    <h2>Means over replications</h2>
    <form class="choices" onSubmit=${(event) => event.preventDefault()}>
      <${Pick} label="metric" value=${layout.metric} names=${study.metrics} whole=${study.travels_whole}
        onChange=${(metric) => setLayout({ ...layout, metric })} />
      <${Pick} label="columns" value=${layout.across} names=${study.factors.map(({ name }) => name)}
        onChange=${(across) => setLayout({ ...layout, across })} />
      ${factors.filter(({ name }) => name !== layout.across).map((factor) => html`<${Pick} key=${factor.name}
        label=${words(factor.name)} value=${levels[factor.name] ?? ""} names=${["", ...factor.levels, ...(canBeNone(study, factor.index) ? [NONE] : [])]}
        onChange=${(level) => setLevels({ ...levels, [factor.name]: level })} />`)}
    </form>
    <${Heat} study=${study} layout=${layout} levels=${levels} chosen=${number} />
  </section>
  ${runs}
  <${Figures} study=${study} address=${address} />
`;
}

const canBeNone = (study, index) => study.combinations.some((combination) => combination.levels[index] === null);

/** Combinations with more factors are often variants of those with fewer: at first the latter are shown, if there are any. */
function mainPart(study) {
  const optional = study.factors.map((_, index) => index).filter((index) => canBeNone(study, index));
  const isThere = study.combinations.some(({ levels }) => optional.every((index) => levels[index] === null));
  return isThere ? Object.fromEntries(optional.map((index) => [study.factors[index].name, NONE])) : {};
}

const numberOf = (hash) => {
  const found = /^#combination-(\d+)$/.exec(hash);
  return found ? Number(found[1]) : null;
};

function Pick({ label, value, names, whole, onChange }) {
  const id = `pick-${label.replaceAll(" ", "-")}`;
  return html`<div class="pick"><label for=${id}>${label}</label>
    <select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${names.map((name) => html`<option value=${name} selected=${name === value}>${name === "" ? "all" : words(name, whole)}</option>`)}
    </select></div>`;
}

/** The mean of a metric over the runs of a combination, with its interval if it is tabulated. */
function Mean({ metric, whole, combination, confidence }) {
  const mean = combination?.means[metric];
  if (mean === undefined) return null;
  const [low, high] = combination.intervals[metric] ?? [];
  const interval = low === undefined ? "" : ` (${shown(low)} to ${shown(high)} at ${shown(100 * confidence)} % confidence)`;
  return html`<p class="mean">${words(metric, whole)}: mean ${shown(mean)}${interval} of ${combination.counted} runs</p>`;
}

/** The runs of a factor combination, by replication. */
function Runs({ address, number, metric, whole, combination, confidence, ended }) {
  const [found, setFound] = useState(null);
  const [trouble, setTrouble] = useState([]);
  const heading = useRef(null);
  useEffect(() => {
    ask(`${address}/combinations/${number}`).then(
      (answer) => { setFound({ ...answer, number }); setTrouble([]); },
      (error) => setTrouble(error.problems ?? [error.message]),
    );
  }, [address, number, ended]);
  useEffect(() => heading.current?.focus(), [found?.number]);
  if (trouble.length) return html`<${Trouble} problems=${trouble} />`;
  if (!found) return null;
  const others = Object.keys(found.runs.find((run) => run.status === "done")?.metrics ?? {})
    .filter((name) => name !== metric && !name.startsWith("share_")).slice(0, 5);
  return html`<section class="card">
    <h2 ref=${heading} tabindex="-1">${Object.entries(found.levels).map(([factor, level]) => `${words(factor)} ${level}`).join(", ")}</h2>
    <${Mean} metric=${metric} whole=${whole} combination=${combination} confidence=${confidence} />
    <div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>
      <thead><tr><th scope="col">replication</th><th scope="col">run</th>
        ${[metric, ...others].map((name) => html`<th scope="col">${words(name, whole)}</th>`)}</tr></thead>
      <tbody>${found.runs.map((run) => html`<tr>
        <td class="number">${run.replication}</td>
        <td>${run.status === "missing" ? html`<span class="quiet">missing</span>`
          : html`<a href=${`/run/${run.run_id}`}>${run.run_id.slice(0, 12)}</a>`}</td>
        ${run.failure ? html`<td colspan=${1 + others.length} class="problem">${run.failure}</td>`
          : [metric, ...others].map((name) => html`<td class="number">${shown(run.metrics[name])}</td>`)}
      </tr>`)}</tbody>
    </table></div>
    ${found.command && html`<p class="quiet">to run what is missing: <code>${found.command}</code></p>`}
  </section>`;
}
