// Two runs beside each other: in what their settings differ, in what their results, and their charts on one scale.

import { useMemo } from "preact/hooks";
import { Chart, highestOf } from "./charts.js";
import { html, shown } from "./common.js";
import { inOrder, Ledger, metric } from "./parts.js";

export const NAMES = ["A", "B"];

export function Beside({ answers }) {
  const charts = useMemo(() => pairs(answers), answers);
  return html`<${Difference} answers=${answers} />
    ${charts.map((pair) => html`<div class="pair" key=${pair[0].name}>
      ${pair.map((chart, place) => html`<${Chart} key=${place} chart=${chart} />`)}</div>`)}
    <div class="pair">${answers.map((answer, place) => html`<${Ledger} key=${place} entries=${answer.ledger} name=${NAMES[place]} />`)}</div>
    ${answers.map((answer, place) => html`<p class="quiet" key=${place}>${NAMES[place]}: run ${answer.run_id.slice(0, 12)}, fingerprint ${answer.fingerprint}</p>`)}`;
}

/** The charts of both runs by name; those of one unit have one scale. */
function pairs(answers) {
  const [ours, theirs] = answers.map(({ charts }) => charts);
  return ours.map((chart) => [chart, theirs.find(({ name }) => name === chart.name)].filter(Boolean)).map((pair) => {
    const isOne = pair.every(({ unit }) => unit === pair[0].unit);
    const top = isOne ? Math.max(...pair.map(highestOf)) : 0;
    return pair.map((chart, place) => ({ ...chart, top, title: `${NAMES[place]}: ${chart.title}` }));
  });
}

function Difference({ answers }) {
  const [settings, metrics] = [answers.map((answer) => answer.in_force), answers.map((answer) => answer.metrics)];
  const paths = [...new Set(settings.flatMap(Object.keys))].filter((path) => settings[0][path] !== settings[1][path]);
  const names = inOrder(metrics[0]).filter((name) => name in metrics[1]);
  const other = names.filter((name) => metrics[0][name] !== metrics[1][name]);
  return html`<section class="card"><h2>Difference</h2>
    <${Table} title="Settings that differ" header=${["setting", ...NAMES]} rows=${paths.map((path) => [path, ...settings.map((own) => own[path] ?? "–")])} />
    <${Table} title="Results that differ" header=${["result", ...NAMES, "B − A", "B / A"]} rows=${other.map((name) => row(name, metrics, answers))} />
    <p class="quiet">${names.length - other.length} other results are equal.</p></section>`;
}

function row(name, metrics, answers) {
  const [ours, theirs] = metrics.map((own) => own[name]);
  const whole = answers.every((answer) => answer.travels_whole);
  const [label, ...texts] = [metric(name, ours, whole)[0], ...[ours, theirs, theirs - ours].map((value) => metric(name, value, whole)[1])];
  return [label, ...texts, ours ? shown(theirs / ours) : "–"];
}

function Table({ title, header, rows }) {
  if (!rows.length) return html`<p>${title}: none.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
    <thead><tr>${header.map((name, place) => html`<th scope="col" class=${place ? "number" : ""}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map(([first, ...rest]) => html`<tr key=${first}><th scope="row">${first}</th>
      ${rest.map((text) => html`<td class="number">${text}</td>`)}</tr>`)}</tbody></table></div>`;
}
