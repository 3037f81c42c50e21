// How much of a study is done.

import { html, shown } from "./common.js";

const PARTS = ["done", "running", "failed", "missing"];

export function Progress({ state }) {
  const present = PARTS.filter((part) => state[part] > 0);
  return html`<div class="progress">
    <div class="progress-bar" role="progressbar" aria-label="runs done" aria-valuemin="0"
      aria-valuemax=${state.runs} aria-valuenow=${state.done}>
      ${present.map((part) => html`<span class=${part}
        style=${{ width: `${(100 * state[part]) / state.runs}%` }}></span>`)}
    </div>
    <p class="quiet" role="status">${shown(state.runs)} runs: ${present.map((part) => `${shown(state[part])} ${part}`).join(", ")}</p>
  </div>`;
}
