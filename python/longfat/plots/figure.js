// Draws the figures of longfat on a page: needs vega, vega-lite and vega-embed before it, and
// figure.css for what it shows under the pointer.
//
//   const drawn = await longfatFigure.draw(element, specification);
//   ...
//   drawn.finalize();
//
// The specification is what `Figure.vega_lite()` gives. Panels go below each other where the
// element is narrow, and hueless colours are exchanged on a dark screen. Expressions are
// interpreted, never compiled: no page needs unsafe-eval.
"use strict";

const longfatFigure = (() => {
  const SPACING_PIXELS = 20;
  const LEGEND_ENTRY_PIXELS = 165;
  const LARGEST_SQUARE_PIXELS = 520;
  /** Wide panels are higher than narrow ones, up to this factor. */
  const MOST_HIGHER = 1.6;

  /** The specification for an element of this width, in the colours of the screen. */
  function fitted(specification, width, dark) {
    const spec = JSON.parse(JSON.stringify(specification));
    const own = (spec.usermeta || {}).longfat || {};
    delete spec.title;
    spec.config.background = "transparent";
    const beside = (own.beside_panel || 70) + SPACING_PIXELS;
    const narrowest = (own.narrowest_panel || 168) + beside;
    const wanted = spec.columns || 1;
    const fit = Math.max(1, Math.min(wanted, Math.floor(width / narrowest)));
    spec.columns = fit;
    const most = own.square ? LARGEST_SQUARE_PIXELS : Infinity;
    const panel = Math.min(most, Math.max(120, Math.floor(width / fit) - beside));
    for (const view of spec.concat) {
      const higher = own.grows ? Math.min(MOST_HIGHER, Math.max(1, panel / view.width)) : 1;
      view.height = own.square ? panel : Math.round(view.height * higher);
      view.width = panel;
    }
    const entries = Math.max(1, Math.floor(width / (own.legend_entry || LEGEND_ENTRY_PIXELS)));
    return walked(spec, dark ? own.dark || {} : {}, entries);
  }

  /** Exchanges colours, and sets the columns of legends, wherever they stand. */
  function walked(value, colors, entries) {
    if (typeof value === "string") return colors[value] || value;
    if (Array.isArray(value)) return value.map((each) => walked(each, colors, entries));
    if (value === null || typeof value !== "object") return value;
    for (const key of Object.keys(value)) {
      if (key === "values") continue;
      value[key] = walked(value[key], colors, entries);
      if (key === "legend" && value[key] && value[key].columns) {
        value[key].columns = Math.min(value[key].columns, entries);
      }
    }
    return value;
  }

  function isDark() {
    return window.matchMedia("(prefers-color-scheme: dark)").matches;
  }

  /** Draws into the element, in place of what it shows; gives what vega-embed gives. */
  async function draw(element, specification, { renderer = "svg", dark = isDark() } = {}) {
    const width = element.clientWidth || 720;
    const drawn = await vegaEmbed(element, fitted(specification, width, dark), {
      renderer,
      actions: false,
      defaultStyle: false,
      ast: true,
      tooltip: { disableDefaultStyle: true, theme: "longfat" },
    });
    const picture = element.querySelector("svg, canvas");
    picture.style.maxWidth = "100%";
    picture.style.height = "auto";
    // One picture with one label, of which the page has the data as a table.
    picture.setAttribute("aria-hidden", "true");
    element.setAttribute("role", "img");
    element.removeAttribute("aria-roledescription");
    return drawn;
  }

  return { draw, fitted };
})();
