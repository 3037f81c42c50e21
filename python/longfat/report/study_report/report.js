// Draws the figures of a report as they come into sight, all that is left before it is printed, and
// again when the page gets another width or other colours. Everything else needs no script.
"use strict";

(() => {
  const specifications = JSON.parse(document.getElementById("figures").textContent);
  const drawings = [...document.querySelectorAll(".drawing")];
  const drawn = new Map();
  let queue = Promise.resolve();

  function redraw(element) {
    queue = queue.then(async () => {
      if (element.clientWidth === 0) return;
      drawn.get(element)?.finalize();
      drawn.set(element, await longfatFigure.draw(element, specifications[element.id]));
    });
    return queue;
  }

  /** What is unfolded and not drawn yet. */
  const left = () => drawings.filter((each) => !drawn.has(each) && each.clientWidth > 0);

  const sight = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        if (!drawn.has(target)) redraw(target);
      }
    },
    { rootMargin: "600px" },
  );
  for (const element of drawings) sight.observe(element);

  const later = window.requestIdleCallback || ((run) => setTimeout(run, 300));
  function drawNext() {
    const [next] = left();
    document.documentElement.dataset.drawn = next ? "some" : "all";
    if (next) redraw(next).then(() => later(drawNext));
  }
  later(drawNext);
  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", () => later(drawNext));
  }

  // Drawing waits for nothing outside, so it ends before the browser lays out the paper.
  window.addEventListener("beforeprint", () => left().forEach(redraw));

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
