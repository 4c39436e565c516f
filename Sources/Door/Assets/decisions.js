// What was decided, as rows and as lanes: used by Today and by the Day.
import { h, hourAndMinute, midnight, partOfDay, s, when } from "./dom.js";
import { why } from "./words.js";

export const isSaid = (decision) => decision.outcome === "delivered";

const outcomes = { delivered: "Said", deferred: "Waits", suppressed: "Kept quiet" };

/// Rows of one reminder, with the same outcome and reason, so close to each other are one.
const SAME_MS = 15 * 60_000;

const sign = (decision) => isSaid(decision) ? "▲" : "○";

export function decisionRow(decision) {
  const reason = isSaid(decision) ? decision.text : `${why(decision.reason, decision.reason_text)}${decision.until ? `, until ${when(decision.until, decision.at)}` : ""}`;
  return h("li", {},
    h("time", { datetime: decision.at }, hourAndMinute(decision.at)),
    h("span", { class: `sign ${isSaid(decision) ? "said" : "quiet"}`, "aria-hidden": "true" }, sign(decision)),
    h("span", {}, h("b", {}, `${outcomes[decision.outcome] ?? "Dropped"}: `), decision.title ?? decision.reminder,
      decision.times > 1 && h("span", { class: "hint" }, ` · ${decision.times} times since ${hourAndMinute(decision.oldest)}`),
    reason && h("span", { class: "why" }, reason)));
}

export const legend = () => h("ul", { class: "legend" },
  h("li", {}, h("span", { class: "sign of-phone", "aria-hidden": "true" }, "▲ "), "said"),
  h("li", {}, h("span", { "aria-hidden": "true" }, "○ "), "kept quiet"));

const WIDEST = 960, NAME = 20, ROW = 34, MOST_LANES = 8;

/// A lane for each reminder that something was decided about today. The list below says all of it in words.
export function lanes(rows, room, begins = midnight()) {
  const width = Math.min(WIDEST, Math.max(280, room));
  const today = rows.filter((decision) => new Date(decision.at) >= begins);
  const ids = [...new Set(today.map((decision) => decision.reminder))].slice(0, MOST_LANES);
  if (ids.length === 0) return null;
  // By the clock, as the hours below are: the day has one more or one less where the clock is changed.
  const x = (at) => 8 + (width - 16) * partOfDay(at);
  const height = ids.length * ROW + NAME;
  const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24].map((hour) => {
    const at = 8 + (width - 16) * hour / 24;
    return [s("line", { class: "hour", x1: at, x2: at, y1: 0, y2: height - NAME }),
      s("text", { class: "hour-name", x: Math.min(Math.max(at, 10), width - 10), y: height - 5 }, String(hour))];
  });
  const marks = ids.map((id, i) => {
    const mine = today.filter((decision) => decision.reminder === id);
    const y = i * ROW + 25;
    return [s("text", { x: 10, y: i * ROW + 13 }, mine[0].title ?? id), mine.map((decision) => isSaid(decision)
      ? s("path", { class: "said", d: `M${x(decision.at)} ${y - 8}l6 11h-12z` })
      : s("circle", { class: "quiet", cx: x(decision.at), cy: y - 2, r: 4 }))];
  });
  return s("svg", { class: "lanes", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, hours, marks);
}

/// The newest first: what positions that came late have decided stands behind what was decided meanwhile.
export const newestFirst = (decisions) => [...decisions].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));

/// The same silence again and again is one row, with how often it was.
export function merged(decisions) {
  const rows = [];
  // Nobody asked to be told of leaving: that it was not told is no news, but on every way home.
  for (const decision of newestFirst(decisions).filter(({ reason }) => reason !== "exit")) {
    const last = rows.findLast((row) => row.reminder === decision.reminder);
    const isSame = last && !isSaid(decision) && last.outcome === decision.outcome && last.reason === decision.reason
      && Date.parse(last.oldest) - Date.parse(decision.at) <= SAME_MS;
    if (isSame) Object.assign(last, { times: last.times + 1, oldest: decision.at });
    else rows.push({ ...decision, times: 1, oldest: decision.at });
  }
  return rows;
}
