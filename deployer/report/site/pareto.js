// Pareto plots: cost against RAM, flash, accuracy or energy, on one board by one runner.
"use strict";

const AGAINST = ["ram", "flash", "accuracy", "energy", "assumed"];

page(async (index) => {
  const found = document.querySelector("#found");
  const plots = document.querySelector("#plots");
  plots.replaceChildren();
  if (!index.pareto.length) {
    found.textContent = "There are no exact runs with counts.";
    return;
  }
  const state = chosen();
  const at = Math.min(Math.max(0, Number(state.get("plot")) || 0), index.pareto.length - 1);
  const against = AGAINST.includes(state.get("against")) ? state.get("against") : "ram";
  const chart = index.pareto[at];
  const models = sorted(chart.points.map((each) => each.model));
  const model = models.includes(state.get("model")) ? state.get("model") : "";
  showChoices(index, { at, against, models, model });
  const rows = paretoRows(index, chart, against, model);
  found.textContent = rows.length ? `${rows.length} points` : `No record here tells ${index.metrics[against].title}.`;
  if (rows.length) await showPlot(plots, index, chart, against, rows);
});

function showChoices(index, { at, against, models, model }) {
  const charts = index.pareto.map((each, place) => [
    String(place),
    `${each.board} · ${each.runner} · ${each.counter}, ${each.kind}`,
  ]);
  ask(
    document.querySelector("#choices"),
    select("plot", "Board and runner", charts, String(at), (value) => choose({ plot: value, model: "" })),
    select("against", "Against", AGAINST.map((key) => [key, index.metrics[key].title]), against, (value) =>
      choose({ against: value }),
    ),
    select("model", "Models", [["", "all"], ...models.map((each) => [each, each])], model, (value) =>
      choose({ model: value }),
    ),
  );
}

function paretoRows(index, chart, against, model) {
  const front = new Set(chart.fronts[against][model ? "own" : "all"]);
  return [...chart.points.entries()]
    .filter(([, point]) => point[against] !== null && (!model || point.model === model))
    .map(([at, point]) => ({
      ...point,
      value: point[against],
      standing: front.has(at) ? "no other is better" : "beaten",
      line: "front",
      name: model ? point.variant || point.model : point.model,
      told: [
        `${point.model}${point.variant ? ` (${point.variant})` : ""}`,
        `${number(point.cost)} ${unit(index, chart.cost, chart)}`,
        `${number(point[against])} ${unit(index, against, chart)}`,
        `run ${point.number}`,
        point.commit && `commit ${point.commit}`,
      ].filter((text) => text).join(" · "),
    }));
}

async function showPlot(plots, index, chart, against, rows) {
  const titles = { x: unit(index, chart.cost, chart), y: unit(index, against, chart) };
  await plot(plots, "pareto", {
    heading: `${titles.x} against ${titles.y}, on ${chart.board} by ${chart.runner}`,
    rows,
    titles,
    heads: ["model", "options", `#${titles.x}`, `#${titles.y}`, "standing", "#run"],
    cells: () =>
      rows.map((row) => [row.model, row.variant, number(row.cost), number(row.value), row.standing, String(row.number)]),
  });
}
