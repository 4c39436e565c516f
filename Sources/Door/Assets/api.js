// The door's API, and nothing else that talks to it. Reading goes straight; what changes something is kept
// first (see queue.js), then sent.
import { useZone } from "./dom.js";
import { comes, owner } from "./person.js";
import * as queue from "./queue.js";
import { drop, flush, keep, newKey } from "./queue.js";

const ROOT = "/api/v1";
/// Where the zone of the person's times is kept: a page that is opened without the door shows them by it.
const ZONE = "nearme-zone";
let session = null;
let shownZone = keptZone();
useZone(shownZone);

function keptZone() {
  try {
    return localStorage.getItem(ZONE) ?? undefined;
  } catch {
    // A browser that keeps nothing for anybody.
    return undefined;
  }
}

/// What the door objected to (problem+json), or that it was not reached (status 0).
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The door answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

const events = new EventTarget();
export const on = (name, action) => events.addEventListener(name, (event) => action(event.detail));
const tell = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

/// Whether the door answered when it was last asked.
export let isReached = true;

function reached(now) {
  if (now === isReached) return;
  isReached = now;
  tell("reached", now);
}

/// What the door is asked, as `fetch` takes it.
function request(method, path, { body, key, etag, keepalive } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (etag) headers["If-Match"] = etag;
  // What the body says of when it was said is by this clock, which may be wrong: how long ago that was is not.
  if (body?.said_at) headers["X-Sent-At"] = new Date().toISOString();
  if (method !== "GET" && session?.csrf) headers["X-CSRF-Token"] = session.csrf;
  return [ROOT + path, {
    method, headers, credentials: "same-origin", cache: "no-store", keepalive,
    body: body === undefined ? undefined : JSON.stringify(body)
  }];
}

async function ask(method, path, rest) {
  let answer;
  try {
    answer = await fetch(...request(method, path, rest));
  } catch {
    reached(false);
    throw new Refusal(0, { title: "Near Me does not answer." });
  }
  // The service worker answers reads from what it kept; it says so.
  reached(!answer.headers.has("X-From-Cache"));
  if (!answer.ok) {
    const refusal = new Refusal(answer.status, await answer.json().catch(() => ({})));
    if (answer.status === 401) {
      // Whoever signs in again, on another page perhaps, has another word for what changes something.
      session = null;
      tell("signed-out");
    }
    throw refusal;
  }
  const value = answer.status === 204 ? null : await answer.json().catch(() => null);
  return { value, etag: answer.headers.get("ETag") };
}

export const read = async (path) => (await ask("GET", path)).value;
export const readWithTag = (path) => ask("GET", path);

/// Asks something that changes nothing, as a question about a sentence is.
export const question = async (path, body) => (await ask("POST", path, { body })).value;

/// Changes something now, or not at all: where the person waits for what comes back.
export const change = async (method, path, body, etag) => (await ask(method, path, { body, etag, key: newKey() })).value;

/// Whose edits are made here: also while the door cannot be asked.
const whose = () => session?.person.id ?? owner() ?? undefined;

/// Older edits do not say whose they are: they were made by who is still signed in.
const isMine = ({ person }) => person === undefined || person === whose();

/// Changes something now, or when the door is reached again. `subject` names what it is about, so that lists
/// can show it as done already.
export async function edit(method, path, body, { etag, subject, words } = {}) {
  const key = newKey();
  const kept = { key, person: whose(), method, path, body, etag, subject, words };
  await keep(kept);
  try {
    const { value } = await ask(method, path, kept);
    await drop(key);
    return { value, isWaiting: false };
  } catch (refusal) {
    if (!isForLater(refusal)) {
      await drop(key);
      throw refusal;
    }
    tell("waiting");
    return { value: null, isWaiting: true };
  }
}

/// What can still be taken back on this page, by key.
const held = new Map();

/// Changes something in a while, so that it can be taken back until then, or until the page is left. Answers with its
/// key and with what takes it back, which answers whether it did; "settled" tells when that is over.
export async function editAfter(seconds, method, path, body, { etag, subject, words } = {}) {
  const key = newKey();
  const kept = { key, person: whose(), method, path, body, etag, subject, words, notBefore: Date.now() + seconds * 1000 };
  await keep(kept);
  held.set(key, kept);
  tell("waiting");
  setTimeout(() => sendWaiting(), seconds * 1000 + 50);
  return { key, takeBack: () => takeBack(key) };
}

async function takeBack(key) {
  const isBack = held.delete(key) && await queue.take(key);
  tell("waiting");
  return isBack;
}

/// It can be taken back no more; `isDone`: the door has done it.
function settle(key, isDone) {
  if (held.delete(key)) tell("settled", { key, isDone });
}

