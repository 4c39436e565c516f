// All reminders: what is next, what is near, what waits and why; with their answers.
import { remove, snoozeFold } from "./answers.js";
import * as api from "./api.js";
import { standing as dailyMail } from "./daily-mail.js";
import { button, far, h, put, say, toast, untilLetGo, warn, when } from "./dom.js";
import { goesAway, swipes } from "./swipe.js";
import { why } from "./words.js";

export const title = "List";

/// So many of those that have ended are shown, the newest, and as many more at each press: they are more each week.
const PAGE = 100;

/// The card that is going away: the list is made anew when it is out of sight.
let leaving = Promise.resolve();

export async function show(root) {
  const filter = { done: false, mailed: false, folded: new Set(), most: PAGE };
  const box = h("div");
  root.replaceChildren(box);
  const refresh = async () => {
    const [live, ended, edits, { folded }] = await Promise.all([
      api.all("/reminders?status=active"), api.pages("/reminders?status=ended", filter.most), api.waiting(), dailyMail()
    ]);
    if (folded) filter.folded = new Set(folded);
    await leaving;
    if (await untilLetGo(box)) return refresh();
    filter.hasOlder = ended.next !== null;
    // One that ends while both are read stands in both.
    const over = ended.items.map((reminder) => ({ ...reminder, isOver: true }));
    const reminders = new Map([...live, ...over].map((reminder) => [reminder.id, reminder]));
    render(box, [...reminders.values()], edits, filter, refresh);
  };
  await refresh();
  return { refresh };
}

/// Which part of the list a reminder belongs to.
function part(reminder) {
  if (reminder.isOver) return "done";
  if (reminder.status === "fired") return "spoken";
  if (reminder.status !== "active") return "done";
  if (reminder.muted || reminder.snoozed_until) return "resting";
  if (reminder.near) return "near";
  return reminder.next ? "next" : "waiting";
}

const parts = [
  ["near", "Near"], ["next", "Next"], ["waiting", "Waiting"], ["resting", "Snoozed and muted"], ["spoken", "Spoke once"]
];

function render(box, reminders, edits, filter, refresh) {
  const gone = new Set(edits.filter((edit) => edit.method === "DELETE").map((edit) => edit.subject));
  const answered = new Map(edits.filter((edit) => edit.method !== "DELETE" && edit.subject).map((edit) => [edit.subject, edit]));
  const fresh = edits.filter((edit) => edit.path === "/remember");
  const seen = reminders.filter((reminder) => !gone.has(`reminder:${reminder.id}`));
  const cardOf = (reminder) => card(reminder, answered.get(`reminder:${reminder.id}`), refresh);
  const isFolded = (reminder) => !["done", "spoken"].includes(part(reminder)) && filter.folded.has(reminder.id);
  const cards = (name) => sorted(name, seen.filter((reminder) => part(reminder) === name && !isFolded(reminder))).map(cardOf);
  const sections = parts.map(([name, words]) => [words, cards(name)])
    .filter(([, items]) => items.length > 0)
    .map(([words, items]) => h("section", {}, h("h2", {}, words), h("ul", { class: "cards pair" }, items)));
  const done = seen.filter((reminder) => part(reminder) === "done");
  put(box,
    fresh.length > 0 && h("section", {}, h("h2", {}, "Not sent yet"), h("ul", { class: "cards pair" }, fresh.map(unsent))),
    sections,
    seen.length + fresh.length === 0 && h("p", { class: "empty" }, ...nothingYet()),
    mailedSection(sorted("next", seen.filter(isFolded)).map(cardOf), filter),
    done.length > 0 && doneSection(done, filter, refresh));
}

/// What is said where there is nothing: by the product's own words, with the way to the field.
function nothingYet() {
  const words = api.productWords("list.empty");
  return words ? [h("a", { href: "#add" }, words)] : ["Nothing to remember yet. ", h("a", { href: "#add" }, "Add something"), "."];
}

/// What was in a daily mail and begins no new day; it is watched as ever.
function mailedSection(items, filter) {
  if (items.length === 0) return null;
  const fold = h("details", { ontoggle: (event) => { filter.mailed = event.target.open; } },
    h("summary", { "data-key": "mailed" }, `Mailed before (${items.length})`), h("ul", { class: "cards pair" }, items));
  fold.open = filter.mailed;
  return fold;
}

/// What comes first stands first; then what is nearer; then by name, so that the order is always the same.
function sorted(name, reminders) {
  const rank = (reminder) => name === "near" ? reminder.near.distance_m ?? 0 : Date.parse(reminder.next?.at ?? "") || Infinity;
  return [...reminders].sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1));
}

const unsent = (edit) => h("li", { class: "card" }, h("h3", {}, edit.body.text),
  h("p", { class: "state" }, "It is sent when Near Me answers again."));

function doneSection(done, filter, refresh) {
  const fold = h("details", { ontoggle: (event) => { filter.done = event.target.open; } },
    h("summary", { "data-key": "done" }, `${endedWords(done)} (${done.length}${filter.hasOlder ? " and more" : ""})`),
    h("ul", { class: "cards pair" }, done.map((reminder) => card(reminder, undefined, refresh))),
    filter.hasOlder && h("div", { class: "row" }, button("Show older ones", () => {
      filter.most += PAGE;
      return refresh();
    }, { "data-key": "older" })));
  fold.open = filter.done;
  return fold;
}

/// What those are called that have ended: not all of them were done.
const endedWords = (ended) => ended.every(({ status }) => status === "completed") ? "Done" : "Done and over";

