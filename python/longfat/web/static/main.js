// Draws the page that the address names; each page is a module with a component of that name.

import { html, render, Trouble } from "./common.js";

const PAGES = [
  [/^\/$/, "./studies.js", () => ({})],
  [/^\/study\/([^/]+)$/, "./study.js", (found) => ({ name: decodeURIComponent(found[1]) })],
  [/^\/run\/([^/]+)$/, "./run.js", (found) => ({ run: decodeURIComponent(found[1]) })],
  [/^\/play$/, "./play.js", () => ({})],
  [/^\/live$/, "./live.js", () => ({})],
  [/^\/exercise\/(\d+)$/, "./exercise.js", (found) => ({ number: Number(found[1]) })],
];

const content = document.getElementById("content");

async function show() {
  const path = location.pathname;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
  }
  const [found, module, properties] = PAGES.map(([pattern, module, of]) => {
    const found = pattern.exec(path);
    return [found, module, found && of(found)];
  }).find(([found]) => found) ?? [];
  if (!found) throw new Error(`There is no page ${path}.`);
  const { Page } = await import(module);
  content.replaceChildren();
  render(html`<${Page} ...${properties} />`, content);
}

show().catch((error) => {
  content.replaceChildren();
  render(html`<${Trouble} problems=${[error.message]} />`, content);
});
