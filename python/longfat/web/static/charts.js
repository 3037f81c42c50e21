// Charts over time, drawn by uPlot: series, guides across, strokes at the bottom where things happen.

import { useEffect, useRef } from "preact/hooks";
import { html, shown } from "./common.js";
import { DataTable } from "./parts.js";

const HEIGHT = 210;
const NARROW = 480;
const LIVE_LEGEND = 5;
const LONGEST_LEGEND = 15;
const PARTS_OF_TIME = 5;

const dark = matchMedia("(prefers-color-scheme: dark)");
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const visible = (drawn) => (dark.matches ? drawn.dark : drawn.color);

/** One chart; drawn again whenever its data, its width or the colour scheme change. */
export function Chart({ chart }) {
  const holder = useRef(null);
  const plot = useRef(null);
  useEffect(() => {
    const element = holder.current;
    const drawAgain = () => {
      plot.current?.destroy();
      plot.current = draw(element, chart);
    };
    if (plot.current && plot.current.signature === signatureOf(chart)) update(plot.current, chart);
    else drawAgain();
    const observer = new ResizeObserver(() => {
      const { width } = plot.current;
      if (element.isConnected && Math.abs(width - element.clientWidth) > 1) {
        plot.current.setSize({ width: element.clientWidth, height: HEIGHT });
      }
    });
    observer.observe(element);
    dark.addEventListener("change", drawAgain);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", drawAgain);
    };
  }, [chart]);
  useEffect(() => () => plot.current?.destroy(), []);
  const live = chart.series.length <= LIVE_LEGEND;
  return html`<section class=${`card chart ${live ? "live" : ""}`} data-chart=${chart.name}>
    <h2>${chart.title} <small>${chart.unit}</small></h2>
    <div ref=${holder}></div>
    <p class="quiet">${noted(chart)}</p>
    <${DataTable} title=${`Data: ${chart.title}`} table=${() => tableOf(chart)} />
  </section>`;
}

const signatureOf = (chart) =>
  JSON.stringify([dark.matches, chart.unit, chart.series.map((series) => series.label)]);

/** What stands below a chart: how often things happen, and what its dashed lines are. */
const noted = (chart) => [
  chart.events.map((events) => `${shown(events.count)} ${events.label}`).join(", "),
  ...guidesOf(chart, highestOf(chart)).map((guide) => `dashed: ${guide.label}, ${shown(guide.at)} ${chart.unit}`),
].filter(Boolean).join("; ") || "\u00a0";

export const highestOf = (chart) =>
  Math.max(0, ...chart.series.flatMap((series) => series.values.filter(Number.isFinite)));

/** The guides that are drawn: one far above the values does not squeeze them. */
const guidesOf = (chart, highest) => chart.guides.filter((guide) => guide.at < 1.6 * highest);

/** What the picture says, for those who do not see it. */
function described(chart) {
  return `${chart.title} over ${shown(chart.x.at(-1) ?? 0)} s, ${chart.series.length} series, ` +
    `at most ${shown(highestOf(chart))} ${chart.unit}; ${noted(chart)}`;
}

