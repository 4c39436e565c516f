// Quiet hours, channels, the daily mail, tokens, everything out, everything gone, and the way out.
import * as api from "./api.js";
import { channelForms } from "./channels.js";
import { dailyMailForm } from "./daily-mail.js";
import { button, field, h, once, put, say, since, tick, toast, warn } from "./dom.js";
import { forget } from "./person.js";
import * as push from "./push.js";
import { localeOf } from "./words.js";

export const title = "Settings";

const scopes = [["read", "look"], ["write", "change"], ["phones", "add phones"]];
const ERASE_WORD = "ERASE";

export async function show(root) {
  const { value: settings, etag } = await api.readWithTag("/settings");
  const kept = { settings, etag };
  const tokens = h("section");
  const parts = [
    part(kept, ["quiet_hours", "zone"], (saved) => quietHours(kept, saved)),
    part(kept, ["locale"], (saved) => language(kept, saved)),
    part(kept, [], notifications),
    part(kept, ["channels"], (saved) => channelForms(kept, (_, change) => saved(change))),
    part(kept, ["daily_mail"], (saved) => dailyMailForm(kept.settings.daily_mail, (mail) => saved(() => ({ daily_mail: mail }))))
  ];
  for (const one of parts) await one.make();
  root.replaceChildren(...parts.map(({ box }) => box), tokens, outAndOver());
  await renderTokens(tokens);
  return {
    refresh: async (name) => {
      if (name === "waiting" || name === "sent") return;
      await readAgain(kept);
      for (const one of parts) await one.make();
    }
  };
}

/// A part of the page that shows some of the settings. It is made anew where they were set elsewhere, and nobody is at
/// it; `form` is given what saves a change of them.
function part(kept, names, form) {
  const box = h("div");
  let before, isTouched = false, isSaving = false;
  const shown = () => JSON.stringify(names.map((name) => kept.settings[name] ?? null));
  const saved = async (change) => {
    isSaving = true;
    const isSaved = await save(kept, change);
    // It shows what it has saved; what was set elsewhere meanwhile is not of its making.
    if (isSaved) [before, isTouched] = [shown(), false];
    isSaving = false;
    return isSaved;
  };
  box.addEventListener("input", () => { isTouched = true; });
  return {
    box,
    make: async () => {
      const isNew = before === undefined;
      if (shown() === before || !isNew && (isTouched || isSaving || box.contains(document.activeElement))) return;
      before = shown();
      put(box, await form(saved));
    }
  };
}

let saving = Promise.resolve();

/// Saves a part of the settings, one after the other; `part` makes it from the settings as they are by then, and the
/// rest stays. Answers whether it is saved.
function save(kept, part) {
  saving = saving.then(async () => {
    warn("");
    try {
      await change(kept, part).catch(async (refusal) => {
        if (refusal.status !== 412) throw refusal;
        // Another page was faster; what it has changed stays.
        await readAgain(kept);
        await change(kept, part);
      });
      await readAgain(kept);
      say("Saved.");
      toast("Saved.", null, null, 6);
      return true;
    } catch (refusal) {
      warn(refusal.message);
      return false;
    }
  });
  return saving;
}

const change = (kept, part) => api.change("PUT", "/settings", { ...kept.settings, ...part(kept.settings) }, kept.etag);

async function readAgain(kept) {
  const { value, etag } = await api.readWithTag("/settings");
  if (value.zone !== kept.settings.zone) await api.signedIn();
  Object.assign(kept, { settings: value, etag });
}

