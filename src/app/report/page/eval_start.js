// eval_start.js - the last of the scripts, when all of them are known.
function showHeader() {
  $("subject").textContent = "eval: " + data.measured + (data.arch ? " on " + data.arch : "");
  document.title = "tacho eval: " + data.measured;
  const first = [...predictors].filter((p) => p.mape !== null).sort((a, b) => a.mape - b.mape)[0];
  $("answer").append(make("strong", {}, grouped(data.blocks)), " blocks " + (reference === "measured" ? "measured, " : "predicted, not measured, ") + plural(predictors.length, "predictor"),
    ...(first ? [predictors.length > 1 ? "; lowest mean error: " : "; mean error: ", make("strong", {}, percent(first.mape) + " %"), " (" + first.name + ")"] : []));
}

startFrame();
showHeader();
summary();
heatMaps();
errorCurves();
groups();
worst();
failures();
document.documentElement.dataset.ready = "yes";
