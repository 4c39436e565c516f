// How news reaches a person, in an order: a card for each channel, and a form to add or change one. What is
// pressed is saved at once; secrets go their own way and never come back.
import * as api from "./api.js";
import { button, field, h, put, say, warn } from "./dom.js";
import * as push from "./push.js";

const text = (name, label, hint, rest = {}) => ({ name, label, hint, ...rest });

/// What a person is asked for each type; `secret` says what its secret is.
const types = {
  web_push: { words: "Browsers", about: "Every browser where you have pressed “Notify me here”.", fields: [] },
  ntfy: {
    words: "ntfy", about: "An app for iPhone and Android that shows what is sent to a topic.",
    fields: [text("server", "Server", null, { type: "url", fallback: "https://ntfy.sh" }),
      text("topic", "Topic", "Who knows the topic can read along: take a name that nobody guesses, and subscribe to it in the app.", { fallback: () => `near-${guessless()}` })],
    secret: text("secret", "Access token, or NAME:PASSWORD", "Only where the server asks for one.", { isOptional: true })
  },
  home_assistant: {
    words: "Home Assistant", about: "Its app on your phone. For the buttons it needs an automation: see docs/channels.md.",
    fields: [text("server", "Address of Home Assistant", null, { type: "url", placeholder: "https://home.example.org" }),
      text("service", "Name of the notify service", "In Home Assistant under Developer tools, Actions: notify.mobile_app_…", { placeholder: "mobile_app_annas_phone" }),
      text("phone", "The phone is", null, { choices: [["android", "Android"], ["iphone", "an iPhone"]] })],
    secret: text("secret", "Long-lived access token", "In Home Assistant under your profile, Security.")
  },
  mail: { words: "Mail", about: "A mail, with a link to a page with the buttons.", fields: [text("to", "Address", null, { type: "email", placeholder: "anna@example.org" })] },
  telegram: {
    words: "Telegram", about: "A chat with the bot of this Near Me. Write to the bot first: it may write to nobody else.",
    fields: [text("chat", "Number of the chat", "docs/channels.md says how to find it.", { inputmode: "numeric", pattern: "-?[0-9]+" })]
  }
};