function quietHours(kept, saved) {
  const quiet = kept.settings.quiet_hours;
  const isOn = h("input", { type: "checkbox", checked: Boolean(quiet) });
  const from = h("input", { type: "time", required: true, value: quiet?.from ?? "22:00" });
  const until = h("input", { type: "time", required: true, value: quiet?.until ?? "07:00" });
  const zones = Intl.supportedValuesOf?.("timeZone") ?? [];
  const zone = h("input", { list: "zones", autocomplete: "off", value: kept.settings.zone ?? "", placeholder: api.zone() });
  const written = () => ({ quiet_hours: isOn.checked ? { from: from.value, until: until.value } : null, zone: zone.value.trim() || null });
  let before = written();
  return h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      const now = written();
      // Only what was changed here: the rest may have been set elsewhere meanwhile.
      const changed = Object.fromEntries(Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
      if (await saved(() => changed)) before = now;
    }
  }, h("fieldset", {}, h("legend", {}, "Quiet hours"),
    h("p", { class: "hint" }, "What comes meanwhile is told when they end, if it is still true then."),
    tick("Keep quiet at night", isOn),
    h("div", { class: "halves" }, field("From", from), field("Until", until)),
    field("Time zone", zone, "Of the reminders that have no zone of their own. Empty: that of Near Me's computer."),
    h("datalist", { id: "zones" }, zones.map((name) => h("option", { value: name }))),
    h("div", { class: "row" }, h("button", { type: "submit" }, "Save"))));
}

/// The language in which sentences are read.
function language(kept, saved) {
  const locales = api.locales();
  if (locales.length === 0) return null;
  const known = kept.settings.locale ?? api.locale();
  const choice = h("select", { "data-key": "locale" }, locales.map((value) => h("option", { value, selected: value === known }, localeOf(value))));
  choice.addEventListener("change", async () => {
    if (await saved(() => ({ locale: choice.value }))) await api.signedIn().catch(() => {});
  });
  return h("fieldset", {}, h("legend", {}, "Your sentences"),
    field("Language", choice, "In which they are read, and said back. These pages stay English."));
}

function notifications() {
  const state = h("p", { class: "state", role: "status" }, push.standing());
  const turnOn = button("Notify me here", async () => {
    state.textContent = "Asking …";
    state.textContent = await push.turnOn();
    turnOn.hidden = push.isOn();
  });
  turnOn.hidden = push.isOn() || !push.isPossible();
  // The browser may have lost its subscription: then it can be turned on again.
  push.registerOnce().then(() => {
    if (!turnOn.hidden || push.isOn() || !push.isPossible()) return;
    state.textContent = push.standing();
    turnOn.hidden = false;
  });
  return h("fieldset", {}, h("legend", {}, "On this device"),
    h("p", {}, "Near Me can speak also while this page is closed. The browser asks whether it may; what is said travels encrypted to this browser."),
    state, h("div", { class: "row" }, turnOn, button("Show an example", async () => { state.textContent = await push.preview(); })));
}

async function renderTokens(root) {
  const tokens = await api.all("/tokens");
  const fresh = h("div", { "aria-live": "polite" });
  const name = h("input", { maxlength: "60", required: true, autocomplete: "off" });
  const boxes = scopes.map(([value, words]) => [value, h("input", { type: "checkbox", checked: value === "read" }), words]);
  const make = async (event) => {
    event.preventDefault();
    warn("");
    try {
      const made = await api.change("POST", "/tokens", { name: name.value.trim(), scopes: boxes.filter(([, box]) => box.checked).map(([value]) => value) });
      await renderTokens(root);
      put(root.querySelector("[aria-live]"), h("div", { class: "once" }, h("h2", {}, "Copy it now"),
        h("p", {}, "It is shown this once and kept nowhere in the clear."), h("code", { class: "secret", tabindex: "0" }, made.token)));
    } catch (refusal) {
      warn(refusal.message);
    }
  };
  const remove = async (token) => {
    try {
      await api.change("DELETE", `/tokens/${encodeURIComponent(token.id)}`);
      say(`${token.name} is taken back.`);
    } catch (refusal) {
      warn(refusal.message);
    }
    await renderTokens(root);
  };
  put(root, h("fieldset", {}, h("legend", {}, "Tokens for programs"),
    h("p", { class: "hint" }, "A program with one acts for you, as far as its scopes go."),
    h("ul", { class: "cards" }, tokens.map((token) => h("li", { class: "card" }, h("h2", { id: `token-${token.id}` }, token.name),
      h("p", { class: "state" }, `${(token.scopes ?? []).join(", ")} · made ${since(token.created)}${token.made_by ? ` in ${token.made_by}` : ""} · used ${since(token.last_used)}`),
      button("Take back", () => remove(token), { class: "danger", "aria-describedby": `token-${token.id}`, "data-key": `token-${token.id}` })))),
    fresh,
    h("form", { onsubmit: once(make) }, field("Name of the program", name), boxes.map(([, box, words]) => tick(`It may ${words}`, box)),
      h("div", { class: "row" }, h("button", { type: "submit" }, "Make a token")))));
}

