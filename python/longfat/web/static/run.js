// One stored run: what is known of it, and its traces, which come from the same run again.

import { useEffect, useState } from "preact/hooks";
import { Chart } from "./charts.js";
import { ask, html, shown, Trouble } from "./common.js";
import { Headline, Ledger, Metrics, Parts } from "./parts.js";
import { addressOf } from "./settings.js";

const PAGE = crypto.randomUUID();

export function Page({ run }) {
  const [found, setFound] = useState(null);
  const [trouble, setTrouble] = useState([]);
  useEffect(() => {
    document.title = `Run ${run.slice(0, 12)} – longfat`;
    ask(`/api/runs/${encodeURIComponent(run)}`).then(setFound, (error) => setTrouble(error.problems ?? [error.message]));
  }, [run]);
  return html`<h1>Run ${run.slice(0, 12)}</h1><${Trouble} problems=${trouble} />
    ${found && html`<${Run} found=${found} />`}`;
}

function Run({ found }) {
  return html`<p class="quiet">seed ${found.seed}, replication ${found.replication},
      ${" "}${shown(found.simulated_s)} s simulated, engine ${found.engine}, fingerprint ${found.fingerprint ?? "none"}</p>
    ${found.failure && html`<${Trouble} problems=${[`The run failed: ${found.failure}`]} />`}
    <${Headline} metrics=${found.metrics} whole=${found.travels_whole} />
    <${Traces} found=${found} />
    <div class="pair"><${Ledger} entries=${found.ledger} /><${Metrics} metrics=${found.metrics} whole=${found.travels_whole} /></div>
    <${Parts} title="Completions" parts=${found.completions} />
    <${Parts} title="Flows" parts=${found.flows} whole=${found.travels_whole} leftOut=${found.parts_left_out} />
    <${Parts} title="Ports" parts=${found.ports} whole=${found.travels_whole} />
    <section class="card"><h2>Again</h2>
      <p><a class="button" href=${addressOf(found.settings)}>Open in the playground</a></p>
      <p class="quiet">In a terminal: the run again; with its traces as Parquet and its packets for Wireshark; its scenario.</p>
      <pre tabindex="0">${found.commands.join("\n")}</pre></section>`;
}

/** A store keeps no traces: the run is repeated, and must come out as it is stored. */
function Traces({ found }) {
  const [state, setState] = useState({});
  const draw = async () => {
    setState({ busy: true });
    try {
      setState({ answer: await ask(`/api/runs/${found.run_id}/charts`, { page: PAGE }) });
    } catch (error) {
      setState({ problems: error.problems ?? [error.message] });
    }
  };
  const { answer, problems = [], busy = false } = state;
  if (answer) {
    return html`<p class=${answer.is_as_stored ? "quiet" : "problem"} role="status" data-run=${answer.run_id}>
      ${answer.is_as_stored ? "The run was repeated, and came out as it is stored." : differs(found)}</p>
      ${answer.charts.map((chart) => html`<${Chart} key=${chart.name} chart=${chart} />`)}`;
  }
  return html`<section class="card"><h2>Traces</h2>
    <p>A store keeps no traces, since every run can be repeated to the byte.</p>
    <${Trouble} problems=${problems} />
    <p><button type="button" disabled=${busy} onClick=${draw}>${busy ? "Repeating the run …" : "Repeat the run and draw them"}</button></p>
  </section>`;
}

const differs = (found) => found.is_of_this_model
  ? "The run came out differently from what is stored: longfat study verify says more."
  : `The run is of engine ${found.engine}; this one is of another model, and its run came out differently.`;
