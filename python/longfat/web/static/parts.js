// Parts of a run that several pages show: its metrics, its ledger, its flows and ports.

import { useState } from "preact/hooks";
import { html, percent, shown, words } from "./common.js";

const MEGA = 1e6;

/** Where every moment of the bottleneck went: one bar, and the causes with their shares. */
export function Ledger({ entries, name = "" }) {
  if (!entries.length) return null;
  const most = Math.max(...entries.map((entry) => entry.share));
  return html`<section class="card" aria-labelledby=${`ledger${name}`}>
    <h2 id=${`ledger${name}`}>${name && `${name}: `}Where the capacity went</h2>
    <div class="ledger-bar" aria-hidden="true">
      ${entries.map((entry) => html`<span
        style=${{ width: `${100 * entry.share}%`, backgroundColor: entry.color }}></span>`)}
    </div>
    <table class="ledger">
      <thead class="unseen"><tr><th>cause</th><th>share of the duration</th></tr></thead>
      <tbody>${entries.map((entry) => html`<tr>
        <th scope="row"><i style=${{ backgroundColor: entry.color }}></i>${entry.cause}</th>
        <td class="number">${percent(entry.share)}</td>
        <td class="bar" aria-hidden="true"><b
          style=${{ width: `${(100 * entry.share) / most}%`, backgroundColor: entry.color }}></b></td>
      </tr>`)}</tbody>
    </table>
  </section>`;
}

const FIRST = ["efficiency", "fairness", "goodput_bps", "cell_loss_ratio", "timeouts", "max_queue_cells"];

/** The names of metrics, those that people ask for first before the others; without the ledger's. */
export const inOrder = (metrics) => [...FIRST.filter((name) => name in metrics),
  ...Object.keys(metrics).filter((name) => !FIRST.includes(name) && !name.startsWith("share_"))];

export const metric = (name, value, whole) => name.endsWith("_bps")
  ? [words(name.slice(0, -4)), `${shown(value / MEGA)} Mbit/s`]
  : [words(name, whole), shown(value)];

/** The metrics that people ask for first, in large letters. */
export function Headline({ metrics, whole }) {
  const chosen = FIRST.filter((name) => name in metrics);
  return html`<dl class="headline">${chosen.map((name) => {
    const [label, text] = metric(name, metrics[name], whole);
    return html`<div><dt>${label}</dt><dd data-metric=${name}>${text}</dd></div>`;
  })}</dl>`;
}

/** All other metrics. */
export function Metrics({ metrics, whole }) {
  const rest = Object.entries(metrics)
    .filter(([name]) => !FIRST.includes(name) && !name.startsWith("share_"));
  if (!rest.length) return null;
  return html`<section class="card"><h2>More metrics</h2><div class="scroll"><table><tbody>
    ${rest.map(([name, value]) => {
      const [label, text] = metric(name, value, whole);
      return html`<tr><th scope="row">${label}</th><td class="number">${text}</td></tr>`;
    })}
  </tbody></table></div></section>`;
}

/** The data of a picture, folded; `table` gives header and rows once somebody asks for them. */
export function DataTable({ title, table }) {
  const [open, setOpen] = useState(false);
  const { header, rows, drawn_rows: drawn = null } = open ? table() : { header: [], rows: [] };
  return html`<details class="data" onToggle=${(event) => setOpen(event.target.open)}><summary>${title}</summary>
    ${drawn !== null && html`<p class="quiet">A summary of the ${shown(drawn)} rows drawn.</p>`}
    ${open && html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr>${header.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>
        ${rest.map((text) => html`<td class="number">${text}</td>`)}</tr>`)}</tbody>
    </table></div>`}
  </details>`;
}

const columnsOf = (part) => Object.keys(part)
  .filter((name) => !Array.isArray(part[name]) && name !== "name");

const isTable = (value) => value !== null && typeof value === "object";

/** A part whose tables, such as the queue of a port, are columns; histograms in them are left out. */
const flat = (part) => Object.fromEntries(Object.entries(part).flatMap(([name, value]) =>
  isTable(value) && !Array.isArray(value)
    ? Object.entries(value).filter(([, inner]) => !isTable(inner)).map(([key, inner]) => [`${name}_${key}`, inner])
    : [[name, value]]));

/** Flows or ports, a row each; on phones (in style.css) a block each, in which the roles keep the table a table. */
export function Parts({ title, parts: found, whole, leftOut = 0 }) {
  if (!found.length) return null;
  const parts = found.map(flat);
  // Where packets travel whole, dropped cells are dropped packets: one column, not two.
  const columns = [...new Map(columnsOf(parts[0]).filter((name) => parts.some((part) => part[name] !== null))
    .map((name) => [heading(name, whole), name])).values()];
  return html`<section class="card"><h2>${title}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${title}><table class="parts" role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">name</th>
        ${columns.map((name) => html`<th scope="col" role="columnheader" class=${isNumber(parts, name) ? "number" : ""}>${heading(name, whole)}</th>`)}</tr></thead>
      <tbody role="rowgroup">${parts.map((part) => html`<tr role="row"><th scope="row" role="rowheader">${part.name}</th>
        ${columns.map((name) => html`<td role="cell" data-heading=${heading(name, whole)} class=${typeof part[name] === "number" ? "number" : ""}>
          ${name.endsWith("_bps") ? shown(part[name] / MEGA) : shown(part[name])}</td>`)}
      </tr>`)}</tbody>
    </table></div>
    ${leftOut > 0 && html`<p class="quiet">${leftOut} more are not shown.</p>`}
  </section>`;
}

const isNumber = (parts, name) => parts.some((part) => typeof part[name] === "number");

const heading = (name, whole) => name.endsWith("_bps") ? `${words(name.slice(0, -4))} (Mbit/s)` : words(name, whole);