/** For each series the least and greatest value, and the mean in each part of the time. */
function tableOf(chart) {
  const end = chart.x.at(-1) ?? 0;
  const parts = Array.from({ length: PARTS_OF_TIME }, (_, place) => [(place * end) / PARTS_OF_TIME, ((place + 1) * end) / PARTS_OF_TIME]);
  const within = (series, [from, to]) => series.values.filter((value, place) =>
    Number.isFinite(value) && chart.x[place] >= from && (chart.x[place] < to || to === end));
  return {
    header: [`in ${chart.unit}`, "least", "greatest", ...parts.map(([from, to]) => `mean, ${shown(from)} to ${shown(to)} s`)],
    rows: chart.series.map((series) => {
      const all = within(series, [0, end]);
      return [series.label, ...[Math.min(...all), Math.max(...all), ...parts.map((part) => mean(within(series, part)))]
        .map((value) => (Number.isFinite(value) ? shown(value) : "–"))];
    }),
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Draws the chart: one picture with a label. Its legend repeats names that its table has. */
function draw(holder, chart) {
  const plot = new uPlot(options(holder, chart), dataOf(chart), holder);
  holder.querySelector("canvas").setAttribute("role", "img");
  holder.querySelector(".u-legend")?.setAttribute("aria-hidden", "true");
  label(plot, chart);
  plot.signature = signatureOf(chart);
  plot.chart = chart;
  return plot;
}

function update(plot, chart) {
  plot.chart = chart;
  plot.setData(dataOf(chart));
  label(plot, chart);
}

const label = (plot, chart) => plot.root.querySelector("canvas").setAttribute("aria-label", described(chart));

const dataOf = (chart) => [chart.x, ...chart.series.map((series) => series.values)];

function options(holder, chart) {
  const ink = variable("--ink-quiet");
  const grid = { stroke: variable("--line"), width: 1 };
  const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const narrow = holder.clientWidth < NARROW;
  return {
    width: holder.clientWidth,
    height: HEIGHT,
    padding: [8, narrow ? 4 : 12, 0, 0],
    scales: { x: { time: false, range: (_, low, high) => [low, high] }, y: { range: fromZero } },
    axes: [{ ...axis, label: "time in s", labelSize: 18, size: 34, labelFont: axis.font },
      { ...axis, size: (_, numbers) => besideOf(numbers, narrow) }],
    focus: { alpha: 0.25 },
    legend: { show: chart.series.length <= LONGEST_LEGEND && chart.series.length > 1,
      live: chart.series.length <= LIVE_LEGEND && !narrow,
      markers: { dash: (_, number) => borderOf(chart.series[number - 1]?.dash) } },
    cursor: { drag: { x: true, y: false }, focus: { prox: 16 } },
    series: [{ label: "time", value: (_, value) => (value === null ? "" : `${shown(value)} s`) }, ...chart.series.map((series) => ({
      label: series.label,
      stroke: visible(series),
      width: chart.series.length > 5 ? 1 : 1.5,
      dash: series.dash,
      points: { show: false },
      value: (_, value) => (value === null || value === undefined ? "" : shown(value)),
    }))],
    hooks: { draw: [drawGuides, drawEvents] },
  };
}

/** The border in a legend that stands for a dash: pixels drawn and left out in turn. */
function borderOf(dash) {
  if (!dash || dash[1] === 0) return "solid";
  if (dash.length > 2) return "double";
  return dash[0] > dash[1] ? "dashed" : "dotted";
}

/** The width of an axis whose longest number is not cut off. */
const besideOf = (numbers, narrow) =>
  Math.max(narrow ? 54 : 60, 20 + 7 * Math.max(0, ...(numbers ?? []).map((number) => number.length)));

/** From 0 to above the highest value and the guides. */
function fromZero(plot, _low, high) {
  const guides = plot.chart ? guidesOf(plot.chart, high).map((guide) => guide.at) : [];
  return [0, 1.06 * Math.max(plot.chart?.top || high || 1, ...guides)];
}

function drawGuides(plot) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = variable("--ink-quiet");
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const guide of plot.chart?.guides ?? []) {
    const y = plot.valToPos(guide.at, "y", true);
    // On the axis it would only be in the way.
    if (y < bbox.top || y > bbox.top + bbox.height - 4 * devicePixelRatio) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

function drawEvents(plot) {
  const { ctx, bbox } = plot;
  const length = 7 * devicePixelRatio;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  (plot.chart?.events ?? []).forEach((events, row) => {
    const bottom = bbox.top + bbox.height - row * length;
    ctx.strokeStyle = visible(events);
    ctx.beginPath();
    for (const time of events.times) {
      const x = plot.valToPos(time, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bottom);
      ctx.lineTo(x, bottom - length + devicePixelRatio);
    }
    ctx.stroke();
  });
  ctx.restore();
}
