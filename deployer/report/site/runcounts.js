// The counts of the layers of a run, out of the changes from run to run.
"use strict";

function rowOfRun(index, run) {
  return index.runs.number.indexOf(run);
}

// Names, counts (null where they are worth nothing) and places of layers that differ.
async function layersOfRun(index, run) {
  const place = index.runs.series[rowOfRun(index, run)];
  const { layers, roofline } = await factsOfSeries(index, place);
  const at = layers.numbers.indexOf(run);
  const shape = layers.shape[at];
  let counts = null;
  for (let earlier = 0; earlier <= at; earlier++) {
    const change = layers.counts[earlier];
    if (layers.shape[earlier] !== shape || !change.length) continue;
    counts = counts ? counts.map((count, layer) => count + change[layer]) : [...change];
  }
  return {
    series: index.series[place],
    names: layers.names[shape],
    counts: layers.counts[at].length ? counts : null,
    differing: new Set(layers.differing[run] || []),
    roofline: index.series[place].newest === run ? roofline : null,
  };
}
