// Figures of a model on a board over commits: a plot for each figure of each series.
"use strict";

const SPANS = [["50", "newest 50"], ["200", "newest 200"], ["all", "all"]];
const MOST_SERIES = 12;

function overCommits(keys) {
  page(async (index, overtaken) => {
    const { places, fields, model, board } = modelAndBoard(index);
    const span = chosen().get("commits") || "50";
    const commits = select("commits", "Commits", SPANS, span, (value) => choose({ commits: value }));
    ask(document.querySelector("#choices"), ...fields, commits);
    const plots = document.querySelector("#plots");
    plots.replaceChildren();
    if (!places.length) plots.append(element("p", { class: "note" }, "There are no runs."));
    for (const place of places.slice(0, MOST_SERIES)) {
      const series = index.series[place];
      const { trend } = await factsOfSeries(index, place);
      if (overtaken()) return;
      const group = element("div", { class: "pair" });
      plots.append(element("h2", {}, `${model} on ${board}: ${seriesName(series)}`), group);
      for (const key of keys.filter((each) => trend.figures[each])) {
        await trendPlot(group, index, series, trend, key, span);
        if (overtaken()) return;
      }
      if (!group.childElementCount) group.append(element("p", { class: "note" }, "Its records tell none of these figures."));
    }
    if (places.length > MOST_SERIES) {
      const left = places.length - MOST_SERIES;
      plots.append(element("p", { class: "note" }, `${left} more sets of options or runners are on the page Runs.`));
    }
  });
}

async function trendPlot(group, index, series, trend, key, span) {
  const rows = trendRows(index, series, trend, key, span);
  const title = unit(index, key, series);
  const box = element("div");
  group.append(box);
  await plot(box, "trend", {
    heading: title,
    rows,
    titles: { y: title },
    heads: ["commit", "#median", "#low", "#high", "#runs", "exact", "compiler"],
    cells: () =>
      rows.map((row) => [row.commit, ...[row.value, row.low, row.high, row.runs].map(number), row.exact, row.compiler]),
  });
}

function trendRows(index, series, trend, key, span) {
  const from = span === "all" ? 0 : Math.max(0, trend.commit.length - Number(span));
  const rows = [];
  trend.commit.slice(from).forEach((commit, place) => {
    const at = from + place;
    const figure = trend.figures[key][at];
    if (figure === null) return;
    const [value, low, high] = Array.isArray(figure) ? figure : [figure, figure, figure];
    const exact = trend.exact[at] ? "exact" : "differs";
    const compiler = word(trend.compiler, at);
    const runs = trend.runs[at];
    const told = [commit, `${number(value)} ${unit(index, key, series)}`, `${runs} runs, newest ${trend.last[at]}`, exact, compiler];
    rows.push({ commit, value, low, high, runs, exact, compiler, told: told.filter((text) => text).join(" · ") });
  });
  return rows;
}
