// Elements, words for ears, and times as people say them.

const SVG = "http://www.w3.org/2000/svg";

/// An element with attributes, handlers ("onclick") and children; null and false children are left out.
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for drawings.
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/// Replaces what an element holds. Who stood on a key ("data-key") stands there again, and what was folded open
/// stays open, as a number stays that is being typed: news must not take away what somebody is about to press.
export function put(element, ...children) {
  const active = document.activeElement;
  const key = element.contains(active) ? active.dataset.key : undefined;
  const open = [...element.querySelectorAll("details[open] > summary[data-key]")].map((summary) => summary.dataset.key);
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  for (const name of open) keyed(element, name)?.parentElement.setAttribute("open", "");
  const again = key === undefined ? null : keyed(element, key);
  if (again?.type === "number") again.value = active.value;
  again?.focus();
}

/// What is pressed now, by the pointer's id.
const presses = new Map();
const waiting = [];

/// The click comes a moment after the finger has left.
const CLICK_MS = 50;

/// A press whose end never comes, as where a menu opens above it, holds nothing longer than this.
const LONGEST_PRESS_MS = 10_000;

/// Waits until nothing in an element is pressed, for a press or a swipe on what is replaced meanwhile would do nothing.
/// Answers whether it had to: then what was read before is old.
export async function untilLetGo(element) {
  let hasWaited = false;
  while ([...presses.values()].some(({ target }) => element.contains(target))) {
    hasWaited = true;
    await new Promise((go) => waiting.push(go));
  }
  return hasWaited;
}

function letGo(id, press) {
  if (presses.get(id) !== press) return;
  presses.delete(id);
  for (const go of waiting.splice(0)) go();
}

addEventListener("pointerdown", ({ pointerId, target }) => {
  const press = { target };
  presses.set(pointerId, press);
  setTimeout(letGo, LONGEST_PRESS_MS, pointerId, press);
}, true);
for (const name of ["pointerup", "pointercancel"]) {
  addEventListener(name, ({ pointerId }) => setTimeout(letGo, CLICK_MS, pointerId, presses.get(pointerId)), true);
}

function letGoOfAll() {
  for (const [id, press] of [...presses]) letGo(id, press);
}

addEventListener("blur", letGoOfAll);
// A menu above the page was chosen from, which may keep the end of the press to itself.
addEventListener("change", ({ target }) => { if (target.matches("select")) letGoOfAll(); });

const keyed = (element, key) => element.querySelector(`[data-key="${CSS.escape(key)}"]`);

/// Says something to those who listen, without moving the focus.
export function say(text) {
  const news = document.getElementById("news");
  news.textContent = "";
  requestAnimationFrame(() => { news.textContent = text; });
}

/// Says at once what went wrong; an empty text takes it away.
export function warn(text) {
  const alert = document.getElementById("alert");
  alert.textContent = text;
  alert.hidden = text === "";
}

/// The lines at the foot, by name.
const toasts = new Map();

/// Shows a line at the foot, with a button where there is something to take back. It takes the place of the one of its
/// name, and of no other: that one may still be taken back.
export function toast(text, label, action, seconds = 20, name = "") {
  const box = document.getElementById("toast");
  const isFocused = toasts.get(name)?.line.contains(document.activeElement);
  endToast(name);
  const press = () => { endToast(name); action(); };
  const pressed = label ? h("button", { type: "button", onclick: press }, label) : null;
  const line = h("div", {}, h("span", {}, text), pressed);
  box.hidden = false;
  box.append(line);
  toasts.set(name, { line, timer: setTimeout(endToast, seconds * 1000, name) });
  if (isFocused) pressed?.focus();
  return line;
}

/// Takes the line of a name away.
export function endToast(name = "") {
  const shown = toasts.get(name);
  if (!shown) return;
  clearTimeout(shown.timer);
  shown.line.remove();
  toasts.delete(name);
  document.getElementById("toast").hidden = toasts.size === 0;
}

let names = 0;

