// What all pages share: facts as they come, elements whose text is text, plots. No name from a
// model or a board becomes markup: all of them go through textContent.
"use strict";

const report = {
  charts: {},
  facts: new Map(), // name: promise
  put(name, packed) {
    this.facts.set(name, unpacked(packed));
  },
};

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Facts of a script that is loaded when they are first asked for.
async function facts(name) {
  if (!report.facts.has(name)) {
    await new Promise((loaded, failed) => {
      const script = element("script", { src: `data-${name}.js` });
      script.onload = loaded;
      script.onerror = () => failed(new Error(`data-${name}.js is missing`));
      document.head.append(script);
    });
  }
  return report.facts.get(name);
}

async function factsOfSeries(index, place) {
  const { part } = index.series[place];
  const first = index.series.findIndex((each) => each.part === part);
  return (await facts(String(part)))[place - first];
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

function number(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? whole.format(value) : fine.format(value);
}

function percent(share) {
  if (!Number.isFinite(share)) return "";
  const size = Math.abs(share);
  const text = size < 0.0005 ? (100 * share).toPrecision(1) : (100 * share).toFixed(size < 0.01 ? 2 : 1);
  return `${text} %`;
}

function signed(text, value) {
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

// Of an ISO time, without seconds and zone where it is UTC.
function minute(time) {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\+00:00$/.exec(time);
  return found ? `${found[1]} ${found[2]}` : time;
}

// The text of a column of words.
function word(column, row) {
  return column.words[column.at[row]];
}

// "12,345 instructions (counted)"
function counted(value, counter, kind) {
  return value === null || value === undefined ? "" : `${number(value)} ${counter} (${kind})`;
}

function unit(index, key, series) {
  if (key === "count") return `${series.counter} (${series.kind})`;
  const { title, unit: of } = index.metrics[key];
  const told = of ? `${title}, ${of}` : title;
  return key === "latency" || key === "fps" ? `${told} (${series.kind})` : told;
}

function seriesName(series) {
  const worth = series.counter === "none" ? "no counts" : `${series.counter}, ${series.kind}`;
  return [series.runner, worth, series.variant].filter((text) => text).join(" · ");
}

// --- what is chosen, kept in the address so that a link shows the same ---

function chosen() {
  return new URLSearchParams(location.hash.slice(1));
}

function choose(changes) {
  const state = chosen();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") state.delete(name);
    else state.set(name, value);
  }
  location.replace(`#${state}`);
}

// A labelled select. options: pairs of value and text.
function select(name, label, options, value, changed) {
  const field = element("select", { name });
  for (const [each, text] of options) field.append(element("option", { value: each }, text));
  field.value = value;
  field.addEventListener("change", () => changed(field.value));
  return element("label", {}, label, field);
}

function input(name, label, type, value, changed) {
  const field = element("input", { name, type, value, autocomplete: "off" });
  field.addEventListener(type === "number" ? "change" : "input", () => changed(field.value));
  return element("label", {}, label, field);
}

function sorted(words) {
  return [...new Set(words)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

// Replace what a form asks, and leave the focus on the field that had it.
function ask(form, ...labels) {
  const name = form.contains(document.activeElement) ? document.activeElement.name : "";
  form.replaceChildren(...labels);
  if (name) form.elements.namedItem(name)?.focus();
}

// Selects of a model and of a board that it ran on; returns both, and the places of their series.
function modelAndBoard(index) {
  const state = chosen();
  const models = sorted(index.series.map((each) => each.model));
  const model = models.includes(state.get("model")) ? state.get("model") : models[0];
  const boards = sorted(index.series.filter((s) => s.model === model).map((s) => s.board));
  const board = boards.includes(state.get("board")) ? state.get("board") : boards[0];
  const places = [...index.series.keys()].filter(
    (at) => index.series[at].model === model && index.series[at].board === board,
  );
  const pairs = (words) => words.map((each) => [each, each]);
  const fields = [
    select("model", "Model", pairs(models), model, (value) => choose({ model: value, board: "", run: "" })),
    select("board", "Board", pairs(boards), board, (value) => choose({ model, board: value, run: "" })),
  ];
  return { model, board, places, fields };
}

// --- tables and plots ---

// The class of a text: a long name breaks anywhere, a short one where words end.
function lengthOf(content) {
  return typeof content === "string" && content.length > 20 ? "long" : null;
}

// heads: texts; those that begin with "#" head numbers. rows: lists of texts or elements.
function table(caption, heads, rows) {
  const numeric = heads.map((head) => head.startsWith("#"));
  const cell = (tag, at, content, more = {}) =>
    element(tag, { class: [numeric[at] && "n", lengthOf(content)].filter(Boolean).join(" ") || null, ...more }, content);
  const top = heads.map((head, at) => cell("th", at, head.replace(/^#/, ""), { scope: "col" }));
  const lines = rows.map((row) =>
    element("tr", {}, ...row.map((content, at) => cell(at ? "td" : "th", at, content, at ? {} : { scope: "row" }))),
  );
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...top)),
    element("tbody", {}, ...lines),
  );
}

// A plot with the table behind it. titles: of the axes x and y.
async function plot(place, name, { heading, rows, titles, heads, cells }) {
  const drawn = element("div", { class: "plot" });
  const behind = element("details", {}, element("summary", {}, "Table"));
  behind.addEventListener("toggle", () => {
    if (behind.childElementCount === 1) behind.append(table(heading, heads, cells()));
  });
  const title = element("h3", {}, heading);
  place.append(element("figure", { "aria-label": heading }, title, drawn), behind);
  const spec = structuredClone(report.charts[name]);
  for (const [axis, text] of Object.entries(titles)) spec.encoding[axis].title = text;
  if (spec.height.step) spec.height = spec.height.step * rows.length;
  spec.data = { values: rows };
  await vegaEmbed(drawn, spec, { mode: "vega-lite", renderer: "svg", actions: false });
}

// Draw anew whenever the choice changes. A drawing that is overtaken by the next one stops.
function page(show) {
  let turn = 0;
  const begin = async () => {
    const mine = ++turn;
    const index = await facts("runs");
    if (mine === turn) await show(index, () => mine !== turn);
    document.body.dataset.shown = String(mine);
    performance.mark("shown");
  };
  addEventListener("hashchange", begin);
  addEventListener("DOMContentLoaded", begin);
}
