// The page of a day: one instant that all parts show.

document.title = `${report.title.slice(0, 80)} · Near Me`;

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const scheme = matchMedia("(prefers-color-scheme: dark)");
const speeds = [1, 10, 60, 300, 1800];

const page = { ms: day.start, isPlaying: false, speed: 60, asked: null };

// MARK: The frame

const button = (label, text, click, attributes = {}) =>
  h("button", { type: "button", "aria-label": label, title: label, click, ...attributes }, text);

const play = button("Play (space)", "▶", () => toggle());
const speedChoice = h("select", { "aria-label": "Speed of playing", change: () => { page.speed = Number(speedChoice.value); } },
  ...speeds.map((speed) => h("option", { value: speed, selected: speed === page.speed }, `${speed}×`)));
const time = h("output", { class: "time", id: "time", "aria-live": "off" });
const tableButton = button("The day as a table of sentences (t)", "Table", () => toggleTable(), { "aria-expanded": "false", "aria-controls": "table" });
const mapBox = h("div", { id: "map", role: "application", "aria-label": "Map of the day. Arrow keys move it, plus and minus scale it. What is near stands as buttons under Moment." });
const phoneBox = h("div", { class: "screen", id: "phone" });
const momentBox = h("div", { id: "moment" });
const whyBox = h("div", { id: "why" });
const canvas = h("canvas", { "aria-hidden": "true" });
const cursor = h("div", { class: "cursor" });
const lanesBox = h("div", { id: "lanes", role: "slider", tabindex: "0", "aria-label": "Time line",
  "aria-valuemin": "0", "aria-valuemax": String(Math.round((day.end - day.start) / 1000)) }, canvas, cursor);
const laneLabels = h("div", { class: "lane-labels" }, ...report.reminders.map((reminder, i) =>
  h("button", { type: "button", class: "lane-label", style: `top:${headHeight + i * laneHeight + 4}px`,
    click: () => ask({ reminder: reminder.id, ms: page.ms }) }, name(reminder.title.slice(0, 120)))));
const tableBox = h("section", { id: "table", hidden: true, "aria-label": "The day as sentences" });

function glyph(draw) {
  const picture = h("canvas", { width: 48, height: 40, class: "glyph", "aria-hidden": "true" });
  page.glyphs = [...(page.glyphs ?? []), () => {
    const pen = picture.getContext("2d");
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.clearRect(0, 0, 24, 20);
    draw(pen, colors());
  }];
  return picture;
}

function legend(...entries) {
  return h("ul", { class: "legend" }, ...entries.map(([draw, text]) => h("li", {}, glyph(draw), text)));
}

function circleGlyph(kind, dash, width) {
  return (pen, c) => {
    pen.setLineDash(dash);
    pen.lineWidth = width;
    pen.strokeStyle = c[kind];
    pen.beginPath();
    pen.arc(12, 10, 7, 0, 7);
    pen.stroke();
  };
}

function lineGlyph(color, width, dash = []) {
  return (pen, c) => {
    pen.setLineDash(dash);
    pen.lineWidth = width;
    pen.strokeStyle = c[color];
    pen.beginPath();
    pen.moveTo(2, 10);
    pen.lineTo(22, 10);
    pen.stroke();
  };
}

const mapLegend = legend(
  [(pen, c) => house(pen, 12, 10, c.place, c.paper), "own place"],
  [(pen, c) => diamond(pen, 12, 10, 6, c.poi, c.paper), "point of interest"],
  [(pen, c) => speech(pen, 2, 21, c.note, c.ink), "notification"],
  [circleGlyph("enter", [], 1.75), "wakes on coming in"], [circleGlyph("exit", [4, 3], 1.75), "on going out"],
  [circleGlyph("safe", [], 3), "safe circle: outside it nothing needs a region"],
  [circleGlyph("accent", [2, 3], 1.25), "rings that are near"],
  [(pen, c) => speedSteps.forEach(([, color], i) => { pen.fillStyle = c[color]; pen.fillRect(2 + i * 4, 7, 4, 6); }), "slow to fast"],
  [lineGlyph("unseen", 1.5), "the app slept"]
);

const laneLegend = legend(
  [lineGlyph("accent", 1.5), "rings deep"], [lineGlyph("belief", 1.25, [2, 2]), "probability of being there"],
  [(pen, c) => mark(pen, "delivered", 12, 10, c.good), "told"], [(pen, c) => mark(pen, "deferred", 12, 10, c.warn), "put off"],
  [(pen, c) => mark(pen, "suppressed", 12, 10, c.dim), "silent"],
  ...(report.truth ? [
    [(pen, c) => { pen.fillStyle = c.good; pen.fillRect(3, 7, 18, 6); }, "true visit, told"],
    [(pen, c) => { pen.strokeStyle = c.bad; pen.lineWidth = 1.5; pen.strokeRect(3.5, 7.5, 17, 5); }, "true visit, missed"],
    [(pen, c) => mark(pen, "untrue", 12, 10, c.bad), "told, not true"]
  ] : [])
);

