// A run in real time while it lasts: its charts, asked for again and again.

import { useEffect, useState } from "preact/hooks";
import { Chart } from "./charts.js";
import { ask, html, keepLooking, shown, Trouble } from "./common.js";

const PAUSE_MS = 500;

export function Page() {
  const [state, setState] = useState({ found: null, trouble: [], over: false });
  useEffect(() => {
    document.title = "A run in real time – longfat";
    // Its server has this page only.
    document.querySelector("nav")?.remove();
    const stop = keepLooking(async () => {
      try {
        const found = await ask("/api/live");
        setState({ found, trouble: [], over: false });
      } catch (error) {
        stop();
        setState(({ found }) => (found ? { found, trouble: [], over: true } : { found, trouble: [error.message], over: false }));
      }
    }, PAUSE_MS);
    return stop;
  }, []);
  const { found, trouble, over } = state;
  return html`<h1>A run in real time</h1><${Trouble} problems=${trouble} />
    <p class="quiet" role="status">${told(found, over)}</p>
    ${found?.charts.map((chart) => html`<${Chart} key=${chart.name} chart=${chart} />`)}`;
}

function told(found, over) {
  if (over) return `The run has ended; this is how it was at ${shown(found.seconds)} s.`;
  return found?.charts.length ? `At ${shown(found.seconds)} s.` : "Waiting for the first packets …";
}
