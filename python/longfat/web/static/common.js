// What all pages share: the template language, questions to the server, numbers as people read them.

import { h, render } from "preact";
import htm from "htm";

export const html = htm.bind(h);
export { render };

/** What the server objects to, as an error with `problems`. */
export class Refused extends Error {
  constructor(status, problems) {
    super(problems.join("\n"));
    this.status = status;
    this.problems = problems;
  }
}

/** The JSON at an address; with `body` it is posted. Throws `Refused`, and `AbortError`. */
export async function ask(path, body = undefined, signal = undefined) {
  const options = body === undefined ? { signal } : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  };
  const response = await fetch(path, options);
  if (response.ok) return response.json();
  const text = await response.text();
  let problems = [text.trim() || `The server answers ${response.status}.`];
  try {
    problems = JSON.parse(text).problems ?? problems;
  } catch {
    // Not every refusal is JSON.
  }
  throw new Refused(response.status, problems);
}

/** Looks at once, and again some time after each look while the page is seen; gives how to stop. */
export function keepLooking(look, milliseconds) {
  let isOver = false;
  const again = async () => {
    if (isOver) return;
    if (document.visibilityState === "visible") await look();
    setTimeout(again, milliseconds);
  };
  look().then(() => setTimeout(again, milliseconds));
  return () => { isOver = true; };
}

/** What went wrong, where people and screen readers see it. */
export function Trouble({ problems }) {
  if (!problems.length) return null;
  return html`<div class="trouble" role="alert">
    ${problems.map((problem) => html`<p>${problem}</p>`)}
  </div>`;
}

/** A number with as many digits as are worth reading. */
export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(4)).toString();
}

export const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** A key of JSON as people read it: where packets travel `whole`, what says cells counts packets. */
export const words = (name, whole = false) =>
  (whole ? name.replaceAll("cell", "packet") : name).replaceAll("_", " ");