const unopened = (minutes) => `If unopened for ${minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`}`;
const waits = [[0, "With the one before"], ...[5, 10, 30, 60].map((minutes) => [minutes, unopened(minutes)])];

const guessless = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36).padStart(2, "0")).join("");
const details = ({ topic, service, to, chat }) => topic ?? service ?? to ?? (chat === undefined ? "" : `chat ${chat}`);
const nameOf = (channel) => [types[channel.type]?.words ?? channel.type, details(channel)].filter(Boolean).join(": ");

/// `kept` has the settings; `save` saves a part of them and answers whether that went well.
export async function channelForms(kept, save) {
  const list = h("div");
  const form = h("div");
  const box = { list, form, kept, standing: new Map(), canTest: true };
  const kind = h("select");
  box.save = async (change) => {
    // The first waits for nobody.
    const ordered = (channels) => channels.map((channel, i) => i === 0 ? { ...channel, after_minutes: undefined } : channel);
    const isSaved = await save(kept, (settings) => ({ channels: ordered(change(settings.channels ?? [])) }));
    await look(box);
    return isSaved;
  };
  await look(box);
  put(kind, ...Object.entries(types).filter(([type]) => box.offered.includes(type)).map(([value, { words }]) => h("option", { value }, words)));
  return h("fieldset", {}, h("legend", {}, "How news reaches you"),
    h("p", { class: "hint" }, "These pages always show it. Say where else, in an order: the first is told at once, the others with it, or only if you have not opened it by then."),
    list, form,
    h("div", {}, field("Add another way", kind), h("div", { class: "row" }, button("Add this way …", () => add(box, kind.value)))));
}

async function look(box) {
  // What was kept for times without the door may not say what it offers.
  const { items = [], offered = Object.keys(types) } = await api.read("/channels").catch(() => ({}));
  box.offered = offered;
  box.standing = new Map(items.map((standing) => [standing.id, standing]));
  const channels = box.kept.settings.channels ?? [];
  put(box.list, channels.length === 0
    ? h("p", { class: "empty" }, "Nowhere else yet: you see news only while a page of Near Me is open.")
    : h("ol", { class: "cards" }, channels.map((channel, i) => card(box, channels, channel, i))));
}

function card(box, channels, channel, i) {
  const id = `channel-${channel.id}`;
  const key = (name) => ({ "data-key": `${name}-${id}`, "aria-describedby": id });
  const standing = box.standing.get(channel.id);
  const state = h("p", { class: "state", role: "status" });
  const move = (step) => () => box.save((now) => {
    const from = now.findIndex((other) => other.id === channel.id);
    const moved = [...now];
    if (from >= 0) moved.splice(Math.max(0, from + step), 0, ...moved.splice(from, 1));
    return moved;
  });
  const test = button("Send an example", () => tryOut(box, channel, state, test), key("test"));
  test.hidden = !box.canTest;
  return h("li", { class: "card" },
    h("h2", { id }, `${i + 1}. ${nameOf(channel)}`),
    i > 0 && waitChoice(box, channel),
    standing?.trouble && h("p", { class: "warn" }, `It cannot tell you anything now: ${standing.trouble}.`), state,
    h("div", { class: "row" }, test,
      types[channel.type]?.fields.length > 0 && button("Change", () => edit(box, channel.type, channel), key("change")),
      i > 0 && button("Earlier", move(-1), key("up")), i < channels.length - 1 && button("Later", move(1), key("down")),
      button("Take off", () => takeOff(box, channel), { class: "danger", ...key("off") })));
}

function waitChoice(box, channel) {
  const now = channel.after_minutes ?? 0;
  const known = waits.some(([minutes]) => minutes === now) ? waits : [...waits, [now, unopened(now)]];
  const choice = h("select", { "data-key": `wait-${channel.id}`, onchange: () => box.save((all) => all.map((other) => other.id === channel.id ? { ...other, after_minutes: Number(choice.value) } : other)) },
    known.map(([minutes, words]) => h("option", { value: minutes, selected: minutes === now }, words)));
  return field("When", choice);
}

async function tryOut(box, channel, state, test) {
  state.textContent = "Sending …";
  try {
    const { outcome, reason } = await api.change("POST", `/channels/${encodeURIComponent(channel.id)}/test`);
    const why = String(reason ?? "").replaceAll("_", " ");
    state.textContent = { delivered: "The example is sent. If it does not show, look at the app's own settings.", put_off: `Not now: ${why}. Try again in a while.` }[outcome] ?? `It was refused: ${why}.`;
  } catch (refusal) {
    state.textContent = refusal.message;
    if (refusal.status !== 404) return;
    box.canTest = false;
    test.hidden = true;
    state.textContent = "";
  }
}

async function takeOff(box, channel) {
  if (box.standing.get(channel.id)?.has_secret) await setSecret(channel.id, null);
  if (await box.save((now) => now.filter(({ id }) => id !== channel.id))) say(`${nameOf(channel)} is taken off.`);
}

async function setSecret(id, secret) {
  try {
    await api.change("PUT", `/channels/${encodeURIComponent(id)}/secret`, { secret });
    return true;
  } catch (refusal) {
    warn(`The secret is not kept: ${refusal.message}`);
    return false;
  }
}

async function add(box, type) {
  warn("");
  if (type !== "web_push") return edit(box, type, null);
  const said = await push.turnOn();
  const { value, etag } = await api.readWithTag("/settings");
  Object.assign(box.kept, { settings: value, etag });
  await look(box);
  put(box.form, h("p", { role: "status" }, said));
}

/// A free name for a channel: people see none.
function freeId(type, channels) {
  const taken = new Set(channels.map(({ id }) => id));
  let number = 1;
  const id = () => number === 1 ? type : `${type}-${number}`;
  while (taken.has(id())) number += 1;
  return id();
}

function edit(box, type, channel) {
  const { words, about, fields, secret } = types[type];
  const channels = box.kept.settings.channels ?? [];
  const hasSecret = box.standing.get(channel?.id)?.has_secret;
  const inputs = fields.map((asked) => [asked, input(asked, channel)]);
  const hidden = secret && h("input", { type: "password", autocomplete: "off", maxlength: "1000", required: !secret.isOptional && !hasSecret });
  const close = () => put(box.form);
  const keep = async (event) => {
    event.preventDefault();
    warn("");
    const filled = Object.fromEntries(inputs.map(([{ name }, element]) => [name, valueOf(name, element.value.trim())]));
    const made = { ...channel, id: channel?.id ?? freeId(type, channels), type, ...filled };
    const all = (now) => channel ? now.map((other) => other.id === channel.id ? made : other) : [...now, made];
    if (!await box.save(all)) return;
    // The channel is there by now: what is left to mend is its secret.
    if (hidden?.value && !await setSecret(made.id, hidden.value)) return;
    close();
    await look(box);
    box.list.querySelector(`[data-key="test-channel-${made.id}"]`)?.focus();
  };
  put(box.form, h("form", { class: "once", onsubmit: keep }, h("h2", { tabindex: "-1" }, channel ? `Change ${words}` : words), h("p", {}, about),
    inputs.map(([asked, element]) => field(asked.label, element, asked.hint)),
    hidden && field(secret.label, hidden, hasSecret ? "One is kept. Leave it empty to keep that one." : secret.hint),
    h("div", { class: "row" }, h("button", { class: "first", type: "submit" }, "Save this way"), button("Leave it", close))));
  box.form.querySelector("input, select, h2").focus();
}

function input({ name, type, choices, fallback, placeholder, inputmode, pattern }, channel) {
  const value = channel?.[name] ?? (typeof fallback === "function" ? fallback() : fallback) ?? "";
  if (choices) return h("select", { name }, choices.map(([one, words]) => h("option", { value: one, selected: one === value }, words)));
  return h("input", { name, type: type ?? "text", value: String(value), placeholder, inputmode, pattern, required: true, maxlength: "250", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
}

function valueOf(name, value) {
  if (name === "chat") return Number(value);
  return name === "service" ? value.replace(/^notify\./, "") : value;
}