/// What is to be said of where a reminder stands.
function standing(reminder) {
  if (reminder.status === "fired") return "Spoke once, not done";
  if (reminder.status === "expired") return "Its days are over";
  if (reminder.status !== "active") return reminder.done_at ? `Done ${when(reminder.done_at)}` : "Done";
  if (reminder.muted) return "Muted until you turn it on again";
  if (reminder.snoozed_until === "next-arrival") return "Snoozed until the next arrival";
  if (reminder.snoozed_until) return `Snoozed until ${when(reminder.snoozed_until)}`;
  const said = [];
  if (reminder.near) said.push(`${reminder.near.name ?? "It"}: ${far(reminder.near.distance_m)}`);
  if (reminder.next?.at) said.push(`Next: ${when(reminder.next.at)}`);
  else if (reminder.next?.text) said.push(`Next: ${reminder.next.text}`);
  if (reminder.waits) {
    const until = reminder.waits.until ? `, until ${when(reminder.waits.until)}` : "";
    said.push(`Waits: ${why(reminder.waits.reason, reminder.waits.text)}${until}`);
  }
  if (said.length === 0 && isOfTimes(reminder)) return "Its time is over, and it is not done yet";
  return said.join(". ") || "Waits for its moment";
}

/// Whether nothing but times makes it speak.
const isOfTimes = ({ triggers }) => triggers?.length > 0 && triggers.every((trigger) => trigger.schedule);

/// Whether one of its times comes again; the words say how often.
const recurs = ({ triggers }) => triggers?.some((trigger) => trigger.schedule?.rrule) ?? false;

/// What the sentence says more than the title above it.
function beside({ sentence, title, notes }) {
  // The note stands below.
  const note = `, with the note "${notes}"`;
  const words = notes && sentence?.endsWith(note) ? sentence.slice(0, -note.length) : sentence;
  if (!words || words === title) return null;
  return words.startsWith(`${title}, `) ? words.slice(title.length + 2) : words;
}

const LONG_NOTE = 300;

/// A note; a long one is folded, so that the list stays one.
const noteOf = (notes, key) => notes.length <= LONG_NOTE ? h("p", { class: "hint" }, notes)
  : h("details", {}, h("summary", { "data-key": key }, "Note"), h("p", { class: "hint" }, notes));

function card(reminder, edit, refresh) {
  const key = (name) => ({ "data-key": `${name}-${reminder.id}`, "aria-describedby": `title-${reminder.id}` });
  const hasSpoken = reminder.status === "fired" && !reminder.isOver;
  const isDone = reminder.status !== "active" && !hasSpoken;
  // One answer, until the list is made anew: a card that goes can be pressed and swiped for a while.
  let isAnswered = false;
  const once = (action) => () => {
    if (isAnswered) return null;
    isAnswered = true;
    return action();
  };
  // It goes while the door is told; what the door refuses is there again afterward.
  const complete = once(() => {
    leaving = goesAway(element);
    return answer(reminder, { action: "complete" }, "done", refresh);
  });
  const away = once(() => removeCard(reminder, refresh));
  const buttons = isDone
    // What was never done is not to be opened again. One whose days are over is to be written anew, with days to come.
    ? [reminder.status !== "expired" && button(reminder.status === "fired" ? "Have it again" : "Not done after all",
      () => answer(reminder, { action: "reopen" }, "open again", refresh), key("reopen"))]
    : [
      button("Done", complete, key("done")),
      !hasSpoken && (reminder.muted
        ? button("Unmute", () => answer(reminder, { action: "unmute" }, "on again", refresh), key("unmute"))
        : button("Mute", () => answer(reminder, { action: "mute" }, "muted", refresh), key("mute"))),
      reminder.snoozed_until && button("Wake", () => answer(reminder, { action: "reopen" }, "awake", refresh), key("wake")),
      snoozeFold(reminder.id, `title-${reminder.id}`, (body, words) => answer(reminder, body, words, refresh)),
      h("a", { class: "button", href: `#add/${encodeURIComponent(reminder.id)}`, ...key("edit") }, "Edit")
    ];
  const element = h("li", { class: `card${isDone ? " done" : ""}${edit ? " going" : ""}` },
    h("h3", { id: `title-${reminder.id}` }, reminder.title),
    beside(reminder) && h("p", {}, beside(reminder)),
    reminder.notes && noteOf(reminder.notes, `note-${reminder.id}`),
    h("p", { class: "state" }, recurs(reminder) && h("span", { "aria-hidden": "true" }, "↻ "),
      edit ? `${edit.words}; it is sent when Near Me answers again` : standing(reminder)),
    h("div", { class: "row" }, buttons, button("Delete", away, { class: "danger", ...key("delete") })));
  swipes(element, { right: isDone ? null : complete, left: away });
  return element;
}

/// Answers a reminder, now or when the door is reached.
export async function answer(reminder, body, words, refresh) {
  warn("");
  try {
    const { isWaiting } = await api.edit("POST", `/reminders/${encodeURIComponent(reminder.id)}/answers`, body,
      { subject: `reminder:${reminder.id}`, words: `${reminder.title}: ${words}` });
    say(isWaiting ? `${reminder.title}: ${words}, to be sent` : `${reminder.title}: ${words}`);
    if (body.action === "complete" && !isWaiting) {
      toast(`Done: ${reminder.title}`, "Undo", () => answer(reminder, { action: "reopen" }, "open again", refresh));
    }
  } catch (refusal) {
    warn(refusal.message);
  }
  await refresh();
}

const removeCard = (reminder, refresh) => remove({
  path: `/reminders/${encodeURIComponent(reminder.id)}`, subject: `reminder:${reminder.id}`, etag: reminder.etag, title: reminder.title
}, refresh, () => document.querySelector(`[data-key="${CSS.escape(`delete-${reminder.id}`)}"]`)?.focus());
