// The layers of one run: what each costs, which differ, and a roofline where the record tells enough.
"use strict";

page(async (index, overtaken) => {
  const run = runToShow(index);
  const found = document.querySelector("#found");
  const plots = document.querySelector("#plots");
  plots.replaceChildren();
  if (run === null) {
    found.textContent = index.runs.number.length ? "There is no such run." : "There are no runs.";
    return;
  }
  showChoices(index, run);
  const layers = await layersOfRun(index, run);
  if (overtaken()) return;
  found.textContent = told(index, run, layers);
  await showLayers(plots, run, layers);
  if (!overtaken() && layers.roofline) await showRoofline(plots, layers);
});

// That of the address, else the newest of the series, model and board that it names.
function runToShow(index) {
  const state = chosen();
  if (state.has("run")) {
    const run = Number(state.get("run"));
    return rowOfRun(index, run) < 0 ? null : run;
  }
  const { places } = modelAndBoard(index);
  return places.length ? Math.max(...places.map((place) => index.series[place].newest)) : null;
}

function showChoices(index, run) {
  const place = index.runs.series[rowOfRun(index, run)];
  const { model, board } = index.series[place];
  if (chosen().get("model") !== model || chosen().get("board") !== board) {
    history.replaceState(null, "", `#${new URLSearchParams({ model, board, run })}`);
  }
  const { places, fields } = modelAndBoard(index);
  const options = places.map((each) => [String(each), seriesName(index.series[each])]);
  ask(
    document.querySelector("#choices"),
    ...fields,
    select("series", "Runner and options", options, String(place), (value) =>
      choose({ run: String(index.series[Number(value)].newest) }),
    ),
    input("run", "Run", "number", run, (value) => choose({ run: value, model: "", board: "" })),
  );
}

function told(index, run, { series, names, counts, differing, roofline }) {
  const row = rowOfRun(index, run);
  const { runs } = index;
  const parts = [
    `Run ${run}: ${series.model} on ${series.board}`,
    minute(runs.time[row]),
    word(runs.commit, row) && `commit ${word(runs.commit, row)}`,
    `${names.length} layers`,
    runs.exact[row] ? "exact" : `differs${differing.size ? ` in ${differing.size} layers` : ""}`,
    counts ? counted(runs.count[row], series.counter, series.kind) : "its runner counts nothing",
  ];
  if (counts && !roofline) {
    parts.push(run === series.newest ? "no roofline: its record tells no MACs and bytes of layers" : "roofline: newest run only");
  }
  return parts.filter((text) => text).join(" · ");
}

async function showLayers(plots, run, { series, names, counts, differing }) {
  const total = counts ? counts.reduce((sum, each) => sum + each, 0) : 0;
  const rows = names.map((name, at) => {
    const count = counts ? counts[at] : 0;
    const verdict = differing.has(at) ? "✗ differs" : "exact";
    const share = counts ? percent(count / total) : "";
    const shown = differing.has(at) ? `${share} ${verdict}` : share;
    const layer = `${at} ${name}`;
    const text = [layer, counts && counted(count, series.counter, series.kind), share, verdict];
    return { layer, count, share: shown, verdict, told: text.filter((each) => each).join(" · ") };
  });
  const unitText = counts ? `${series.counter} (${series.kind})` : "no counts";
  await plot(plots, "layers", {
    heading: `Layers of run ${run}, ${unitText}`,
    rows,
    titles: { x: unitText },
    heads: ["layer", "#count", "#share", "verdict"],
    cells: () => rows.map((row) => [row.layer, counts ? number(row.count) : "", row.share, row.verdict]),
  });
}

async function showRoofline(plots, { series, names, roofline }) {
  const each = series.counter.replace(/s$/, "");
  const points = roofline.points.map(([at, x, y]) => {
    const text = `${at} ${names[at]} · ${fine.format(x)} MACs per byte · ${fine.format(y)} MACs per ${each} (${series.kind})`;
    return { part: "layer", layer: `${at} ${names[at]}`, name: String(at), x, y, told: text };
  });
  const roof = roofline.roof.map(([x, y]) => ({ part: "roof", x, y, told: "" }));
  await plot(plots, "roofline", {
    heading: "Roofline: the dashed line is the best that any layer attained here, not what the board could do at most; numbers are those of the layers above",
    rows: [...roof, ...points],
    titles: { x: "MACs per byte of inputs, weights and outputs", y: `MACs per ${each} (${series.kind})` },
    heads: ["layer", "#MACs per byte", `#MACs per ${each}`],
    cells: () => points.map((row) => [row.layer, fine.format(row.x), fine.format(row.y)]),
  });
}
