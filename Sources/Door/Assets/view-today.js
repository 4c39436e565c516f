// Today: what is on the screen, and what was said or kept quiet, newest first.
import { snoozeFold } from "./answers.js";
import * as api from "./api.js";
import { button, h, hourAndMinute, put, s, say, toast, warn } from "./dom.js";
import { why } from "./words.js";

export const title = "Today";

const PAGE = 100;

export async function show(root) {
  const news = h("div");
  const day = h("div");
  root.replaceChildren(news, day);
  const refresh = async () => {
    const [notifications, page, edits] = await Promise.all([
      api.read("/notifications"), api.read(`/decisions?limit=${PAGE}`), api.waiting()
    ]);
    renderNews(news, notifications.items ?? [], edits, refresh);
    renderDay(day, page);
  };
  await refresh();
  return { refresh };
}

function renderNews(box, notifications, edits, refresh) {
  const pressed = new Map(edits.filter((edit) => edit.subject?.startsWith("notification:")).map((edit) => [edit.subject, edit]));
  put(box, h("h2", {}, "On the screen"), notifications.length === 0
    ? h("p", { class: "empty" }, "Nothing now. It speaks when a place or a time comes.")
    : h("ul", { class: "cards" }, notifications.map((notification) =>
      card(notification, pressed.get(`notification:${notification.id}`), refresh))));
}

function card(notification, edit, refresh) {
  const id = `news-${notification.id}`;
  const lines = notification.lines ?? [{ text: notification.text, reminder: notification.reminders?.[0] }];
  return h("li", { class: `card news${edit ? " going" : ""}` },
    h("p", { class: "kind" }, [notification.kind, hourAndMinute(notification.at)].filter(Boolean).join(" · ")),
    edit && h("p", { class: "state" }, `${edit.words}; it is sent when Near Me answers again`),
    lines.map((line, i) => h("div", {},
      h("h3", { id: `${id}-${i}` }, line.text),
      !edit && h("div", { class: "row" }, buttons(notification, line, `${id}-${i}`, refresh)))));
}

function buttons(notification, line, id, refresh) {
  const press = (body, words) => answer(notification, { reminder: line.reminder, ...body }, `${line.text}: ${words}`, refresh);
  const extra = (name) => ({ "data-key": `${name}-${id}`, "aria-describedby": id });
  return [
    button("Done", () => press({ action: "complete" }, "done"), { class: "first", ...extra("done") }),
    snoozeFold(id, id, press),
    button("Mute", () => press({ action: "mute" }, "muted"), extra("mute")),
    line.position && h("a", {
      class: "button", href: `geo:${line.position.lat},${line.position.lon}`, "aria-describedby": id
    }, "Open map"),
    button("Take away", () => press({ action: "dismiss" }, "taken away"), extra("dismiss"))
  ];
}

async function answer(notification, body, words, refresh) {
  warn("");
  try {
    const { isWaiting } = await api.edit("POST", `/notifications/${encodeURIComponent(notification.id)}/answers`, body,
      { subject: `notification:${notification.id}`, words });
    say(isWaiting ? `${words}, to be sent` : words);
    if (body.action === "complete" && !isWaiting && body.reminder) {
      toast(words, "Undo", async () => {
        await api.edit("POST", `/reminders/${encodeURIComponent(body.reminder)}/answers`, { action: "reopen" }, { words: "Undo" });
        await refresh();
      });
    }
  } catch (refusal) {
    warn(refusal.status === 409 || refusal.status === 410 ? "That was answered already." : refusal.message);
  }
  await refresh();
}

const isSaid = (decision) => decision.outcome === "delivered";

const outcomes = { delivered: "Said", deferred: "Waits", suppressed: "Kept quiet" };

function renderDay(box, page) {
  const rows = page.items ?? [];
  const list = h("ol", { class: "decisions", "aria-label": "Decisions, newest first" }, rows.map(row));
  let next = page.next ?? null;
  const more = button("Earlier", async () => {
    const earlier = await api.read(`/decisions?limit=${PAGE}&after=${encodeURIComponent(next)}`);
    list.append(...(earlier.items ?? []).map(row));
    next = earlier.next ?? null;
    more.hidden = !next;
    say(`${(earlier.items ?? []).length} more`);
  });
  more.hidden = !next;
  put(box, h("h2", {}, "The day so far"), rows.length === 0
    ? h("p", { class: "empty" }, "Nothing was to be decided yet. When a phone reports where it is, it says here what came of it.")
    : [lanes(rows, box.clientWidth), legend(), list, more]);
}

const sign = (decision) => isSaid(decision) ? "▲" : "○";

function row(decision) {
  const reason = isSaid(decision) ? decision.text : `${why(decision.reason, decision.reason_text)}${decision.until ? `, until ${hourAndMinute(decision.until)}` : ""}`;
  return h("li", {},
    h("time", { datetime: decision.at }, hourAndMinute(decision.at)),
    h("span", { class: `sign ${isSaid(decision) ? "said" : "quiet"}`, "aria-hidden": "true" }, sign(decision)),
    h("span", {}, h("b", {}, `${outcomes[decision.outcome] ?? "Dropped"}: `), decision.title ?? decision.reminder,
      reason && h("span", { class: "why" }, reason)));
}

const legend = () => h("ul", { class: "legend" },
  h("li", {}, h("span", { class: "sign of-phone", "aria-hidden": "true" }, "▲ "), "said"),
  h("li", {}, h("span", { "aria-hidden": "true" }, "○ "), "kept quiet"));

const WIDEST = 960, NAME = 20, ROW = 34, MOST_LANES = 8;

/// A lane for each reminder that something was decided about today. The list below says all of it in words.
function lanes(rows, room) {
  const width = Math.min(WIDEST, Math.max(280, room));
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const today = rows.filter((decision) => new Date(decision.at) >= midnight);
  const ids = [...new Set(today.map((decision) => decision.reminder))].slice(0, MOST_LANES);
  if (ids.length === 0) return null;
  const length = 86_400_000;
  const x = (at) => 8 + (width - 16) * Math.min(1, (new Date(at) - midnight) / length);
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
