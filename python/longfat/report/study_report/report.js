// Draws the figures of a report as they come into sight, and again when the page gets another
// width or other colours. Everything else of a report needs no script.
"use strict";

(async () => {
  const specifications = await inflated("figures");
  const drawn = new Map();
  let queue = Promise.resolve();

  /** What the page has in an element as base64 of JSON, deflated. */
  async function inflated(name) {
    const deflated = atob(document.getElementById(name).textContent);
    const bytes = Uint8Array.from(deflated, (character) => character.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(text).json();
  }

  function redraw(element) {
    queue = queue.then(async () => {
      if (!element.isConnected || element.clientWidth === 0) return;
      const before = drawn.get(element);
      if (before) before.finalize();
      drawn.set(element, await longfatFigure.draw(element, specifications[element.id]));
    });
    return queue;
  }

  const sight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        redraw(target);
      }
    },
    { rootMargin: "600px" },
  );
  const drawings = [...document.querySelectorAll(".drawing")];
  for (const element of drawings) sight.observe(element);

  // Paper shows what nobody has scrolled to: everything unfolded is drawn when there is time.
  const later = window.requestIdleCallback || ((run) => setTimeout(run, 300));
  function drawNext() {
    const next = drawings.find((each) => !drawn.has(each) && each.clientWidth > 0);
    document.documentElement.dataset.drawn = next ? "some" : "all";
    if (!next) return;
    sight.unobserve(next);
    redraw(next).then(() => later(drawNext));
  }
  later(drawNext);
  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", () => later(drawNext));
  }

  let width = window.innerWidth;
  let waiting;
  function again() {
    for (const element of drawn.keys()) redraw(element);
  }
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(again, 200);
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
})();
