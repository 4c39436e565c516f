// The day so far: the way on a map, stays, and what was said or kept quiet where. The form of the way is that of
// the day view (docs/day-view.md), and so are its signs: a triangle was said, a ring kept quiet.
import * as api from "./api.js";
import { button, far, h, hourAndMinute, put, say } from "./dom.js";
import { decisionRow, isSaid, lanes, legend, merged, newestFirst } from "./decisions.js";
import { PickMap } from "./map.js";

export const title = "Day";

export async function show(root, date) {
  const head = h("div", { class: "row", role: "group", "aria-label": "Which day" });
  const words = h("p", { class: "hint" });
  const map = h("div");
  const rest = h("div");
  root.replaceChildren(head, words, map, rest);
  const state = { map: null, cursor: null };
  const refresh = async () => {
    const [day, places] = await Promise.all([api.read(`/day${date ? `?date=${encodeURIComponent(date)}` : ""}`), api.all("/places")]);
    day.decisions = newestFirst(day.decisions);
    put(head, steps(day, !date));
    const way = decode(day);
    words.textContent = summary(day, way);
    drawMap(state, map, day, way, places);
    render(rest, day);
  };
  await refresh();
  return { refresh, leave: () => state.map?.leave() };
}

const shifted = (date, days) => new Date(Date.parse(`${date}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

function steps(day, isToday) {
  const name = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(`${day.date}T12:00:00Z`));
  return [
    h("a", { class: "button", href: `#day/${shifted(day.date, -1)}`, "data-key": "before" }, "‹ Day before"),
    h("b", {}, isToday ? `Today, ${name}` : name),
    !isToday && h("a", { class: "button", href: "#day", "data-key": "today" }, "Today ›")
  ];
}

/// Columns of differences, as instants and degrees.
export function decode({ track, start }) {
  let [at, lat, lon] = [Date.parse(start), 0, 0];
  return track.at.map((step, i) => {
    at += step * track.unitMilliseconds;
    lat += track.latitude[i];
    lon += track.longitude[i];
    return { at, lat: lat * 1e-6, lon: lon * 1e-6 };
  });
}

/// Where the phone was at an instant: as far between its neighbors as the instant is; null outside the way.
function where(way, at) {
  const i = way.findIndex((point) => point.at >= at);
  if (i < 0) return way.length > 0 && at - way.at(-1).at < 600_000 ? way.at(-1) : null;
  if (i === 0) return way[0].at - at < 600_000 ? way[0] : null;
  const [a, b] = [way[i - 1], way[i]];
  const part = b.at === a.at ? 0 : (at - a.at) / (b.at - a.at);
  return { lat: a.lat + (b.lat - a.lat) * part, lon: a.lon + (b.lon - a.lon) * part };
}

const meters = (a, b) => Math.hypot((a.lat - b.lat) * 111_195, (a.lon - b.lon) * 111_195 * Math.cos(a.lat * Math.PI / 180));

function summary(day, way) {
  const said = day.decisions.filter(isSaid).length;
  const quiet = day.decisions.length - said;
  const counts = `${said} said, ${quiet} kept quiet or put off.`;
  if (way.length === 0) return `${counts} The way is known for today only, from when Near Me was started: it is kept in memory, and nowhere else.`;
  const length = way.slice(1).reduce((sum, point, i) => sum + meters(way[i], point), 0);
  return `${far(length)} of way since ${hourAndMinute(way[0].at)}. ${counts}`;
}

