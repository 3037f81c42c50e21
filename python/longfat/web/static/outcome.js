// The outcome of a study so far: its answer in words, the worth of factors, the verdicts on its claims.

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, html, shown, Trouble, words } from "./common.js";

const MOST_LINKS = 24;

/** The outcome at an address, anew when `ended` changes; a question waits until the one before it is answered. */
function useOutcome(address, ended) {
  const [state, setState] = useState({ found: null, problems: [] });
  const asking = useRef({ wanted: null, isBusy: false, isGone: false });
  useEffect(() => () => { asking.current.isGone = true; }, []);
  useEffect(() => {
    const now = asking.current;
    now.wanted = ended;
    if (now.isBusy) return;
    const look = async () => {
      now.isBusy = true;
      for (let asked = null; asked !== now.wanted && !now.isGone;) {
        asked = now.wanted;
        await ask(`${address}/outcome`).then(
          (found) => setState({ found, problems: [] }),
          (error) => setState(({ found }) => ({ found, problems: error.problems ?? [error.message] })),
        );
      }
      now.isBusy = false;
    };
    look();
  }, [address, ended]);
  return state;
}

export function Outcome({ study, address, ended }) {
  const { found, problems } = useOutcome(address, ended);
  return html`<${Trouble} problems=${problems} />
    <${Cautions} cautions=${study.cautions} />
    ${found && html`<${Answers} study=${study} tables=${found.tables} confidence=${found.confidence} />
      <${Claims} study=${study} judged=${found.claims} />`}`;
}

/** Doubts about the numbers below: their kinds, and unfolded their words. */
function Cautions({ cautions }) {
  if (!cautions.length) return null;
  const kinds = [...new Set(cautions.map(({ kind }) => kind))].join(", ");
  return html`<section class="card cautions"><details>
    <summary><b>${counted(cautions.length, "caution")}</b> about the numbers below: ${kinds}</summary>
    <ul>${cautions.map(({ said }) => html`<li>${said}.</li>`)}</ul></details></section>`;
}

function Answers({ study, tables, confidence }) {
  if (!tables.length) return null;
  return html`<section class="card answers"><h2>Answer in words</h2>
    ${tables.map((table, place) => html`<details key=${table.name} open=${place === 0}>
      <summary><b>${table.name}</b> <span>${table.sentences[0]}</span></summary>
      <ul>${table.sentences.slice(1).map((sentence) => html`<li>${sentence}</li>`)}
        ${table.cautions.map((said) => html`<li class="quiet">Caution, ${said}.</li>`)}</ul>
      ${table.best.map((best) => html`<${Links} study=${study} numbers=${best.combinations}
        title=${`Runs of the ${table.better === null ? best.is : "best"}`} />`)}
      <${Worth} table=${table} confidence=${confidence} />
    </details>`)}
  </section>`;
}

const interval = (low, high) => low === null ? "–" : `${shown(low)} to ${shown(high)}`;

/** The difference between the best and the worst level of each factor. */
function Worth({ table, confidence }) {
  if (!table.factors.length) return null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`Worth of factors, ${table.name}`}><table>
    <thead><tr><th scope="col">factor</th><th scope="col">level</th><th scope="col">instead of</th>
      <th scope="col" class="number">${words(table.metric)}, by</th>
      <th scope="col" class="number">${`${shown(100 * confidence)} % interval`}</th><th scope="col">difference</th></tr></thead>
    <tbody>${table.factors.map((worth) => html`<tr><th scope="row">${words(worth.factor)}</th>
      <td>${worth.level}</td><td>${worth.instead_of}</td><td class="number">${shown(worth.by)}</td>
      <td class="number">${interval(worth.low, worth.high)}</td>
      <td><span class=${`verdict ${kindOf(worth.is_shown)}`}>${saidOf(worth.is_shown)}</span></td></tr>`)}</tbody>
  </table></div>`;
}

const kindOf = (isShown) => isShown ? "holds" : "undecided";
const saidOf = (isShown) => isShown === null ? "no interval" : isShown ? "shown" : "not shown";

function Claims({ study, judged }) {
  if (!judged) return null;
  const inPaper = judged.claims.some((claim) => claim.holds_in_paper !== null);
  return html`<section class="card claims"><h2>Claims</h2>
    <p>${judged.summary} ${judged.how_sure}</p>
    ${judged.undecided.length > 0 && html`<ul>${judged.undecided.map((sentence) => html`<li>${sentence}</li>`)}</ul>`}
    <div class="scroll" tabindex="0" role="region" aria-label="Claims"><table>
      <thead><tr><th scope="col">claim</th><th scope="col">verdict</th><th scope="col">statement</th><th scope="col">bound</th>
        <th scope="col" class="number">measured</th><th scope="col">interval</th>
        ${inPaper && html`<th scope="col">in the paper</th>`}<th scope="col">runs</th></tr></thead>
      <tbody>${judged.claims.map((claim) => html`<tr key=${claim.id}>
        <th scope="row">${claim.id}</th>
        <td><span class=${`verdict ${claim.verdict.split(" ")[0]}`}>${claim.verdict}</span></td>
        <td class="statement">${claim.statement}
          ${claim.cautions.map((said) => html`<small class="problem">${said}.</small>`)}</td>
        <td>${claim.criterion}</td>
        <td class="number">${shown(claim.measured)}${claim.cautions.length > 0 && html`<sup title=${claim.cautions.join("; ")}>*</sup>`}</td>
        <td>${claim.low === claim.high ? "–" : interval(claim.low, claim.high)}</td>
        ${inPaper && html`<td>${{ true: "holds", false: "fails", null: "–" }[claim.holds_in_paper]}</td>`}
        <td>${claim.missing_runs > 0 ? html`<span class="quiet">${claim.missing_runs} missing</span> ` : ""}
          <${Links} study=${study} numbers=${claim.combinations} title=${counted(claim.combinations.length, "combination")} /></td>
      </tr>`)}</tbody>
    </table></div>
  </section>`;
}

const counted = (number, what) => `${shown(number)} ${what}${number === 1 ? "" : "s"}`;

/** Links to the runs of factor combinations, folded. */
function Links({ study, numbers, title }) {
  if (!numbers.length) return null;
  const rest = numbers.length - MOST_LINKS;
  return html`<details class="links"><summary>${title}</summary>
    <ul>${numbers.slice(0, MOST_LINKS).map((number) => html`<li><a href=${`#combination-${number}`}>${nameOf(study, number)}</a></li>`)}
      ${rest > 0 && html`<li class="quiet">and ${rest} more</li>`}</ul></details>`;
}

const nameOf = (study, number) => study.combinations[number].levels
  .map((level, index) => level === null ? "" : `${words(study.factors[index].name)} ${level}`).filter(Boolean).join(", ");
