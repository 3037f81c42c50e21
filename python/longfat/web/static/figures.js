// Plots of a study by name. Their library is large, and fetched when somebody wants to see one.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, html, Trouble } from "./common.js";
import { DataTable } from "./parts.js";

const LIBRARIES = ["/vendor/vega.min.js", "/vendor/vega-lite.min.js", "/vendor/vega-embed.min.js", "/static/figure.js"];

let loading = null;

/** The libraries, each after those that it needs. */
function libraries() {
  loading ??= LIBRARIES.reduce((before, address) => before.then(() => script(address)), Promise.resolve());
  return loading;
}

const script = (address) => new Promise((done, fail) => {
  const element = document.createElement("script");
  element.src = address;
  element.onload = done;
  element.onerror = () => fail(new Error(`${address} cannot be loaded.`));
  document.head.append(element);
});

export function Figures({ study, address }) {
  const [kind, setKind] = useState("");
  const [table, setTable] = useState("");
  const [roles, setRoles] = useState({});
  const names = study.figures.map(({ name }) => name);
  const figure = study.figures.find(({ name }) => name === kind);
  const tables = figure?.tables ?? ["", ...study.tables];
  const chosen = tables.includes(table) ? table : tables[0];
  if (!names.length) return null;
  const factors = study.factors.filter(({ levels }) => levels.length > 1).map(({ name }) => name);
  const said = Object.fromEntries((figure?.roles ?? []).map((role) => [role, roles[role] ?? ""]));
  return html`<section class="card">
    <h2>Figures</h2>
    <form class="choices" onSubmit=${(event) => event.preventDefault()}>
      <${Select} id="figure" label="figure" value=${kind} names=${["", ...names]} none="choose one" onChange=${setKind} />
      <${Select} id="table" label="table" value=${chosen} names=${tables} none="all" onChange=${setTable} />
      ${Object.entries(said).map(([role, factor]) => html`<${Select} key=${role} id=${`figure-${role}`} label=${role} value=${factor}
        names=${["", ...factors]} none="as it comes" onChange=${(chosen) => setRoles({ ...roles, [role]: chosen })} />`)}
    </form>
    ${kind && html`<${Figure} address=${`${address}/figures/${kind}?${new URLSearchParams({ table: chosen, ...said })}`}
      ended=${study.state.done} />`}
  </section>`;
}

function Select({ id, label, value, names, none, onChange }) {
  return html`<div class="pick"><label for=${id}>${label}</label>
    <select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${names.map((name) => html`<option value=${name} selected=${name === value}>${name || none}</option>`)}
    </select></div>`;
}

function Figure({ address, ended }) {
  const holder = useRef(null);
  const [state, setState] = useState({ problems: [] });
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    let [drawn, isGone, specification] = [null, false, null];
    const draw = async () => {
      if (isGone || !specification) return;
      drawn?.finalize();
      drawn = await longfatFigure.draw(holder.current, specification);
    };
    Promise.all([ask(address), libraries()]).then(async ([found]) => {
      if (isGone) return;
      ({ specification } = found);
      await draw();
      setState({ ...found, problems: [] });
    }).catch((error) => setState({ problems: error.problems ?? [error.message] }));
    dark.addEventListener("change", draw);
    return () => {
      isGone = true;
      dark.removeEventListener("change", draw);
      drawn?.finalize();
      holder.current?.replaceChildren();
    };
  }, [address, ended]);
  const { problems, summary, caption, command, table } = state;
  return html`<${Trouble} problems=${problems} />
    <div class="scroll" tabindex="0" role="region" aria-label="Figure">
      <div class="figure" role="img" aria-label=${summary ?? "figure"} ref=${holder}></div></div>
    ${caption && !problems.length && html`<p class="quiet">${caption}</p><pre tabindex="0">${command}</pre>
      <${DataTable} title="Data of the figure" table=${() => table} />`}`;
}
