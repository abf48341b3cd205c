"use strict";
// Draws the charts from the data in the page. Nothing is fetched.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const hidden = new Set();
  const charts = {};
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;

  const isDark = () => dark.matches && !printing;
  const ink = () => (isDark() ? "#e8eaed" : "#1b1f24");
  const faint = () => (isDark() ? "#363c44" : "#d9dee4");
  // Black and light grey carry meaning on white only.
  const shown = (colour) => (!isDark() ? colour : { "#000000": "#f2f2f2", "#DDDDDD": "#555b63" }[colour] || colour);
  const colourOf = (label) => shown((data.look[label] || {}).colour || "#888888");
  const visible = (label) => !hidden.has(label);
  const short = (value) => (value === null || value === undefined ? "-" : Number(Number(value).toPrecision(4)).toString());

  // Of a long name the beginning and the end, so that there is room for the bars.
  const shortName = (name) => (name.length > 32 ? `${name.slice(0, 16)}…${name.slice(-15)}` : name);

  // Intervals as thin lines over bars: dataset.intervals[i] = [low, high] in units of the value axis; an
  // open one has no high, and goes on from the end of its bar.
  const intervals = {
    id: "intervals",
    afterDatasetsDraw(chart) {
      const ctx = chart.ctx;
      chart.data.datasets.forEach((dataset, d) => {
        if (!dataset.intervals) return;
        chart.getDatasetMeta(d).data.forEach((bar, i) => {
          const span = dataset.intervals[i];
          if (!span || span[0] === null || span[0] === span[1]) return;
          const open = span[1] === null;
          const [low, high] = [chart.scales.x.getPixelForValue(span[0]), open ? bar.x + 18 : chart.scales.x.getPixelForValue(span[1])]
            .map((pixel) => Math.max(chart.chartArea.left, Math.min(pixel, chart.chartArea.right)));
          const goesOn = open || span[1] > chart.scales.x.max;  // an arrow instead of its end
          ctx.save();
          ctx.beginPath();
          ctx.moveTo(low, bar.y); ctx.lineTo(high, bar.y);
          ctx.moveTo(low, bar.y - 4); ctx.lineTo(low, bar.y + 4);
          if (goesOn) { ctx.moveTo(high - 5, bar.y - 4); ctx.lineTo(high, bar.y); ctx.lineTo(high - 5, bar.y + 4); }
          else { ctx.moveTo(high, bar.y - 4); ctx.lineTo(high, bar.y + 4); }
          // A bright edge, so that it is seen on a dark bar, too.
          for (const [style, width] of [[isDark() ? "#14171a" : "#ffffff", 4], [ink(), 1.5]]) {
            ctx.strokeStyle = style;
            ctx.lineWidth = width;
            ctx.stroke();
          }
          ctx.restore();
        });
      });
    },
  };

  const arrow = (ctx, colour, from, to) => {
    const [across, along] = [Math.sign(to.x - from.x), Math.sign(to.y - from.y)];
    ctx.save();
    ctx.beginPath();
    ctx.moveTo(from.x, from.y); ctx.lineTo(to.x, to.y);
    ctx.moveTo(to.x - 5 * across - 4 * along, to.y - 5 * along - 4 * across);
    ctx.lineTo(to.x, to.y);
    ctx.lineTo(to.x - 5 * across + 4 * along, to.y - 5 * along + 4 * across);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.stroke();
    ctx.restore();
  };
  // Bounds: dataset.bounds[i] = {way, aside}, an arrow from each marker up (1) or down (-1) to where the true value is; those
  // at one place stand side by side. Of bars dataset.ways[i], to the right or to the left.
  const arrows = {
    id: "arrows",
    afterDatasetsUpdate(chart) {
      chart.data.datasets.forEach((dataset, d) => (dataset.bounds || []).forEach((bound, i) => { chart.getDatasetMeta(d).data[i].x += 1.5 * bound.aside; }));
    },
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      chart.data.datasets.forEach((dataset, d) => (dataset.bounds || []).forEach((bound, i) => {
        const { x, y } = chart.getDatasetMeta(d).data[i];
        if (!bound.way || x < chart.chartArea.left || x > chart.chartArea.right) return;
        arrow(ctx, dataset.borderColor, { x, y: y - 5 * bound.way }, { x, y: y - 18 * bound.way });
      }));
      chart.data.datasets.forEach((dataset, d) => (dataset.ways || []).forEach((way, i) => {
        const { x, y } = chart.getDatasetMeta(d).data[i];
        if (way) arrow(ctx, ink(), { x, y }, { x: Math.min(x + 18 * way, chart.chartArea.right), y });
      }));
    },
  };

  // Ticks at the values of a sweep; a name that would meet the one before it is left out, its tick stays.
  const nameTicks = (scale, places, nameOf, log) => {
    const along = (value) => (log ? Math.log(value) : value);
    const letter = 7 / (scale.maxWidth || 600) * (along(scale.max) - along(scale.min));
    let free = -Infinity;
    scale.ticks = places.filter((value) => value >= scale.min && value <= scale.max).map((value) => {
      const name = nameOf(value), half = (name.length / 2 + 0.5) * letter;
      const fits = along(value) - half >= free;
      if (fits) free = along(value) + half;
      return { value, name: fits ? name : "" };
    });
  };

  const setRange = (chart, low, high) => {
    chart.options.scales.x.min = low;
    chart.options.scales.x.max = high;
    chart.update("none");
  };
  // As it was at first.
  const showAll = (chart) => {
    const { min, max } = makers[chart.canvas.closest("[data-chart]").dataset.chart]().options.scales.x;
    setRange(chart, min, max);
  };
  // Drag over a chart to see that stretch of its x axis; double click for all of it again.
  const zoom = {
    id: "zoom",
    start(chart) {
      if (!chart.options.zoomable) return;
      const canvas = chart.canvas;
      const inside = (event) => {
        const x = event.clientX - canvas.getBoundingClientRect().left;
        return Math.min(Math.max(x, chart.chartArea.left), chart.chartArea.right);
      };
      canvas.addEventListener("pointerdown", (event) => {
        if (event.pointerType === "mouse") chart.$drag = { from: inside(event), to: inside(event) };
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!chart.$drag) return;
        chart.$drag.to = inside(event);
        chart.draw();
      });
      window.addEventListener("pointerup", () => {
        const drag = chart.$drag;
        chart.$drag = null;
        if (!drag || Math.abs(drag.to - drag.from) < 6) return;
        const [low, high] = [drag.from, drag.to].sort((a, b) => a - b).map((p) => chart.scales.x.getValueForPixel(p));
        setRange(chart, low, high);
      });
      canvas.addEventListener("dblclick", () => showAll(chart));
    },
    afterDraw(chart) {
      const drag = chart.$drag;
      if (!drag) return;
      chart.ctx.fillStyle = "rgba(0,114,178,.18)";
      chart.ctx.fillRect(drag.from, chart.chartArea.top, drag.to - drag.from, chart.chartArea.bottom - chart.chartArea.top);
    },
  };
  const zoomBy = (chart, factor) => {
    const { min, max } = chart.scales.x;
    setRange(chart, min, min + (max - min) * factor);
  };

  const axis = (title, more = {}) => ({
    title: { display: true, text: title, color: ink() },
    ticks: { color: ink(), maxRotation: 0, ...(more.ticks || {}) },
    grid: { color: faint() },
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "ticks")),
  });

  const markerOf = (label) => ({ pointStyle: (data.look[label] || {}).point, pointRotation: (data.look[label] || {}).rotation || 0 });
  // Eight markers per line, staggered between lines, as in the figures.
  const someMarkers = (label, count) => {
    const every = Math.max(1, Math.floor(count / 8));
    const first = Math.floor((data.algorithms.indexOf(label) * every) / data.algorithms.length);
    return { pointRadius: (context) => (context.dataIndex % every === first ? 4 : 0) };
  };

  // A line with its band: three datasets that go and come together.
  const bandSets = (label, series, more = {}) => {
    const colour = colourOf(label);
    const line = (values) => series.x.map((x, i) => ({ x, y: values[i] }));
    const style = { label, algorithm: label, borderColor: colour, backgroundColor: colour, pointRadius: 0, borderWidth: 2,
      pointHitRadius: 8, ...markerOf(label), borderDash: (data.look[label] || {}).dash || [],
      stepped: !!series.oracle, ...more };  // a model stays what it is until the next merge
    const sets = [{ ...style, data: line(series.mean), marks: series.marks }];
    if (series.low) {
      const edge = { ...style, borderWidth: 0, pointRadius: 0, pointHitRadius: 0, band: true, order: 1 };  // below the lines
      sets.push({ ...edge, data: line(series.low), fill: false },
        { ...edge, data: line(series.high), fill: "-1", backgroundColor: colour + "30" });
    }
    for (const one of series.replicas || []) {
      sets.push({ ...style, data: one.x.map((x, i) => ({ x, y: one.y[i] })), borderColor: colour + "90", borderWidth: 0.7,
        borderDash: [], pointRadius: 0, pointHitRadius: 0, replica: true, order: 1 });
    }
    if (series.oracle) {
      sets.push({ ...style, label: series.oracle.name, data: series.oracle.x.map((x, i) => ({ x, y: series.oracle.mean[i] })), stepped: false,
        borderWidth: 1.5, borderDash: [1.5, 3], pointRadius: 0, oracle: true, order: 1 });
    }
    return sets;
  };
  const lineOptions = (x, y, more = {}) => ({
    zoomable: true, animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
    interaction: { mode: "nearest", axis: "x", intersect: false },
    scales: { x: axis(x, { type: "linear", ...(more.x || {}) }), y: axis(y, more.y) },
    plugins: { legend: { display: false }, tooltip: {
      filter: (item) => !item.dataset.band && !item.dataset.replica,
      callbacks: { title: (items) => (items.length ? `${x}: ${short(items[0].parsed.x)}` : ""),
        label: (item) => `${item.dataset.label}: ${(item.dataset.marks || [])[item.dataIndex] || ""}${short(item.parsed.y)}` } } },
  });
  const barOptions = (x, more = {}) => ({
    animation: false, maintainAspectRatio: false, indexAxis: "y",
    interaction: { mode: "nearest", axis: "y", intersect: false },
    scales: { x: axis(x, { beginAtZero: true, ...(more.x || {}) }), y: axis("", { title: { display: false }, ...(more.y || {}) }) },
    plugins: { legend: { display: !!more.legend, labels: { color: ink(), boxWidth: 12 } },
      tooltip: { callbacks: { label: more.tip || ((item) => `${item.dataset.label || item.label}: ${short(item.parsed.x)}`) } } },
  });
  const control = (name, id) => {
    const element = document.querySelector(`[data-chart="${name}"] [data-choice="${id}"]`);
    return element ? element.value : null;
  };
  const point = () => control("curves", "point") || data.points[0];
  // wayOf(row): 1 or -1 where the value is only a bound and the true one lies beyond it, or below; then it is pale, with an arrow.
  const bars = (rows, value, low, high, wayOf) => ({
    labels: rows.map((r) => shortName(r.algorithm)),
    datasets: [{ data: rows.map((r) => r[value]), backgroundColor: rows.map((r) => colourOf(r.algorithm) + (wayOf(r) ? "66" : "")),
      ways: rows.map((r) => (r[value] === null ? 0 : wayOf(r))), algorithms: rows.map((r) => r.algorithm), intervals: rows.map((r) => [r[low], r[high]]), maxBarThickness: 26 }],
  });
  // The axis reaches beyond the intervals, too; but not beyond three times the longest bar, where no bar could be seen.
  const reach = (rows, value, high) => {
    const longest = Math.max(0, ...rows.map((r) => r[value] || 0));
    const end = Math.max(longest, ...rows.map((r) => r[high] || 0));
    return longest > 0 && end > 3 * longest ? { max: 3 * longest, ticks: { includeBounds: false } } : { suggestedMax: end };
  };
  const summaryRows = () => (data.summary[point()] || []).filter((r) => visible(r.algorithm));

  // Every chart: what it shows now, made anew whenever something is hidden or chosen.
  const makers = {
    curves() {
      const x = control("curves", "x"), y = control("curves", "y");
      const sets = [];
      const series = (data.curves[point()] || {})[`${y}/${x}`] || {};
      for (const label of Object.keys(series)) if (visible(label)) sets.push(...bandSets(label, series[label], someMarkers(label, series[label].x.length)));
      if (data.target && data.target[0] === y) {
        const ends = sets.flatMap((s) => s.data.map((p) => p.x));
        sets.push({ label: `target ${data.target[1]}`, data: [{ x: 0, y: data.target[1] }, { x: Math.max(...ends, 0), y: data.target[1] }],
          borderColor: ink(), borderDash: [6, 4], borderWidth: 1, pointRadius: 0, pointHitRadius: 0 });
      }
      const values = sets.filter((s) => !s.band).flatMap((s) => s.data.slice(Math.ceil(s.data.length * 0.05)).map((p) => p.y)).filter((v) => v !== null);
      const low = Math.min(...values), high = Math.max(...values);
      const beyond = sets.some((s) => s.data.some((p) => p.y > 1));  // a band may be, an accuracy is not
      const frame = values.length === 0 ? {} : y === "test_accuracy" ? { min: Math.max(0, Math.floor(low * 20 - 0.4) / 20), ...(beyond ? { max: 1 } : {}) }
        : low > 0 && high / low > 30 ? { type: "logarithmic" } : { max: high * 1.05, ...(low >= 0 ? { min: 0 } : {}) };
      return { type: "line", data: { datasets: sets },
        options: lineOptions(data.words[x], data.words[y] + (frame.type ? " (log scale)" : ""), { y: frame, x: { min: 0 } }) };
    },
    target() {
      const rows = summaryRows();
      const chart = { type: "bar", data: bars(rows, "time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s", (r) => (r.reached < r.n ? 1 : 0)),
        options: barOptions("virtual time to target (s)", { x: reach(rows, "time_to_target_mean_s", "time_to_target_high_s"), tip: (item) => `${short(item.parsed.x)} s, reached by ${rows[item.dataIndex].reached} of ${rows[item.dataIndex].n}` }) };
      chart.data.labels = rows.map((r) => (r.time_to_target_mean_s === null ? `${shortName(r.algorithm)} (not reached)` : r.reached < r.n ? `${shortName(r.algorithm)} (${r.reached}/${r.n})` : shortName(r.algorithm)));
      return chart;
    },
    speedup() {
      const rows = summaryRows();
      const chart = { type: "bar", data: bars(rows, "speedup", "speedup_low", "speedup_high", (r) => ({ ">": 1, "<": -1 }[r.mark.trim().slice(-1)] || 0)),
        options: barOptions(`speed-up over ${data.baseline}`, { x: reach(rows, "speedup", "speedup_high"), tip: (item) => `${rows[item.dataIndex].mark}${short(item.parsed.x)}x as fast` }) };
      chart.data.labels = rows.map((r) => (r.mark ? `${shortName(r.algorithm)} (${r.mark.trim()})` : shortName(r.algorithm)));
      return chart;
    },
    sweep() {
      const kind = control("sweep", "y"), { to_scale: toScale, log, places, names } = data.sweep;
      const { lines, log: logValues } = data.sweep[kind];
      const sets = [];
      for (const [label, series] of Object.entries(lines)) {
        if (!visible(label)) continue;
        sets.push(...bandSets(label, series, { pointRadius: 4 }), { label, algorithm: label, data: series.bounds.map(({ x, y }) => ({ x, y })),
          bounds: series.bounds, marks: series.bounds.map((bound) => bound.mark), showLine: false, ...markerOf(label), pointRadius: 4,
          pointHitRadius: 8, borderWidth: 2, borderColor: colourOf(label), pointBackgroundColor: isDark() ? "#14171a" : "#ffffff" });
      }
      const nameOf = (value) => names[places.indexOf(value)] || "";
      const [low, high] = [places[0], places[places.length - 1]];
      const room = log ? (high / low) ** 0.04 : 0.04 * (high - low);  // beside the first and the last
      const ends = !toScale ? { min: -0.2, max: high + 0.2 } : log ? { min: low / room, max: high * room } : { min: low - room, max: high + room };
      const named = !toScale || places.length <= 10 || names.some((name) => !Number.isFinite(Number(name)));
      const x = { ...ends, ...(log ? { type: "logarithmic" } : {}), ...(named ? { afterBuildTicks: (scale) => nameTicks(scale, places, nameOf, log),
        ticks: { autoSkip: false, callback(value, i) { return this.ticks[i].name; } } } : {}) };
      const options = lineOptions(data.sweep.axis + (log ? " (log scale)" : ""),
        (kind === "speedup" ? `speed-up over ${data.baseline}` : "virtual time to target (s)") + (logValues ? " (log scale)" : ""),
        { y: logValues ? { type: "logarithmic", grace: "8%", ticks: { callback: short } } : { beginAtZero: true, grace: "8%" }, x });
      options.plugins.tooltip.callbacks.title = (items) => (items.length ? `${data.sweep.axis}: ${nameOf(items[0].parsed.x)}` : "");
      return { type: "line", data: { datasets: sets }, options };
    },
    time() {
      const rows = (data.time[point()] || []).filter((r) => visible(r.algorithm));
      return { type: "bar", data: { labels: rows.map((r) => `${shortName(r.algorithm)} · ${shortName(r.class)}`), datasets: data.parts.map((part) => ({
        label: part, data: rows.map((r) => r[part]), backgroundColor: shown(data.states[part]), algorithms: rows.map((r) => r.algorithm) })) },
        options: barOptions("share of time", { legend: true, x: { stacked: true, max: 1 }, y: { stacked: true, ticks: { autoSkip: false } } }) };
    },
    staleness() {
      const sets = [];
      for (const row of data.staleness[point()] || []) {
        if (!visible(row.algorithm)) continue;
        sets.push({ label: `${shortName(row.algorithm)} · ${shortName(row.class)}`, algorithm: row.algorithm, data: row.x.map((x, i) => ({ x, y: row.share[i] })),
          borderColor: colourOf(row.algorithm), backgroundColor: colourOf(row.algorithm), borderDash: row.dash, borderWidth: 2, pointRadius: 0, stepped: "middle" });
      }
      const step = Math.max(1, ...(data.staleness[point()] || []).map((row) => row.step));
      const options = lineOptions("staleness (updates)" + (step > 1 ? `, bins of up to ${step}` : ""), "share of the class's gradients", { y: { beginAtZero: true } });
      options.plugins.legend = { display: true, labels: { color: ink(), boxWidth: 22, boxHeight: 1 } };
      return { type: "line", data: { datasets: sets }, options };
    },
    links() {
      const rows = (data.links[point()] || []).filter((r) => visible(r.algorithm));
      return { type: "bar", data: { labels: rows.map((r) => `${shortName(r.algorithm)} · ${shortName(r.link)}`), datasets: [
        { label: "mean utilisation", data: rows.map((r) => r.utilisation), backgroundColor: rows.map((r) => colourOf(r.algorithm)), algorithms: rows.map((r) => r.algorithm) },
        { label: "busy share of time", data: rows.map((r) => r.busy_share), backgroundColor: rows.map((r) => colourOf(r.algorithm) + "55") }] },
        options: barOptions("share of bandwidth (full), of time (pale)", { x: { max: 1 }, y: { ticks: { autoSkip: false } } }) };
    },
    contribution() {
      const column = control("contribution", "x") || "speed_share";
      const rows = (data.contribution[point()] || []).filter((r) => visible(r.algorithm));
      const sets = data.algorithms.filter((a) => rows.some((r) => r.algorithm === a)).map((label) => ({ label, algorithm: label,
        data: rows.filter((r) => r.algorithm === label).map((r) => ({ x: r[column], y: r.contribution, worker: r.worker })),
        borderColor: colourOf(label), backgroundColor: "transparent", borderWidth: 2, ...markerOf(label), pointRadius: 6, showLine: false }));
      const most = 1.05 * Math.max(...rows.map((r) => Math.max(r[column], r.contribution)), 0.01);
      sets.push({ label: "equal shares", data: [{ x: 0, y: 0 }, { x: most, y: most }], borderColor: ink(), borderDash: [6, 4], borderWidth: 1, pointRadius: 0, pointHitRadius: 0, showLine: true });
      const options = lineOptions(column === "speed_share" ? "share of speed" : "share of data", "share of samples computed", { x: { min: 0, max: most }, y: { min: 0, max: most } });
      options.interaction = { mode: "nearest", axis: "xy", intersect: true };
      options.plugins.tooltip.callbacks = { title: () => "", label: (item) => `${item.dataset.label} ${item.raw.worker || ""}: ${short(item.parsed.x)}, ${short(item.parsed.y)}` };
      return { type: "line", data: { datasets: sets }, options };
    },
    decisions() {
      const chosen = (data.decisions[point()] || {})[control("decisions", "what")] || { lines: [] };
      const sets = !visible(chosen.algorithm) ? [] : chosen.lines.map((line) => ({ label: line.worker, algorithm: chosen.algorithm,
        data: line.x.map((x, i) => ({ x, y: line.y[i] })), stepped: true, borderColor: shown(line.colour), backgroundColor: shown(line.colour), borderWidth: 1.5, pointRadius: 0 }));
      return { type: "line", data: { datasets: sets }, options: lineOptions("virtual time (s)", chosen.quantity || "", { y: { beginAtZero: true } }) };
    },
  };

  // A chart of bars is as high as its bars need.
  const fit = (name, config) => {
    const plot = document.querySelector(`[data-chart="${name}"] .plot`);
    if (config.options.indexAxis !== "y") return;
    plot.style.height = `${Math.max(9, 4.5 + 1.55 * config.data.labels.length)}rem`;
  };
  const draw = (name) => {
    const config = makers[name]();
    fit(name, config);
    if (charts[name]) {
      charts[name].data = config.data;
      charts[name].options = config.options;
      charts[name].resize();
      charts[name].update("none");
    } else {
      charts[name] = new Chart(document.querySelector(`[data-chart="${name}"] canvas`), { ...config, plugins: [intervals, arrows, zoom] });
    }
  };
  const drawAll = () => Object.keys(makers).filter((n) => document.querySelector(`[data-chart="${n}"]`)).forEach(draw);

  const toggle = (label) => {
    if (hidden.has(label)) hidden.delete(label); else hidden.add(label);
    document.querySelectorAll("#algorithms button").forEach((b) => b.setAttribute("aria-pressed", String(!hidden.has(b.dataset.label))));
    document.querySelectorAll("tr[data-label], li[data-label]").forEach((row) => { row.hidden = hidden.has(row.dataset.label); });
    drawAll();
  };
  const showPoint = () => document.querySelectorAll("[data-point]").forEach((e) => { e.hidden = e.dataset.point !== point(); });

  const start = () => {
    const nav = document.getElementById("algorithms");
    for (const label of data.algorithms) {
      const button = document.createElement("button");
      button.dataset.label = label;
      button.setAttribute("aria-pressed", "true");
      button.innerHTML = '<span class="swatch"></span>';
      button.firstChild.style.background = colourOf(label);
      button.append(label);
      button.addEventListener("click", () => toggle(label));
      nav.append(button);
    }
    document.querySelectorAll("[data-choice]").forEach((element) => element.addEventListener("change", () => {
      if (element.dataset.choice === "point") showPoint();
      drawAll();
    }));
    document.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
      const chart = charts[button.closest("[data-chart]").dataset.chart];
      if (button.dataset.zoom === "all") showAll(chart);
      else zoomBy(chart, Number(button.dataset.zoom));
    }));
    dark.addEventListener("change", drawAll);
    window.addEventListener("beforeprint", () => { printing = true; drawAll(); });
    window.addEventListener("afterprint", () => { printing = false; drawAll(); });
    showPoint();
    drawAll();
  };
  window.motley = { charts, toggle, data };
  if (typeof Chart !== "undefined") start();
})();