function outAndOver() {
  const word = h("input", { autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const erase = h("button", { type: "submit", class: "danger", disabled: true }, "Erase everything");
  word.addEventListener("input", () => { erase.disabled = word.value !== ERASE_WORD; });
  const eraseAll = async (event) => {
    event.preventDefault();
    if (word.value !== ERASE_WORD) return;
    try {
      await api.change("POST", "/erase", { confirm: ERASE_WORD });
      await forget();
      document.getElementById("main").replaceChildren(h("h1", { tabindex: "-1" }, "Everything is erased"),
        h("p", {}, "Nothing of yours is left on the computer or in this browser."));
    } catch (refusal) {
      warn(refusal.message);
    }
  };
  return h("section", {},
    h("fieldset", {}, h("legend", {}, "Everything out"),
      h("p", {}, "All that Near Me knows of you, as one JSON file."),
      h("a", { class: "button", href: "/api/v1/export", download: "near-me.json" }, "Export")),
    h("form", { onsubmit: eraseAll }, h("fieldset", {}, h("legend", {}, "Everything gone"),
      h("p", {}, "Reminders, places, phones, history: erased at once and for good. Export first if in doubt."),
      field(`Type ${ERASE_WORD} to confirm`, word), h("div", { class: "row" }, erase))),
    h("fieldset", {}, h("legend", {}, "Leave"),
      h("p", {}, "This browser forgets all it kept; you come in again with another link."),
      h("div", { class: "row" }, button("Sign out", signOut), button("Sign out all others", signOutOthers), h("a", { class: "button", href: "#welcome" }, "See the introduction again"))));
}

/// Whoever has lost a phone has not lost what its browser may see. Pushes that this browser turned on in an earlier session
/// end, too: it registers again.
async function signOutOthers() {
  try {
    const left = await api.change("DELETE", "/sessions");
    await push.registerAgain();
    const count = left.tokens_left;
    if (count === 0) return toast("Every other browser is signed out");
    toast(`Every other browser is signed out. ${count === 1 ? "A token of a program still works" : `${count} tokens of programs still work`}`,
      count === 1 ? "End it, too" : "End them, too", endTokens, 60);
  } catch (refusal) {
    warn(refusal.message);
  }
}

async function endTokens() {
  try {
    await api.change("DELETE", "/sessions?tokens=true");
    await push.registerAgain();
    toast("The tokens of programs are ended, too");
  } catch (refusal) {
    warn(refusal.message);
  }
}

async function signOut() {
  const waits = (await api.waiting()).length;
  if (waits > 0) {
    // What was deleted is deleted: nobody takes it back any more.
    await api.sendWaiting({ withHeld: true }).catch(() => {});
    if ((await api.waiting()).length > 0) {
      warn("Some changes were not sent yet. Sign out when Near Me answers again, or they would be lost.");
      return;
    }
  }
  try {
    // Nothing is pushed to a browser that was signed out; while the session still holds, the door takes that.
    await push.turnOff();
    await api.signOut();
    await forget();
    location.replace("/");
  } catch (refusal) {
    warn(refusal.message);
  }
}
