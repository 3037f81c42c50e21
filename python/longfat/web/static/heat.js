// A map of means: a column for each level of one factor, a row for each combination of the others.

import { html, shown, words } from "./common.js";

/** What stands for no level: a factor that a combination does not have. */
export const NONE = "–";

const levelOf = (cell, index) => cell.levels[index] ?? NONE;

export function Heat({ study, layout, levels, chosen }) {
  const place = study.factors.findIndex(({ name }) => name === layout.across);
  const others = study.factors.map((_, index) => index).filter((index) => index !== place);
  const cells = study.combinations.map((combination, number) => ({ ...combination, number })).filter((cell) =>
    study.factors.every(({ name }, index) => index === place || !levels[name] || levelOf(cell, index) === levels[name]));
  const values = cells.map((cell) => cell.means[layout.metric]).filter((value) => value !== undefined);
  const range = { low: Math.min(...values), high: Math.max(...values) };
  const columns = [...study.factors[place].levels, NONE].filter((level) => cells.some((cell) => levelOf(cell, place) === level));
  const rows = Map.groupBy(cells, (cell) => JSON.stringify(others.map((index) => cell.levels[index])));
  const varied = others.filter((index) => new Set(cells.map((cell) => cell.levels[index])).size > 1);
  const notes = notesOf(study, layout.metric);
  if (!cells.length) return html`<p class="quiet">No factor combination has these levels.</p>`;
  return html`
    ${values.length > 0 ? html`<${Scale} range=${range} metric=${words(layout.metric, study.travels_whole)} />`
      : html`<p class="quiet">No run is stored yet.</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${`Means of ${words(layout.metric, study.travels_whole)}`}>
    <table class="heat">
      <thead><tr>${varied.map((index) => html`<th scope="col">${words(study.factors[index].name)}</th>`)}
        ${columns.map((level) => html`<th scope="col" class="level">${level}</th>`)}</tr></thead>
      <tbody>${[...rows.values()].map((row, number, all) => html`<tr>
        ${varied.map((index, column) => html`<th scope="row">${repeats(all[number - 1], row, varied.slice(0, column + 1))
          ? html`<span class="unseen">${levelOf(row[0], index)}</span>` : levelOf(row[0], index)}</th>`)}
        ${columns.map((level) => html`<${Cell} cell=${row.find((cell) => levelOf(cell, place) === level)}
          metric=${layout.metric} range=${range} chosen=${chosen} notes=${notes} />`)}
      </tr>`)}</tbody>
    </table></div>
    ${notes.length > 0 && html`<ul class="notes">${notes.map(({ mark, said }) => html`<li><sup>${mark}</sup> ${said}.</li>`)}</ul>`}`;
}

/** The cautions about a metric that concern some of the combinations, each with a letter. */
const notesOf = (study, metric) => study.cautions
  .filter((caution) => (caution.metric ?? metric) === metric && caution.combinations.length < study.combinations.length)
  .map((caution, place) => ({ ...caution, mark: String.fromCharCode(97 + (place % 26)) }));

/** Whether a row has the same levels as the one above it: they are not written again. */
const repeats = (before, row, factors) =>
  before !== undefined && factors.every((index) => before[0].levels[index] === row[0].levels[index]);

function Cell({ cell, metric, range, chosen, notes }) {
  if (!cell) return html`<td></td>`;
  const value = cell.means[metric];
  const share = value === undefined ? 0 : (value - range.low) / (range.high - range.low || 1);
  const [low, high] = cell.intervals[metric] ?? [];
  const own = notes.filter(({ combinations }) => combinations.includes(cell.number));
  const title = [
    ...(low === undefined ? [] : [`${shown(low)} to ${shown(high)}`]),
    `${cell.done} of ${cell.runs} runs done${cell.failed ? `, ${cell.failed} failed` : ""}`,
    ...own.map(({ said }) => said),
  ].join("; ");
  const heat = value === undefined ? {} : { "--heat": `${100 * share}%` };
  const kind = value === undefined ? "empty" : "measured";
  return html`<td class=${`cell ${kind} ${cell.number === chosen ? "chosen" : ""}`} style=${heat}>
    <a href=${`#combination-${cell.number}`} title=${title}>${value === undefined ? (cell.failed ? "failed" : "·") : shown(value)}${value !== undefined && own.length > 0
      && html`<sup>${own.map(({ mark }) => mark).join(",")}</sup>`}</a></td>`;
}

function Scale({ range, metric }) {
  return html`<p class="scale quiet"><span>${shown(range.low)}</span><i aria-hidden="true"></i>
    <span>${shown(range.high)}</span> ${metric}</p>`;
}