/// A label and its field.
export function field(label, input, hint) {
  names += 1;
  input.id ||= `field-${names}`;
  const parts = [h("label", { for: input.id }, label), input];
  if (hint) {
    const note = h("p", { class: "hint", id: `${input.id}-hint` }, hint);
    input.setAttribute("aria-describedby", note.id);
    parts.push(note);
  }
  return h("div", {}, parts);
}

/// A box to tick and its words.
export const tick = (label, input) => h("label", { class: "tick" }, input, h("span", {}, label));

export const button = (label, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, label);

/// What a form or a button does, once at a time: until that is done its button is disabled, or a second tap on a slow line
/// would make a thing twice. The focus is where it was, if that is still there.
export function once(work) {
  return async (event) => {
    event.preventDefault();
    const origin = event.currentTarget;
    const press = origin.matches("form") ? origin.querySelector("button[type=submit]") : origin;
    if (press.disabled) return;
    const active = document.activeElement;
    press.disabled = true;
    try {
      await work(event);
    } finally {
      press.disabled = false;
      if (document.activeElement === document.body && active.isConnected) active.focus();
    }
  };
}

let clock, day, dayOfAYear, fullDay, seconds;
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/// Has all times be those of a zone, as sentences and quiet hours are; the browser's own, where it does not know it.
export function useZone(timeZone) {
  try {
    clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", timeZone });
    day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", timeZone });
    dayOfAYear = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone });
    fullDay = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone });
    seconds = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone });
  } catch {
    useZone();
  }
}
useZone();

const dayOf = (date) => fullDay.format(date);
const yearOf = (day) => day.split("-")[0];

/// No day is longer, also where the clock goes back.
const LONGEST_DAY_S = 27 * 3600;

/// When today began: the first second of its date, which is sought, as not every day has 24 hours.
export function midnight() {
  let first = Math.floor(Date.now() / 1000);
  let before = first - LONGEST_DAY_S;
  const today = dayOf(first * 1000);
  while (first - before > 1) {
    const middle = Math.floor((before + first) / 2);
    if (dayOf(middle * 1000) === today) first = middle;
    else before = middle;
  }
  return first * 1000;
}

/// How far the zone's clock has gone round at an instant, from 0 to 1.
export function partOfDay(at) {
  const [h, m, s] = seconds.format(new Date(at)).split(":").map(Number);
  return (h * 3600 + m * 60 + s) / 86_400;
}

export const hourAndMinute = (at) => clock.format(new Date(at));

/// The time of an instant, with its day where that is not the day of `from`, which is today, and with its year where that
/// is another, too.
export function when(at, from = Date.now()) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const [its, known] = [dayOf(date), dayOf(new Date(from))];
  const time = clock.format(date);
  if (its === known) return time;
  return `${(yearOf(its) === yearOf(known) ? day : dayOfAYear).format(date)}, ${time}`;
}

/// How long since, roughly.
export function since(at) {
  if (!at) return "never";
  const seconds = Math.round((new Date(at) - Date.now()) / 1000);
  const size = Math.abs(seconds);
  if (size < 60) return "just now";
  if (size < 3600) return ago.format(Math.round(seconds / 60), "minute");
  if (size < 86_400) return ago.format(Math.round(seconds / 3600), "hour");
  return ago.format(Math.round(seconds / 86_400), "day");
}

const wantsMiles = /^en-(US|GB)$/.test(navigator.language);

/// A distance in the reader's units, rounded as people round.
export function far(meters) {
  if (meters === null || meters === undefined) return "";
  if (meters < 5) return "here";
  if (wantsMiles) {
    const miles = meters / 1609.344;
    return miles < 0.19 ? `${Math.max(10, Math.round(meters / 0.9144 / 10) * 10)} yd` : `${miles.toFixed(miles < 10 ? 1 : 0)} mi`;
  }
  return meters < 950 ? `${Math.max(10, Math.round(meters / 10) * 10)} m` : `${(meters / 1000).toFixed(meters < 9950 ? 1 : 0)} km`;
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