show(
  h("header", {},
    h("h1", {}, name(report.title.slice(0, 400))),
    h("p", { class: "what" }, `${wall(day.start).slice(0, 16)} to ${wall(day.end).slice(0, 16)}, ${report.zone.name}. Phone: ${report.service}.`),
    h("div", { class: "controls", role: "group", "aria-label": "Time" },
      button("To the event before (←)", "|◀", () => step(-1)), play, button("To the next event (→)", "▶|", () => step(1)),
      time, speedChoice,
      button("Zoom the time line out (−)", "−", () => zoom(1 / 2)), button("Zoom the time line in (+)", "+", () => zoom(2)),
      tableButton)),
  h("main", {},
    h("section", { class: "map-part", "aria-label": "Map" }, mapBox, mapLegend),
    h("section", { class: "phone-part", "aria-labelledby": "phone-head" }, h("h2", { id: "phone-head" }, "The phone"), phoneBox),
    h("section", { class: "moment-part", "aria-labelledby": "moment-head" }, h("h2", { id: "moment-head" }, "Moment"), momentBox),
    h("section", { class: "why-part", "aria-labelledby": "why-head" }, h("h2", { id: "why-head" }, "Why"), whyBox),
    h("section", { class: "lanes-part", "aria-label": "Time line" },
      h("div", { class: "lanes-frame" }, lanesBox, laneLabels), laneLegend),
    tableBox,
    h("section", { class: "numbers-part", "aria-labelledby": "numbers-head" }, h("h2", { id: "numbers-head" }, "The day in numbers"), numbers(),
      report.pointsLeftOut > 0 ? h("p", {}, `${report.pointsLeftOut} more points, farther from the way, are not drawn.`) : null)),
  h("footer", {}, "Made by nearme replay. ← → event, shift a minute, space play, + − zoom, t table. ",
    "Map data © OpenStreetMap contributors, ODbL 1.0, where the cache was built from it.")
);

const lanes = new Lanes(canvas, cursor);
const dayMap = buildMap(mapBox, (hit) => {
  if (hit.bubble) {
    goTo(hit.bubble.at);
    ask({ reminder: hit.bubble.lines[0].reminder, ms: hit.bubble.at });
  } else if (hit.spot) {
    ask({ spot: hit.spot, ms: page.ms, reminder: remindersAbout(hit.spot)[0]?.id });
  } else if (hit.ms !== undefined) {
    goTo(hit.ms);
  }
});
if (!dayMap) {
  mapBox.append(h("p", { class: "empty" }, "Leaflet was not found when this page was made, so it has no map."));
}

// MARK: The instant

let isDue = false;
let lastPanels = 0;

/// Shows an instant; what is drawn is drawn once for each frame.
function goTo(ms) {
  page.ms = Math.max(day.start, Math.min(day.end, ms));
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(draw);
}

function draw(now) {
  isDue = false;
  page.frames = (page.frames ?? 0) + 1;
  lanes.moveTo(page.ms);
  dayMap?.layer.show(page.ms, page.asked ?? {});
  time.textContent = wall(page.ms);
  // Words need not change sixty times in a second.
  const isQuick = page.isPlaying || page.isScrubbing;
  if (!isQuick || now - lastPanels > 120) {
    lastPanels = now;
    panels();
  } else {
    clearTimeout(page.late);
    page.late = setTimeout(panels, 150);
  }
}

function panels() {
  phoneBox.replaceChildren(...phone(page.ms, ask));
  momentBox.replaceChildren(...moment(page.ms, ask).filter((node) => node !== null));
  const text = `${wall(page.ms)}, ${screenAt(page.ms).length} notifications on the screen`;
  lanesBox.setAttribute("aria-valuenow", String(Math.round((page.ms - day.start) / 1000)));
  lanesBox.setAttribute("aria-valuetext", text);
  // The link follows when the hand rests.
  clearTimeout(page.link);
  page.link = setTimeout(() => {
    const link = `#t=${new Date(page.ms).toISOString().replace(".000Z", "Z")}`;
    if (location.hash !== link) history.replaceState(null, "", link);
  }, 200);
}

/// Says why, or why not.
function ask(asked) {
  page.asked = asked;
  if (asked.moves) goTo(asked.ms);
  const hadFocus = whyBox.contains(document.activeElement) && document.activeElement.id;
  whyBox.replaceChildren(...why(asked, ask).filter((node) => node !== null));
  if (hadFocus) document.getElementById(hadFocus)?.focus();
  lanes.selected = asked.reminder ?? null;
  lanes.draw();
  goTo(page.ms);
}

function step(direction) {
  const i = lastUpTo(eventTimes, page.ms);
  const next = direction > 0 ? i + 1 : eventTimes[i] < page.ms ? i : i - 1;
  goTo(eventTimes[Math.max(0, Math.min(eventTimes.length - 1, next))]);
}

function zoom(factor) {
  lanes.zoom(factor, page.ms);
  lanes.moveTo(page.ms);
}

// MARK: Playing

