// The difference of two runs: figures, then layer by layer.
"use strict";

const FACTS = [["time", "time"], ["model", "model"], ["board", "board"], ["runner", "runner"], ["kind", "kind"], ["commit", "commit"]];
const FIGURES = ["count", "latency", "fps", "ram", "flash", "arena", "stack", "accuracy", "energy", "assumed", "frames", "assumed_frames"];
const OF_KIND = ["count", "latency", "fps"]; // figures that another kind or runner says nothing of

page(async (index, overtaken) => {
  const found = document.querySelector("#found");
  const plots = document.querySelector("#plots");
  plots.replaceChildren();
  const [a, b] = runsToCompare(index);
  ask(
    document.querySelector("#choices"),
    input("a", "Run A", "number", a ?? "", (value) => choose({ a: value, b: b ?? "" })),
    input("b", "Run B", "number", b ?? "", (value) => choose({ a: a ?? "", b: value })),
  );
  const rows = [a, b].map((run) => rowOfRun(index, run));
  if (rows.includes(-1)) {
    found.textContent = "Give the numbers of two runs; the page Runs lists them.";
    return;
  }
  const why = incomparable(index.runs, ...rows);
  found.textContent = why || `Run ${b} against run ${a}: a change with + is more in B.`;
  plots.append(figures(index, a, b, rows, why));
  if (why) return;
  const layers = await Promise.all([layersOfRun(index, a), layersOfRun(index, b)]);
  if (!overtaken()) await showChange(plots, a, b, layers);
});

// Those of the address; else the newest run that has one before it, and that one.
function runsToCompare(index) {
  const state = chosen();
  if (state.has("a") || state.has("b")) {
    return ["a", "b"].map((name) => (state.has(name) ? Number(state.get(name)) : null));
  }
  const { runs } = index;
  for (let row = runs.number.length - 1; row >= 0; row--) {
    if (runs.before[row]) return [runs.before[row], runs.number[row]];
  }
  return [null, null];
}

// Why counts of two runs cannot be held against each other, "" where they can.
function incomparable(runs, one, other) {
  const unlike = ["board", "runner", "kind", "counter"].filter((name) => runs[name].at[one] !== runs[name].at[other]);
  if (!unlike.length) return "";
  const parts = unlike.map((name) => `${name} ${word(runs[name], one)} and ${word(runs[name], other)}`);
  return `Their counts are not compared: ${parts.join(", ")}.`;
}

function figures(index, a, b, rows, why) {
  const { runs } = index;
  const lines = FACTS.map(([key, title]) => [title, ...rows.map((row) => (key === "time" ? minute(runs.time[row]) : word(runs[key], row))), ""]);
  lines.push(["exact", ...rows.map((row) => (runs.exact[row] ? "yes" : "✗ differs")), ""]);
  for (const key of FIGURES) {
    const [one, other] = rows.map((row) => runs[key][row]);
    if (one === null && other === null) continue;
    const apart = why && OF_KIND.includes(key);
    const named = index.series[runs.series[rows[0]]];
    const { title: alone, unit: of } = index.metrics[key];
    const title = apart ? [alone, of].filter((text) => text).join(", ") : unit(index, key, named);
    lines.push([title, number(one), number(other), apart ? "not compared" : changeText(one, other)]);
  }
  return table("What ran, and its figures", ["figure", `#run A: ${a}`, `#run B: ${b}`, "#change"], lines);
}

function changeText(one, other) {
  if (one === null || other === null) return "";
  const change = other - one;
  if (!change) return "none";
  const share = one ? ` (${signed(percent(change / one), change)})` : "";
  return signed(number(change), change) + share;
}

// Layers by name, in the order of B, then those that only A has. A name that comes again is counted.
function paired(one, other) {
  const keyed = ({ names, counts }) => {
    const seen = new Map();
    return new Map(
      names.map((name, at) => {
        const nth = (seen.get(name) || 0) + 1;
        seen.set(name, nth);
        return [nth > 1 ? `${name} (${nth})` : name, counts ? counts[at] : null];
      }),
    );
  };
  const [before, after] = [keyed(one), keyed(other)];
  const names = [...after.keys(), ...[...before.keys()].filter((name) => !after.has(name))];
  return names.map((name) => ({ name, a: before.get(name) ?? null, b: after.get(name) ?? null }));
}

async function showChange(plots, a, b, [one, other]) {
  const { counter, kind } = other.series;
  const pairs = paired(one, other);
  if (!one.counts || !other.counts) {
    plots.append(element("p", { class: "note" }, "The runner counts nothing, so there is nothing to compare layer by layer."));
    return;
  }
  const rows = pairs.map(({ name, a: then, b: now }, at) => {
    const change = (now ?? 0) - (then ?? 0);
    const only = then === null ? "only in B" : now === null ? "only in A" : "";
    const share = only || (change ? signed(percent(change / then), change) : "none");
    const text = `${name} · ${number(then)} → ${number(now)} ${counter} (${kind}) · ${share}`;
    const [more, less] = change < 0 ? ["", share] : [share, ""]; // beside a bar, on its side
    return { layer: `${at} ${name}`, a: then, b: now, change, share, more, less, told: text };
  });
  await plot(plots, "change", {
    heading: `Change from run ${a} to run ${b}, layer by layer, ${counter} (${kind})`,
    rows,
    titles: { x: `change, ${counter} (${kind})` },
    heads: ["layer", "#A", "#B", "#change", "#share"],
    cells: () => rows.map((row) => [row.layer, number(row.a), number(row.b), signed(number(row.change), row.change), row.share]),
  });
  plots.querySelector("details").open = true;
}
