// The table of runs: filters, order, pages of fifty rows.
"use strict";

const ROWS = 50;
const FILTERS = [
  ["board", "Board"],
  ["model", "Model"],
  ["runner", "Runner"],
  ["kind", "Kind of figures"],
];
const COLUMNS = [
  ["number", "Run", false],
  ["time", "Time", false],
  ["model", "Model", false],
  ["board", "Board", false],
  ["runner", "Runner", false],
  ["exact", "Exact", false],
  ["count", "Count", true],
  ["latency", "ms", true],
  ["ram", "RAM, B", true],
  ["flash", "Flash, B", true],
  ["accuracy", "Accuracy, %", true],
  ["fps", "Frames/s", true],
  ["joules", "µJ", true],
  ["commit", "Commit", false],
];

const SELDOM = ["latency", "accuracy", "fps", "joules"];

// Measured or, where nothing was, by assumed power; a cell says which.
function eitherEnergy(runs) {
  return runs.energy.map((measured, row) => measured ?? runs.assumed[row]);
}

// Without those that no run here tells.
function columnsOf(runs) {
  return COLUMNS.filter(([name]) => !SELDOM.includes(name) || runs[name].some((value) => value !== null));
}

page((index) => {
  const runs = { ...index.runs, joules: eitherEnergy(index.runs) };
  const state = chosen();
  const rows = ordered(runs, matching(runs, state), state);
  const pages = Math.max(1, Math.ceil(rows.length / ROWS));
  const at = Math.min(Math.max(0, Number(state.get("page")) || 0), pages - 1);
  showFilters(runs, state);
  showHead(runs, state);
  const columns = columnsOf(runs);
  document.querySelector("#runs tbody").replaceChildren(
    ...rows.slice(at * ROWS, (at + 1) * ROWS).map((row) => line(runs, row, columns)),
  );
  showTurn(at, pages);
  const from = rows.length ? at * ROWS + 1 : 0;
  document.querySelector("#found").textContent =
    `${number(rows.length)} of ${number(runs.number.length)} runs` +
    (rows.length > ROWS ? `, ${number(from)} to ${number(Math.min(rows.length, from + ROWS - 1))} shown` : "");
});

function matching(runs, state) {
  const tests = FILTERS.filter(([name]) => state.has(name)).map(([name]) => {
    const place = runs[name].words.indexOf(state.get(name));
    return (row) => runs[name].at[row] === place;
  });
  const exact = state.get("exact");
  if (exact) tests.push((row) => runs.exact[row] === (exact === "yes" ? 1 : 0));
  const text = (state.get("text") || "").toLowerCase();
  if (text) tests.push((row) => searched(runs, row).includes(text));
  return [...runs.number.keys()].filter((row) => tests.every((test) => test(row)));
}

function searched(runs, row) {
  const words = ["model", "board", "runner", "commit"].map((name) => word(runs[name], row));
  return `${words.join("\n")}\n${runs.time[row]}`.toLowerCase();
}

function ordered(runs, rows, state) {
  const by = state.get("sort") || "number";
  const up = state.get("order") === "up" ? 1 : -1;
  const column = runs[by];
  const value = column.words ? (row) => word(column, row) : (row) => column[row];
  return rows.sort((a, b) => up * compared(value(a), value(b)) || runs.number[b] - runs.number[a]);
}

// What is not told comes last in falling order.
function compared(a, b) {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

function showFilters(runs, state) {
  const form = document.querySelector("#filters");
  const fields = FILTERS.map(([name, label]) => {
    const options = [["", "all"], ...sorted(runs[name].words).map((each) => [each, each])];
    return select(name, label, options, state.get(name) || "", (value) => choose({ [name]: value, page: "" }));
  });
  const exact = [["", "all"], ["yes", "exact"], ["no", "differs"]];
  fields.push(select("exact", "Exact", exact, state.get("exact") || "", (value) => choose({ exact: value, page: "" })));
  if (form.elements.namedItem("text")) {
    form.elements.namedItem("text").parentElement.before(...renewed(form, fields));
    return;
  }
  const search = input("text", "Text", "search", state.get("text") || "", (value) => choose({ text: value, page: "" }));
  form.append(...fields, search);
  form.addEventListener("submit", (event) => event.preventDefault());
}

// The fields in the place of older ones; the focus stays.
function renewed(form, fields) {
  const name = document.activeElement.name;
  for (const field of fields) {
    const old = form.elements.namedItem(field.lastChild.name);
    old.value = field.lastChild.value;
  }
  if (name) form.elements.namedItem(name)?.focus();
  return [];
}

function showHead(runs, state) {
  const by = state.get("sort") || "number";
  const up = state.get("order") === "up";
  const focused = document.activeElement.dataset?.column;
  const heads = columnsOf(runs).map(([name, title, numeric]) => {
    const mark = name === by ? (up ? " ▲" : " ▼") : "";
    const button = element("button", { type: "button", "data-column": name }, title + mark);
    button.addEventListener("click", () =>
      choose({ sort: name, order: name === by && !up ? "up" : "", page: "" }),
    );
    const sort = name === by ? (up ? "ascending" : "descending") : null;
    return element("th", { scope: "col", class: numeric ? "n" : null, "aria-sort": sort }, button);
  });
  heads.push(element("th", { scope: "col" }, element("span", { class: "unseen" }, "Compare")));
  document.querySelector("#runs thead tr").replaceChildren(...heads);
  if (focused) document.querySelector(`[data-column="${focused}"]`).focus();
}

function line(runs, row, columns) {
  const cells = columns.map(([name, title, numeric]) => {
    const text = content(runs, row, name);
    const kind = numeric ? (String(text).endsWith(")") ? "n told" : "n") : name === "exact" && !runs.exact[row] ? "bad" : lengthOf(text);
    return element("td", { class: kind, "data-label": title }, ...(text === "" ? [] : [text]));
  });
  cells.push(element("td", { "data-label": "" }, ...comparison(runs, row)));
  return element("tr", {}, ...cells);
}

function content(runs, row, name) {
  if (name === "number") {
    const run = runs.number[row];
    return element("a", { href: `layers.html#run=${run}`, "aria-label": `run ${run}: layers` }, String(run));
  }
  if (name === "exact") return runs.exact[row] ? "yes" : "✗ differs";
  if (name === "count") return counted(runs.count[row], word(runs.counter, row), word(runs.kind, row));
  if (name === "joules" && runs.joules[row] !== null) {
    return `${number(runs.joules[row])} (${runs.energy[row] === null ? "assumed" : "measured"})`;
  }
  if (runs[name].words) return word(runs[name], row);
  if (name === "time") return minute(runs.time[row]).replaceAll("-", "\u2011"); // a date stays in one line
  return number(runs[name][row]);
}

// With the run before it in its series.
function comparison(runs, row) {
  const before = runs.before[row];
  if (!before) return [];
  const run = runs.number[row];
  const href = `compare.html#a=${before}&b=${run}`;
  return [element("a", { href, "aria-label": `compare run ${run} with run ${before}` }, `against ${before}`)];
}

function showTurn(at, pages) {
  for (const [id, to, ends] of [["back", at - 1, at === 0], ["on", at + 1, at === pages - 1]]) {
    const button = document.querySelector(`#${id}`);
    button.disabled = ends;
    button.onclick = () => choose({ page: to ? String(to) : "" });
  }
}