function toggle() {
  page.isPlaying = !page.isPlaying;
  if (page.isPlaying && page.ms >= day.end) goTo(day.start);
  play.textContent = page.isPlaying ? "▮▮" : "▶";
  play.setAttribute("aria-pressed", String(page.isPlaying));
  page.last = undefined;
  if (page.isPlaying) (calm.matches ? stepOn() : requestAnimationFrame(tick));
}

function tick(now) {
  if (!page.isPlaying) return;
  if (page.last !== undefined) goTo(page.ms + Math.min(200, now - page.last) * page.speed);
  page.last = now;
  if (page.ms >= day.end) toggle(); else requestAnimationFrame(tick);
}

/// For those who do not want motion: from event to event, one a second.
function stepOn() {
  if (!page.isPlaying) return;
  step(1);
  if (page.ms >= day.end) toggle(); else setTimeout(stepOn, 1000);
}

function toggleTable() {
  if (tableBox.childElementCount === 0) tableBox.append(sentences((ms) => goTo(ms)));
  tableBox.hidden = !tableBox.hidden;
  tableButton.setAttribute("aria-expanded", String(!tableBox.hidden));
  if (!tableBox.hidden) tableBox.scrollIntoView({ block: "nearest" });
}

// MARK: Hands

lanesBox.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  lanesBox.setPointerCapture(event.pointerId);
  page.isScrubbing = true;
  page.isStill = true;
  goTo(lanes.instant(event.offsetX));
});
lanesBox.addEventListener("pointermove", (event) => {
  if (!page.isScrubbing) return;
  page.isStill = false;
  goTo(lanes.instant(event.clientX - lanesBox.getBoundingClientRect().left));
});
for (const end of ["pointerup", "pointercancel"]) {
  lanesBox.addEventListener(end, (event) => {
    if (!page.isScrubbing) return;
    page.isScrubbing = false;
    const reminder = lanes.laneAt(event.clientY - lanesBox.getBoundingClientRect().top);
    if (end === "pointerup" && reminder) ask({ reminder: reminder.id, ms: page.ms }); else goTo(page.ms);
  });
}
lanesBox.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  lanes.zoom(event.deltaY < 0 ? 1.25 : 0.8, lanes.instant(event.offsetX));
  lanes.moveTo(page.ms);
}, { passive: false });

const keys = {
  ArrowLeft: (event) => (event.shiftKey ? goTo(page.ms - 60000) : step(-1)),
  ArrowRight: (event) => (event.shiftKey ? goTo(page.ms + 60000) : step(1)),
  Home: () => goTo(day.start), End: () => goTo(day.end),
  " ": () => toggle(), "+": () => zoom(2), "=": () => zoom(2), "-": () => zoom(1 / 2), t: () => toggleTable(),
  Enter: (event) => {
    if (event.target === lanesBox) ask({ reminder: page.asked?.reminder ?? report.reminders[0]?.id, ms: page.ms });
  }
};
document.addEventListener("keydown", (event) => {
  const inside = (selector) => event.target instanceof Element && event.target.closest(selector);
  if (event.ctrlKey || event.metaKey || event.altKey || inside("select, input")) return;
  if (inside("#map") && event.key !== "t") return;
  if ((event.key === " " || event.key === "Enter") && inside("button, summary")) return;
  const key = keys[event.key];
  if (!key) return;
  key(event);
  if (event.key !== "Enter") event.preventDefault();
});

function fromLink() {
  const found = /[#&]t=([^&]+)/.exec(location.hash);
  const ms = found ? Date.parse(decodeURIComponent(found[1])) : NaN;
  if (Number.isNaN(ms)) return false;
  goTo(ms);
  const reminder = /[#&]r=([^&]+)/.exec(location.hash);
  if (reminder) ask({ reminder: decodeURIComponent(reminder[1]), ms });
  return true;
}
addEventListener("hashchange", fromLink);

// MARK: The first picture

function redraw() {
  lanes.resize();
  for (const draw of page.glyphs ?? []) draw();
  dayMap?.map.invalidateSize({ animate: false });
  dayMap?.layer.drawAll();
  lanes.moveTo(page.ms);
}

scheme.addEventListener("change", redraw);
let resizing;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(redraw, 60);
});
addEventListener("beforeprint", () => {
  if (tableBox.hidden) toggleTable();
  redraw();
});

dayMap?.layer.fit();
redraw();
// Where a day is opened without a moment, it is the first one at which something was told.
if (!fromLink()) goTo(day.notifications[0]?.ms ?? day.start);
if (!page.asked) {
  const told = day.decisions.filter((line) => line.outcome === "delivered")
    .sort((a, b) => Math.abs(a.ms - page.ms) - Math.abs(b.ms - page.ms))[0];
  ask({ reminder: told?.reminder ?? report.reminders[0]?.id, ms: page.ms });
}
document.documentElement.dataset.ready = "true";

// For measurements and tests: nothing else of the page is seen from outside.
globalThis.dayPage = { page, goTo, ask, zoom, lanes, map: dayMap, track: day.track };