function drawMap(state, box, day, way, places) {
  if (way.length === 0) {
    state.map?.leave();
    state.map = null;
    state.cursor = null;
    box.replaceChildren();
    return;
  }
  // The newest of each reminder has its name: all of them would lie over each other.
  const named = new Map(day.decisions.filter(isSaid).reverse().map((decision) => [decision.reminder, decision]));
  const marks = day.decisions.map((decision) => ({ ...where(way, Date.parse(decision.at)), isSaid: isSaid(decision), decision }))
    .filter((mark) => mark.lat !== undefined)
    .map((mark) => ({ lat: mark.lat, lon: mark.lon, isSaid: mark.isSaid, isQuiet: !mark.isSaid, name: named.get(mark.decision.reminder) === mark.decision ? mark.decision.title : "" }));
  if (!state.map) {
    state.map = new PickMap({ ...way[0], label: "The way of the day", words: "The lists below say the same in words.", hasCross: false, onSize: (map) => map.fit(map.way) });
    state.cursor = new Cursor(state.map);
    box.replaceChildren(state.map.element, state.cursor.element, h("ul", { class: "legend" },
      h("li", {}, h("span", { class: "sign of-phone", "aria-hidden": "true" }, "━ "), "your way; the ring: where you were then"),
      h("li", {}, h("span", { "aria-hidden": "true" }, "▲ "), "said"),
      h("li", {}, h("span", { "aria-hidden": "true" }, "○ "), "kept quiet"),
      h("li", {}, h("span", { class: "sign of-place", "aria-hidden": "true" }, "■ "), "your places")));
  }
  state.map.way = way;
  // What comes first lies on top, and its name has room first.
  state.map.show([...places.map((place) => ({ ...place, isPlace: true })), ...marks.filter((mark) => mark.isSaid), ...marks.filter((mark) => mark.isQuiet)]);
  state.cursor.take(day, way);
  state.map.fit(way);
}

/// A moment of the day: where one was, and what had been said or kept quiet by then. At its end it goes along.
class Cursor {
  constructor(map) {
    this.map = map;
    this.isAtEnd = true;
    this.slider = h("input", { type: "range", step: "1000", "aria-label": "Time of day", "data-key": "cursor", oninput: () => this.move(Number(this.slider.value)) });
    this.words = h("p", { class: "moment" });
    const tool = (label, step) => button(label, () => this.step(step));
    this.element = h("div", {}, h("div", { class: "row cursor" }, tool("‹ Event", -1), this.slider, tool("Event ›", 1)), this.words);
  }

  take(day, way) {
    Object.assign(this, { day, way, first: Math.ceil(way[0].at / 1000) * 1000, last: Math.floor(way.at(-1).at / 1000) * 1000 });
    this.slider.min = this.first;
    this.slider.max = this.last;
    this.move(this.isAtEnd ? this.last : this.at);
  }

  move(at) {
    this.at = Math.min(Math.max(at, this.first), this.last);
    this.isAtEnd = this.at === this.last;
    this.slider.value = this.at;
    this.words.textContent = this.tell();
    this.slider.setAttribute("aria-valuetext", this.words.textContent);
    this.map.show(this.map.marks, where(this.way, this.at) ?? this.way.at(-1));
  }

  /// To what was decided before or after.
  step(direction) {
    const instants = this.day.decisions.map((decision) => Math.ceil(Date.parse(decision.at) / 1000) * 1000)
      .filter((at) => direction > 0 ? at > this.at : at < this.at);
    this.move(direction > 0 ? Math.min(this.last, ...instants) : Math.max(this.first, ...instants));
    say(this.words.textContent);
  }

  tell() {
    const stay = this.day.stays.find(({ from, until }) => Date.parse(from) <= this.at && this.at <= Date.parse(until));
    const place = stay ? stay.place ?? (stay.near ? `by ${stay.near}` : "elsewhere") : "on the way";
    const decision = this.day.decisions.find((one) => Date.parse(one.at) <= this.at);
    const words = decision && `${hourAndMinute(decision.at)} ${isSaid(decision) ? "said" : "kept quiet"}: ${decision.title ?? decision.reminder}`;
    return [hourAndMinute(this.at), place, words].filter(Boolean).join(" · ");
  }
}

function render(box, day) {
  const rows = merged(day.decisions);
  put(box,
    day.stays.length > 0 && h("section", {}, h("h2", {}, "Where you stayed"), h("ol", { class: "stays" }, day.stays.map((stay) => h("li", {},
      h("span", { class: "span" }, `${hourAndMinute(stay.from)} – ${hourAndMinute(stay.until)}`), h("span", {}, stay.place ?? (stay.near ? `By ${stay.near}` : "Elsewhere")))))),
    h("section", {}, h("h2", {}, "Said and kept quiet"), rows.length === 0
      ? h("p", { class: "empty" }, "Nothing was to be decided on this day.")
      : [lanes(day.decisions, box.clientWidth, Date.parse(day.start)), legend(), h("ol", { class: "decisions", "aria-label": "Decisions, newest first" }, rows.map(decisionRow))]));
}