/// Sends at once what can still be taken back: nobody may be here any more when its time has come. What does not arrive
/// is sent with the rest, under the same key.
export async function sendHeld() {
  const sending = [];
  for (const kept of [...held.values()]) {
    if (session && isMine(kept)) sending.push(sendNow(kept));
    settle(kept.key, false);
  }
  await Promise.all(sending);
}

async function sendNow(kept) {
  const rest = { ...kept, keepalive: true };
  // What a page asks while it is closed may end with it, though it is to be kept alive: the worker goes on. One key is done
  // once.
  navigator.serviceWorker?.controller?.postMessage({ send: request(kept.method, kept.path, rest) });
  try {
    await ask(kept.method, kept.path, rest);
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || isForLater(refusal)) return;
    tellRefused(kept, refusal);
  }
  await drop(kept.key);
  tell("waiting");
}

/// Too much at once, a failing door, or none: it will be well later. A session that ended is renewed by hand.
const isForLater = ({ status }) => status === 0 || status === 401 || status === 429 || status >= 500;

async function send(kept) {
  try {
    if (!session) await signedIn();
    // What somebody else left waiting here is not done in this one's name.
    if (!isMine(kept)) return "held";
    await ask(kept.method, kept.path, kept);
    return "done";
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (isForLater(refusal)) return "later";
    tellRefused(kept, refusal);
    return "refused";
  }
}

function tellRefused(kept, refusal) {
  // What is gone already need not be removed.
  if (kept.method !== "DELETE" || refusal.status !== 404) tell("refused", { kept, refusal });
}

/// Sends what waits, with `withHeld` also what can still be taken back, and tells when that changed something.
export async function sendWaiting({ withHeld = false } = {}) {
  const own = new Set(held.keys());
  let settled = 0;
  const sent = await flush(async (kept) => {
    const outcome = await send(kept);
    if (own.has(kept.key) && (outcome === "done" || outcome === "refused")) {
      settled += 1;
      settle(kept.key, outcome === "done");
    }
    return outcome;
  }, { withHeld });
  // Another page may have sent it.
  const left = new Set((await queue.waiting()).map(({ key }) => key));
  for (const key of own) if (!left.has(key)) settle(key, true);
  // What does not wait for its time any more, waits for the door.
  for (const { key, notBefore } of [...held.values()]) if (notBefore <= Date.now()) settle(key, false);
  if (sent > 0) tell("sent", sent - settled);
  if (sent > 0) tell("waiting");
}

/// What is on its way to the door.
export const waiting = async () => (await queue.waiting()).filter(isMine);

/// Who is signed in.
export async function signedIn() {
  session = await read("/session");
  const isOther = session.zone !== shownZone;
  shownZone = session.zone;
  useZone(shownZone);
  // Where nothing can be kept, nothing is kept of anybody.
  await comes(session.person.id).then(() => localStorage.setItem(ZONE, shownZone)).catch(() => {});
  if (isOther) tell("zone");
  return session;
}

/// Who is signed in, by id; undefined while that is not known.
export const person = () => session?.person.id;

export async function signOut() {
  await ask("DELETE", "/session");
  session = null;
}

/// The zone of the person's times, as far as it is known.
export const zone = () => session?.zone ?? "";

/// The languages of sentences that the door has, and that of the person's; none and nothing while that is not known.
export const locales = () => session?.locales ?? [];
export const locale = () => session?.locale;

/// What the product says in words of its own; nothing where the page's words are meant.
export const productWords = (key) => session?.words?.[key];

/// The pages of a list up to a bound; `next` is not null where there are more.
export async function pages(path, most) {
  const items = [];
  let next = null;
  do {
    const page = await read(next ? `${path}${path.includes("?") ? "&" : "?"}after=${encodeURIComponent(next)}` : path);
    items.push(...(page.items ?? []));
    next = page.next ?? null;
  } while (next && items.length < most);
  return { items, next };
}

/// All of a list. The bound is beyond any that somebody made: it keeps a mistake from going on for ever.
export const all = async (path, most = 10_000) => (await pages(path, most)).items;

/// News as it happens. The browser connects again by itself, with the id of the last event it saw.
export function listen(action) {
  const source = new EventSource(`${ROOT}/events`);
  for (const name of ["news", "changed", "withdrawn", "decision", "edit", "reset"]) {
    source.addEventListener(name, (event) => {
      let detail = {};
      try { detail = JSON.parse(event.data); } catch { /* A name alone says enough: look again. */ }
      action(name, detail);
    });
  }
  source.onopen = () => reached(true);
  return source;
}
