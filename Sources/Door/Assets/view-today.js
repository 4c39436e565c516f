// Today: what is on the screen, and what was said or kept quiet, newest first.
import { snoozeFold } from "./answers.js";
import * as api from "./api.js";
import { decisionRow, lanes, legend, merged } from "./decisions.js";
import { button, h, hourAndMinute, midnight, put, say, toast, untilLetGo, warn } from "./dom.js";
import { kindOf } from "./words.js";

export const title = "Today";

const PAGE = 100, SHOWN = 8;

export async function show(root) {
  const news = h("div");
  const day = h("div");
  const begin = h("div");
  root.replaceChildren(begin, news, day);
  const refresh = async () => {
    const [notifications, page, edits] = await Promise.all([
      api.read("/notifications"), api.read(`/decisions?limit=${PAGE}`), api.waiting()
    ]);
    const isEmpty = (notifications.items ?? []).length + (page.items ?? []).length === 0;
    const missing = isEmpty && await beginning();
    if (await untilLetGo(root)) return refresh();
    put(begin, missing);
    renderNews(news, notifications.items ?? [], edits, refresh);
    renderDay(day, page);
  };
  await refresh();
  return { refresh };
}

/// What is still missing before it can say anything; nothing where all is there.
async function beginning() {
  const [places, phones, reminders] = await Promise.all([api.all("/places"), api.all("/phones"), api.read("/reminders?limit=1")]);
  const steps = [
    [places.some((place) => place.kind === "home"), "#places", "Say where home is"],
    [phones.some((phone) => phone.last_seen), "#phones", "Add a phone, so that it knows where you are"],
    [(reminders.items ?? []).length > 0, "#add", "Add something to remember"]
  ];
  if (steps.every(([isDone]) => isDone)) return null;
  return [h("h2", {}, "To get going"), h("ul", { class: "todo" }, steps.map(([isDone, link, words]) => h("li", {},
    h("span", { class: isDone ? "good" : "hint", "aria-hidden": "true" }, isDone ? "✓" : "○"),
    isDone ? h("span", { class: "hint" }, words, h("span", { class: "unseen" }, " (done)")) : h("a", { href: link }, words)))),
  h("p", {}, h("a", { href: "#welcome" }, "See the introduction"))];
}

function renderNews(box, notifications, edits, refresh) {
  const pressed = new Map(edits.filter((edit) => edit.subject?.startsWith("notification:")).map((edit) => [edit.subject, edit]));
  put(box, h("h2", {}, "On the screen"), notifications.length === 0
    ? h("p", { class: "empty" }, "Nothing now. It speaks when a place or a time comes.")
    : h("ul", { class: "cards pair" }, notifications.map((notification) =>
      card(notification, pressed.get(`notification:${notification.id}`), refresh))));
}

function card(notification, edit, refresh) {
  const id = `news-${notification.id}`;
  const lines = notification.lines ?? [{ text: notification.text, reminder: notification.reminders?.[0] }];
  return h("li", { class: `card news${edit ? " going" : ""}` },
    h("p", { class: "kind", id }, [kindOf(notification.kind), hourAndMinute(notification.at)].filter(Boolean).join(" · ")),
    !edit && button("×", () => answer(notification, { action: "dismiss" }, "Taken away", refresh), {
      class: "away", title: "Take away", "aria-label": "Take away", "aria-describedby": id, "data-key": `dismiss-${id}`
    }),
    edit && h("p", { class: "state" }, `${edit.words}; it is sent when Near Me answers again`),
    lines.map((line, i) => h("div", { class: "line" },
      h("h3", { id: `${id}-${i}` }, line.text),
      !edit && h("div", { class: "row" }, buttons(notification, line, `${id}-${i}`, refresh)))));
}

function buttons(notification, line, id, refresh) {
  const press = (body, words) => answer(notification, { reminder: line.reminder, ...body }, `${line.text}: ${words}`, refresh);
  const extra = (name) => ({ "data-key": `${name}-${id}`, "aria-describedby": id });
  return [
    button("Done", () => press({ action: "complete" }, "done"), { class: "first", ...extra("done") }),
    snoozeFold(id, id, press, Boolean(line.tier)),
    button("Mute", () => press({ action: "mute" }, "muted"), extra("mute")),
    line.position && h("a", {
      class: "button", href: `geo:${line.position.lat},${line.position.lon}`, "aria-describedby": id
    }, "Map")
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

/// The newest of today; the Day has all of it, with the map.
function renderDay(box, page) {
  const begins = midnight();
  const rows = (page.items ?? []).filter((decision) => Date.parse(decision.at) >= begins);
  put(box, h("h2", {}, "The day so far"), rows.length === 0
    ? h("p", { class: "empty" }, "Nothing was to be decided yet today. When a phone reports where it is, it says here what came of it.")
    : [lanes(rows, box.clientWidth), legend(), h("ol", { class: "decisions", "aria-label": "Decisions, newest first" }, merged(rows).slice(0, SHOWN).map(decisionRow))],
  h("p", {}, h("a", { class: "button", href: "#day", "data-key": "day" }, "The whole day, with its map")));
}
