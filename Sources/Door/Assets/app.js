// The frame: which view is shown, what is said about the link to the door, and who is told of news.
import * as api from "./api.js";
import { button, h, plural, say, toast, warn } from "./dom.js";
import { owner, whenAnotherComes } from "./person.js";
import * as push from "./push.js";
import * as add from "./view-add.js";
import * as day from "./view-day.js";
import * as list from "./view-list.js";
import * as phones from "./view-phones.js";
import * as places from "./view-places.js";
import * as settings from "./view-settings.js";
import * as today from "./view-today.js";
import * as welcome from "./view-welcome.js";

const views = { today, day, list, add, places, phones, settings, welcome };
const main = document.getElementById("main");
const state = document.getElementById("link-state");
let shown = null;
let turn = 0;
/// Whether the view could not be shown as the door was away.
let isMissing = false;

/// A part of an address; as it stands, where it was cut within a letter.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const asked = () => {
  const [name, ...rest] = location.hash.slice(1).split("/");
  return { name: Object.hasOwn(views, name) ? name : "today", argument: rest.map(decoded).join("/") };
};

async function show(isFirst) {
  const { name, argument } = asked();
  const mine = turn += 1;
  shown?.leave?.();
  shown = null;
  isMissing = false;
  warn("");
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const view = views[name];
  const body = h("div", {}, h("p", { class: "hint" }, "One moment …"));
  const title = h("h1", { tabindex: "-1" }, view.title);
  main.replaceChildren(title, body);
  document.title = `${view.title} – Near Me`;
  document.documentElement.dataset.view = name;
  if (!isFirst) title.focus();
  try {
    const made = await view.show(body, argument);
    if (mine === turn) shown = made ?? null;
    else made?.leave?.();
  } catch (refusal) {
    if (mine === turn) {
      isMissing = refusal.status === 0;
      body.replaceChildren(...failed(refusal));
    }
  }
  if (mine === turn) document.documentElement.dataset.ready = name;
}

function failed(refusal) {
  if (!(refusal instanceof api.Refusal)) console.error(refusal);
  if (refusal.status === 401) return signedOut();
  const text = refusal.status === 0
    ? "Near Me does not answer, and nothing of this view was kept from before. What you add meanwhile waits here."
    : refusal.message;
  return [h("p", { class: "alert" }, text), button("Try again", () => show(false))];
}

const signedOut = () => [
  h("p", {}, "This browser is not signed in."),
  h("p", {}, "Ask for a link on the computer where Near Me runs, and open it here: ", h("code", {}, "nearme person link NAME"), "."),
  h("p", { class: "hint" }, "There is no password that could be guessed or forgotten.")
];

async function showLink() {
  const edits = await api.waiting().catch(() => []);
  const held = edits.filter((edit) => edit.notBefore <= Date.now()).length;
  const parts = [];
  if (!api.isReached) parts.push("Not connected; this is what was last known");
  if (held > 0) parts.push(`${plural(held, "change")} ${held === 1 ? "waits" : "wait"} to be sent`);
  state.textContent = parts.join(" · ");
}

let refreshing;

/// News come in bursts: views look again once for each.
function refreshSoon(name) {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => shown?.refresh?.(name)?.catch?.(() => showLink()), 150);
}

function heard(name, detail) {
  if (name === "news") say(`New: ${detail.text ?? "a reminder"}`);
  if (name === "withdrawn") say("A notification was taken away.");
  // Their zone or their language may be another one.
  if (name === "reset" || name === "edit" && (detail.what ?? "settings") === "settings") api.signedIn().catch(() => {});
  refreshSoon(name);
}

let source = null;
let isIn = false;
/// Whether the door has not yet said who is signed in: it was away when the page was opened.
let isUnanswered = false;

function cameIn() {
  isIn = true;
  isUnanswered = false;
  // In the background: a session that is new is not yet known to push to this browser.
  push.registerOnce();
}

/// News, from the moment somebody is signed in. A browser gives up where the door refuses, as it does while too
/// many pages are open: then it is tried again.
async function listen() {
  if (source && source.readyState !== EventSource.CLOSED) return;
  source = api.listen(heard);
  await api.signedIn().then(cameIn, () => { source?.close(); source = null; });
}

/// Comes back by itself where the door was away when the page was opened, as it is until somebody asks it again.
async function comeBack() {
  if (!isUnanswered) return;
  await listen();
  if (!isIn) return;
  trySending();
  if (isMissing) await show(true);
  else refreshSoon("reset");
}

/// What is being written stays; all else is shown anew.
const forms = new Set(["add", "places", "phones", "settings", "welcome"]);

function showByZone() {
  if (!shown) return;
  if (forms.has(asked().name)) refreshSoon("zone");
  else show(true);
}

function trySending() {
  api.sendWaiting().catch(() => {}).finally(showLink);
}

api.on("reached", (now) => {
  showLink();
  if (now) {
    trySending();
    listen();
  }
});
api.on("zone", showByZone);
api.on("waiting", () => { showLink(); refreshSoon("waiting"); });
api.on("sent", (count) => {
  if (count > 0) say(`${plural(count, "change")} sent.`);
  refreshSoon("sent");
});
api.on("signed-out", () => {
  isIn = isUnanswered = false;
  if (asked().name !== "welcome") main.lastElementChild?.replaceChildren(...signedOut());
});
api.on("refused", ({ kept, refusal }) => warn(`Not taken: ${kept.words ?? kept.path}. ${refusal.message}`));

addEventListener("online", () => { trySending(); comeBack(); });
// Who leaves may never come back here: what they have deleted shall not speak.
addEventListener("pagehide", api.sendHeld);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    api.sendHeld();
    return;
  }
  trySending();
  comeBack();
  if (isIn) listen();
  refreshSoon("shown");
});
setInterval(() => {
  if (isIn && !document.hidden) listen();
}, 15_000);
// A door that was away says nothing when it is back; what waits is tried, where something does.
setInterval(async () => {
  if (!document.hidden) comeBack();
  if ((await api.waiting().catch(() => [])).length > 0) trySending();
}, 4_000);
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

async function start() {
  if ("serviceWorker" in navigator) {
    navigator.serviceWorker.register("/sw.js").catch(() => {});
    navigator.serviceWorker.addEventListener("message", (event) => heard(event.data?.name ?? "reset", event.data ?? {}));
  }
  let session = null;
  try {
    session = await api.signedIn();
  } catch (refusal) {
    if (refusal.status === 401) {
      main.replaceChildren(h("h1", { tabindex: "-1" }, "Near Me"), ...signedOut());
      document.documentElement.dataset.ready = "signed-out";
      addEventListener("hashchange", () => show(false));
      return;
    }
    isUnanswered = true;
  }
  if (session) {
    cameIn();
    source = api.listen(heard);
  }
  // What is shown is one person's, and so is what is pressed.
  whenAnotherComes(session?.person.id ?? owner(), () => location.reload());
  // Without a word to the listener below: the view is shown once, or what is written at once would be lost.
  if (session && session.onboarded === false && location.hash === "") history.replaceState(null, "", "#welcome");
  const first = show(true);
  const opening = location.hash;
  // From here on only: a menu that is pressed before the session is known is what is shown then.
  addEventListener("hashchange", ({ newURL }) => {
    if (turn > 1 || new URL(newURL).hash !== opening) show(false);
  });
  await first;
  trySending();
  if (session?.note) toast(session.note);
}

start();
