// All studies of a view with their state.

import { useEffect, useState } from "preact/hooks";
import { ask, html, keepLooking, Trouble } from "./common.js";
import { Progress } from "./progress.js";

const MILLISECONDS_BETWEEN_LOOKS = 3000;

export function Page() {
  const [overview, setOverview] = useState(null);
  const [trouble, setTrouble] = useState([]);
  useEffect(() => {
    document.title = "Studies – longfat";
    const look = () => ask("/api/studies").then(
      (found) => { setOverview(found); setTrouble([]); },
      (error) => setTrouble(error.problems ?? [error.message]),
    );
    return keepLooking(look, MILLISECONDS_BETWEEN_LOOKS);
  }, []);
  return html`<h1>Studies</h1>
    <${Trouble} problems=${trouble} />
    ${overview && html`<p class="quiet">in ${overview.store}, engine ${overview.engine}</p>
      <ul class="studies">${overview.studies.map((study) => html`<li class="card" key=${study.name}>
        <h2><a href=${`/study/${encodeURIComponent(study.name)}`}>${study.name}</a></h2>
        <p>${study.title}</p>
        <${Progress} state=${study.state} />
        ${study.state.done === 0 && html`<p class="quiet">to run it: <code>${study.command}</code></p>`}
      </li>`)}</ul>`}`;
}
