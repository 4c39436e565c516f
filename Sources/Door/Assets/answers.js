// The answers beside "done" and "mute", folded away until they are wanted; and what is deleted, with its undo.
import * as api from "./api.js";
import { button, endToast, h, hourAndMinute, plural, say, toast } from "./dom.js";
import { snoozes } from "./words.js";

/// "Snooze …", which opens to the choices of the engine and a field for minutes, up to the hour that it takes by default.
/// "Next arrival" is among them where `hasArrival`: of what asks for none, it would never come.
export function snoozeFold(id, about, press, hasArrival = true) {
  const minutes = h("input", { type: "number", min: 1, max: 60, required: true, value: "15", inputmode: "numeric", "data-key": `minutes-${id}`, "aria-label": "Minutes" });
  const snooze = (event, body, words) => {
    event.target.closest("details").open = false;
    press(body, `snoozed (${words})`);
  };
  const snoozeByMinutes = (event) => {
    event.preventDefault();
    const count = minutes.valueAsNumber;
    snooze(event, { action: "snooze", for_s: 60 * count }, plural(count, "minute"));
  };
  return h("details", { class: "choices" },
    h("summary", { "data-key": `snooze-${id}`, "aria-describedby": about }, "Snooze"),
    h("div", { class: "row" }, snoozes.filter(({ body }) => hasArrival || body.until !== "next-arrival").map((choice) => button(choice.label,
      (event) => snooze(event, choice.body, choice.label.toLowerCase()), { "aria-describedby": about }))),
    h("form", { class: "row", onsubmit: snoozeByMinutes }, minutes, h("button", { "aria-describedby": about }, "Snooze so many minutes")));
}

/// So long may a deletion be taken back.
const UNDO_SECONDS = 20;

/// What is going and can be taken back, oldest first: {key, title, takeBack, back}.
const going = [];

/// Deletes something in a while, or when the page is left. Until the door has done so it is said that it goes, and no
/// more: it may still speak. `back` is called when it was taken back.
export async function remove({ path, subject, etag, title }, refresh, back = () => {}) {
  const { key, takeBack } = await api.editAfter(UNDO_SECONDS, "DELETE", path, undefined, { subject, etag, words: `Delete ${title}` });
  const until = Date.now() + UNDO_SECONDS * 1000;
  going.push({ key, title, until, takeBack, refresh, back });
  showGoing();
  say(`Deleting: ${title}. It can be taken back until ${hourAndMinute(until)}.`);
  await refresh();
  document.querySelector("#toast [data-going] button")?.focus();
}

function showGoing() {
  if (going.length === 0) return endToast("going");
  const seconds = (going.at(-1).until - Date.now()) / 1000;
  const words = going.length > 1 ? "Undo all" : "Undo";
  toast(`Deleting: ${going.map(({ title }) => title).join(", ")}`, words, takeAllBack, seconds, "going").dataset.going = "";
}

async function takeAllBack() {
  const all = going.splice(0);
  const kept = [];
  for (const one of all) if (await one.takeBack()) kept.push(one);
  const gone = all.filter((one) => !kept.includes(one));
  say([[kept, "back again."], [gone, "deleted already."]].filter(([some]) => some.length > 0)
    .map(([some, words]) => `${some.map(({ title }) => title).join(", ")}: ${words}`).join(" "));
  for (const refresh of new Set(all.map((one) => one.refresh))) await refresh();
  kept.at(-1)?.back();
}

api.on("settled", ({ key, isDone }) => {
  const i = going.findIndex((one) => one.key === key);
  if (i < 0) return;
  const [{ title }] = going.splice(i, 1);
  if (isDone) say(`Deleted: ${title}.`);
  showGoing();
});
