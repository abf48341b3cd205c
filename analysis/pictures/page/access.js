"use strict";
// Charts without a mouse and without eyes: keys that walk along the values, a text that says them, tables of all that is
// drawn, and downloads of the data and of the picture. Reads only what page.js has drawn.
(() => {
  const { charts, data } = window.motley;

  const save = (name, address) => {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  };
  const saveText = (name, text) => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    save(name, address);
    URL.revokeObjectURL(address);
  };
  document.querySelectorAll("[data-picture]").forEach((made) => made.addEventListener("click", () => {
    save(`${made.dataset.picture}.png`, made.closest(".card").querySelector("img").src);
  }));
  document.querySelectorAll("[data-rows]").forEach((made) => made.addEventListener("click", () => {
    saveText(`${made.dataset.rows}.csv`, data.rows[made.dataset.rows]);
  }));
  if (typeof Chart === "undefined") return;

  const spoken = document.createElement("p");
  spoken.className = "spoken";
  spoken.setAttribute("role", "status");
  document.body.append(spoken);

  const titleOf = (chart) => chart.canvas.closest("[data-chart]").querySelector("h3").textContent;
  const isBar = (chart) => chart.config.type === "bar";
  const short = (value) => (typeof value !== "number" ? value : Number(value.toPrecision(5)));
  // Of a dataset: its name and its values as [place, value]; bars lie, so their value is x.
  const valuesOf = (chart, set) => set.data.map((point, i) => (isBar(chart) ? [chart.data.labels[i], point] : [point.x, point.y]));
  const partOf = (set) => (set.band ? (set.fill ? "upper end of the band" : "lower end of the band") : set.replica ? "one replica" : "");
  const seriesOf = (chart) => chart.data.datasets.map((set, index) => ({ set, index, values: valuesOf(chart, set) }));

  const rowsOf = (chart) => {
    const { x, y } = chart.options.scales;
    const head = ["series", "part", isBar(chart) ? "of" : x.title.text, isBar(chart) ? x.title.text : y.title.text];
    const rows = [head];
    for (const { set, values } of seriesOf(chart)) {
      for (const [place, value] of values) {
        if (value !== null && value !== undefined) rows.push([set.label || titleOf(chart), partOf(set), place, value]);
      }
    }
    return rows;
  };
  const quoted = (cell) => (/[",\n]/.test(String(cell)) ? `"${String(cell).replace(/"/g, '""')}"` : String(cell));
  const csvOf = (chart) => rowsOf(chart).map((row) => row.map(quoted).join(",")).join("\n") + "\n";

  // On the ground of the page: a picture without one cannot be read everywhere.
  const pictureOf = (chart) => {
    const copy = document.createElement("canvas");
    copy.width = chart.canvas.width;
    copy.height = chart.canvas.height;
    const ctx = copy.getContext("2d");
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ground");
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(chart.canvas, 0, 0);
    return copy.toDataURL("image/png");
  };

  // What a chart says, in a sentence a series: where it begins, ends and lies between.
  const describe = (chart) => {
    const lines = [];
    for (const { set, values } of seriesOf(chart)) {
      if (set.band || set.replica) continue;
      const known = values.filter(([, value]) => value !== null && value !== undefined);
      if (known.length === 0) continue;
      if (isBar(chart)) {
        lines.push(`${set.label ? `${set.label}: ` : ""}${known.map(([name, value]) => `${name} ${short(value)}`).join(", ")}`);
      } else {
        const [first, last] = [known[0], known[known.length - 1]];
        lines.push(`${set.label}: from ${short(first[1])} at ${short(first[0])} to ${short(last[1])} at ${short(last[0])}`);
      }
    }
    return `${titleOf(chart)}. ${lines.join(". ")}.`;
  };

  // Walks along what can be pointed at.
  const walkers = new Map();
  const stops = (chart, index) => chart.data.datasets[index].data.map((_, i) => i)
    .filter((i) => { const v = valuesOf(chart, chart.data.datasets[index])[i][1]; return v !== null && v !== undefined; });
  const walkable = (chart) => seriesOf(chart).filter(({ set, index }) => !set.band && !set.replica && stops(chart, index).length > 0).map(({ index }) => index);
  const point = (chart, at) => {
    const element = chart.getDatasetMeta(at.series).data[at.index];
    chart.setActiveElements([{ datasetIndex: at.series, index: at.index }]);
    chart.tooltip.setActiveElements([{ datasetIndex: at.series, index: at.index }], { x: element.x, y: element.y });
    chart.update("none");
    const set = chart.data.datasets[at.series];
    const [place, value] = valuesOf(chart, set)[at.index];
    spoken.textContent = `${set.label || titleOf(chart)}, ${short(place)}: ${short(value)}`;
  };
  const walk = (chart, event) => {
    const all = walkable(chart);
    if (all.length === 0) return;
    const before = walkers.get(chart);
    const at = before && all.includes(before.series) ? { ...before } : { series: all[0], index: stops(chart, all[0])[0] };
    const here = stops(chart, at.series);
    const step = (list, now, by) => list[Math.min(list.length - 1, Math.max(0, list.indexOf(now) + by))];
    const along = Math.max(1, Math.floor(here.length / 40));  // a curve has hundreds of places
    const [next, other] = isBar(chart) ? [["ArrowDown", "ArrowUp"], ["ArrowRight", "ArrowLeft"]] : [["ArrowRight", "ArrowLeft"], ["ArrowDown", "ArrowUp"]];
    if (event.key === "Escape") {
      walkers.delete(chart);
      chart.setActiveElements([]);
      chart.tooltip.setActiveElements([], { x: 0, y: 0 });
      chart.update("none");
      return;
    }
    if (next.includes(event.key)) { if (before) at.index = step(here, at.index, event.key === next[0] ? along : -along); }
    else if (other.includes(event.key)) {
      at.series = step(all, at.series, event.key === other[0] ? 1 : -1);
      if (!stops(chart, at.series).includes(at.index)) [at.index] = stops(chart, at.series);
    } else if (event.key === "Home") [at.index] = here;
    else if (event.key === "End") at.index = here[here.length - 1];
    else if (["+", "-", "0"].includes(event.key)) {
      const wanted = { "+": "0.5", "-": "2", 0: "all" }[event.key];
      const button = chart.canvas.closest("[data-chart]").querySelector(`[data-zoom="${wanted}"]`);
      if (button) button.click();
      event.preventDefault();
      return;
    } else return;
    event.preventDefault();
    walkers.set(chart, at);
    point(chart, at);
  };

  const button = (words, label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };
  // Made when it is opened: it may be long.
  const tableOf = (chart) => {
    const box = document.createElement("details");
    box.innerHTML = "<summary>All values as a table</summary>";
    box.addEventListener("toggle", () => {
      box.querySelectorAll("div").forEach((old) => old.remove());
      if (!box.open) return;
      const scroll = document.createElement("div");
      scroll.className = "scroll values";
      scroll.tabIndex = 0;
      const table = scroll.appendChild(document.createElement("table"));
      rowsOf(chart).forEach((row, i) => {
        const line = table.insertRow();
        for (const cell of row) line.appendChild(document.createElement(i === 0 ? "th" : "td")).textContent = String(short(cell));
      });
      box.append(scroll);
    });
    return box;
  };

  for (const [name, chart] of Object.entries(charts)) {
    const card = chart.canvas.closest("[data-chart]");
    const title = titleOf(chart);
    chart.canvas.tabIndex = 0;
    chart.canvas.setAttribute("aria-roledescription", "chart; arrow keys walk along its values");
    chart.canvas.addEventListener("focus", () => chart.canvas.setAttribute("aria-label", describe(chart)));
    chart.canvas.addEventListener("keydown", (event) => walk(chart, event));
    chart.canvas.setAttribute("aria-label", describe(chart));
    card.querySelector(".tools").append(
      button("data", `download the data of ${title} as CSV`, () => saveText(`${name}.csv`, csvOf(chart))),
      button("picture", `download the picture of ${title}`, () => save(`${name}.png`, pictureOf(chart))));
    card.append(tableOf(chart));
  }
  // A table that is wider than the screen says so, until it has been moved.
  document.querySelectorAll(".scroll").forEach((box) => {
    const look = () => box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1 && box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;  // so that keys can move it
    box.addEventListener("scroll", look);
    window.addEventListener("resize", look);
    look();
  });
  Object.assign(window.motley, { csvOf: (name) => csvOf(charts[name]), describe: (name) => describe(charts[name]), pictureOf: (name) => pictureOf(charts[name]) });
})();
