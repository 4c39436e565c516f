// The introduction: what it does, by an example; where home and work are; permissions only when they are
// needed, each after its reason; something to begin with. Every step can be left out.
import * as api from "./api.js";
import { dailyMailForm } from "./daily-mail.js";
import { button, field, h, once, put, s, say, since, tick, warn } from "./dom.js";
import { Picker } from "./picker.js";
import * as push from "./push.js";
import { adder } from "./view-phones.js";
import { categories, inLanguage, localeFor, localeOf } from "./words.js";

export const title = "Welcome";

export async function show(root) {
  const steps = [what, (box, go) => where(box, go, "home"), (box, go) => where(box, go, "work"), phone, speak, starters];
  let step = null;
  const go = async (i) => {
    step?.leave?.();
    step = null;
    warn("");
    if (i >= steps.length) {
      await finish();
      return;
    }
    const box = h("div");
    put(root, h("p", { class: "steps" }, `Step ${i + 1} of ${steps.length}`, h("progress", { max: steps.length, value: i + 1, "aria-hidden": "true" })), box, h("div", { class: "row" },
      i > 0 && button("Back", () => go(i - 1)),
      button(i === steps.length - 1 ? "To my list" : "Go on", () => go(i + 1), { "data-next": true }),
      i < steps.length - 1 && button("Skip the rest", finish, { class: "last" })));
    step = await steps[i](box, () => go(i + 1)) ?? null;
    if (i > 0) box.querySelector("h2")?.focus();
  };
  await go(0);
  return { leave: () => step?.leave?.(), refresh: async () => step?.refresh?.() };
}

/// Changes a part of the settings.
async function set(part) {
  const { value, etag } = await api.readWithTag("/settings");
  await api.change("PUT", "/settings", { ...value, ...part(value) }, etag);
}

/// It is not shown again by itself. Times are those of where the person is, and sentences in the browser's language, if
/// nobody has said otherwise.
async function finish() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const locale = localeFor(navigator.language, api.locales());
  const seen = (settings) => ({ onboarded: true, locale: settings.locale ?? locale });
  try {
    await set((settings) => ({ ...seen(settings), zone: settings.zone ?? zone }));
  } catch {
    // The door may not know the zone. Else it is shown once more: that harms nobody.
    await set(seen).catch(() => {});
  }
  // From here on times are shown by that zone.
  await api.signedIn().catch(() => {});
  location.hash = "#list";
}

const head = (text) => h("h2", { tabindex: "-1" }, text);

function what(box) {
  const play = new Play();
  box.append(head("It speaks when you are near"),
    h("p", {}, "Tell it what to do and where: “buy milk near a grocery”. When your phone comes near one, it says so. When you have been and it is not done, it asks once more."),
    play.element,
    h("p", { class: "hint" }, "All of it happens on your own computer. Nobody else learns where you are."));
  return { leave: () => play.stop() };
}

/// What the example tells, and at which part of the way.
const scenes = [
  { at: 0, text: "You leave home. Nothing is said.", news: null },
  { at: 0.3, text: "A pharmacy is a mile away.", news: "You're 1 mile from the pharmacy — pick up the prescription?" },
  { at: 0.62, text: "You come closer.", news: "Arriving at the pharmacy — pick up the prescription now?" },
  { at: 0.8, text: "You press Done. It is quiet from now on.", news: null }
];

const WAY = [[40, 160], [110, 150], [170, 105], [250, 95], [300, 60], [350, 70]];

/// A walk past a pharmacy, on a small drawn map. It plays on a press; where motion is not wanted, it steps.
class Play {
  constructor() {
    this.part = 0;
    this.frame = 0;
    this.dot = s("circle", { r: "9", class: "dot" });
    this.picture = s("svg", { viewBox: "0 0 400 200", class: "walk", role: "img", "aria-label": "A small map: a way from home past a pharmacy, with circles around it" },
      s("rect", { class: "ground", width: 400, height: 200 }),
      s("path", { class: "street", d: "M0 165h130l60-65h100l40-45h70M190 0v200M300 0v60l60 140" }),
      s("circle", { class: "ring", cx: 300, cy: 60, r: 130 }), s("circle", { class: "ring", cx: 300, cy: 60, r: 45 }),
      s("rect", { class: "house", x: 32, y: 152, width: 16, height: 16 }), s("text", { x: 26, y: 190 }, "home"),
      s("circle", { class: "shop", cx: 300, cy: 60, r: 7 }), s("text", { x: 312, y: 40 }, "pharmacy"), this.dot);
    this.words = h("p", { role: "status" });
    this.screen = h("div", { class: "screen" });
    this.start = button("Play the example", () => this.play(), { class: "first" });
    this.element = h("div", {}, this.picture, this.words, this.screen, h("div", { class: "row" }, this.start,
      button("One step", () => this.step())));
    this.draw();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  play() {
    this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.step();
      return;
    }
    this.part = 0;
    const began = performance.now();
    const next = (now) => {
      this.part = Math.min(1, (now - began) / 12_000);
      this.draw();
      this.frame = this.part < 1 ? requestAnimationFrame(next) : 0;
    };
    this.frame = requestAnimationFrame(next);
  }

  step() {
    this.stop();
    const next = scenes.find((scene) => scene.at > this.part) ?? scenes[0];
    this.part = next.at;
    this.draw();
  }

  draw() {
    const along = this.part * (WAY.length - 1);
    const i = Math.min(WAY.length - 2, Math.floor(along));
    const [[x, y], [toX, toY]] = [WAY[i], WAY[i + 1]];
    this.dot.setAttribute("cx", x + (toX - x) * (along - i));
    this.dot.setAttribute("cy", y + (toY - y) * (along - i));
    const scene = scenes.findLast((candidate) => candidate.at <= this.part);
    if (scene === this.scene) return;
    this.scene = scene;
    this.words.textContent = scene.text;
    put(this.screen, scene.news
      ? h("div", { class: "card news" }, h("p", { class: "kind" }, "Near Me"), h("p", {}, scene.news), h("p", { class: "hint" }, "Done · Snooze · Mute"))
      : h("p", { class: "hint" }, "Nothing on the screen."));
  }
}

const wheres = {
  home: ["Where is home?", "So that “when I get home” means something."],
  work: ["Where do you work?", "Or study, or spend your days. Leave it out if there is no such place."]
};

async function where(box, go, kind) {
  const places = await api.all("/places");
  const known = places.find((place) => place.kind === kind);
  box.append(head(wheres[kind][0]), h("p", {}, wheres[kind][1]));
  if (known) {
    box.append(h("p", {}, `It is known: ${known.name}. You can change it under Places.`));
    return null;
  }
  const picker = new Picker({ places, start: places[0] ?? null });
  const save = async () => {
    warn("");
    if (!picker.isPicked) {
      warn("Put the cross on the place first: find it, or move the map.");
      return;
    }
    try {
      await api.edit("POST", "/places", { name: kind, kind, ...picker.value }, { words: kind });
      say("Saved.");
      await go();
    } catch (refusal) {
      warn(refusal.message);
    }
  };
  box.append(picker.element, h("div", { class: "row" }, button(`This is ${kind}`, once(save), { class: "first" })));
  return { leave: () => picker.leave() };
}

/// Adds a phone, and says when it has been heard of.
async function phone(box) {
  const heard = h("div", { role: "status" });
  const fresh = h("div");
  const refresh = async () => {
    const phones = await api.all("/phones");
    put(heard, phones.map((known) => known.last_seen
      ? h("p", { class: "good" }, `${known.name} has been heard of ${since(known.last_seen)}: it works.`)
      : h("p", { class: "hint" }, `${known.name} has not been heard of yet. Set up its app, and open it once; it shows here by itself.`)));
  };
  box.append(head("Your phone tells where it is"),
    h("p", {}, "So that Near Me can speak when you come near, an app on the phone reports where it is. It asks you for the location when it is set up: with “Always”, it also knows while the screen is off; with “While using”, only while the app is open."),
    heard, fresh, adder(fresh, refresh),
    h("p", { class: "hint" }, "Later is fine: reminders by time work without."));
  await refresh();
  // A phone that reports for the first time makes no news that a page would hear of at once.
  const looking = setInterval(() => refresh().catch(() => {}), 5000);
  return { refresh, leave: () => clearInterval(looking) };
}

const NIGHT = { from: "22:00", until: "07:00" };

/// Whether it is to keep quiet at night; other hours are set in the settings.
async function nights() {
  const known = (await api.read("/settings").catch(() => ({}))).quiet_hours;
  const quiet = h("input", { type: "checkbox", checked: Boolean(known) });
  quiet.addEventListener("change", async () => {
    warn("");
    try {
      await set(() => ({ quiet_hours: quiet.checked ? known ?? NIGHT : null }));
      say("Saved.");
    } catch (refusal) {
      warn(refusal.message);
    }
  });
  const { from, until } = known ?? NIGHT;
  return h("div", {}, tick(`Keep quiet from ${from} until ${until}`, quiet),
    h("p", { class: "hint" }, "What comes meanwhile is told in the morning, if it is still true. Settings has other hours."));
}

/// Whether there is to be a mail a day, and when: at six, where nobody says otherwise.
async function dailyMail() {
  const { daily_mail: known } = await api.read("/settings").catch(() => ({}));
  return dailyMailForm(known, async (mail) => {
    warn("");
    try {
      await set(() => ({ daily_mail: mail }));
      say("Saved.");
      return true;
    } catch (refusal) {
      warn(refusal.message);
      return false;
    }
  });
}

async function speak(box) {
  const state = h("p", { class: "state", role: "status" }, push.standing());
  const screen = h("div", { class: "screen" }, h("div", { class: "card news" }, h("p", { class: "kind" }, "Near Me"),
    h("p", {}, "Arriving at the pharmacy — pick up the prescription now?"), h("p", { class: "hint" }, "Done · Snooze · Mute")));
  box.append(head("May it notify you here?"),
    h("p", {}, "A reminder that waits in a page is none. With your permission it shows up on this device as below, also while the page is closed. The browser asks when you press the button."),
    screen, state, h("div", { class: "row" },
      button("Notify me here", async () => {
        state.textContent = "Asking …";
        // What was allowed is shown at once: the push service is still to be reached, and may not be.
        const example = await push.ask() ? ` An example: ${await push.preview()}` : "";
        state.textContent = `Setting up …${example}`;
        state.textContent = `${await push.turnOn()}${example}`;
      }, { class: "first", disabled: !push.isPossible() })),
    await nights(), await dailyMail(),
    h("p", { class: "hint" }, "Other ways, such as ntfy, Home Assistant or mail, are in Settings."));
}

/// The language of sentences: of the settings, else the browser's where the door has it.
async function languageChoice() {
  const locales = api.locales();
  const saved = (await api.read("/settings").catch(() => ({}))).locale ?? null;
  const known = saved ?? localeFor(navigator.language, locales) ?? api.locale();
  const choice = h("select", {}, locales.map((value) => h("option", { value, selected: value === known }, localeOf(value))));
  return { choice, isOther: () => choice.value !== "" && choice.value !== saved, element: locales.length > 0 && field("Language of your sentences", choice) };
}

async function starters(box, go) {
  const language = await languageChoice();
  const boxes = categories.map((category) => {
    const starter = () => inLanguage(category.starters, language.choice.value || "en");
    const text = h("input", { value: starter(), maxlength: "200" });
    let before = text.value;
    language.choice.addEventListener("change", () => {
      // What somebody has written stays.
      if (text.value === before) text.value = starter();
      before = starter();
    });
    const take = h("input", { type: "checkbox" });
    text.setAttribute("aria-label", `${category.words}: the sentence`);
    return { take, text, element: h("div", {}, tick(category.words, take), text) };
  });
  const add = async () => {
    warn("");
    let count = 0;
    try {
      // Read in another language, they would not be understood.
      if (language.isOther()) await set(() => ({ locale: language.choice.value }));
      for (const { take, text } of boxes) {
        if (!take.checked || text.value.trim() === "") continue;
        await api.edit("POST", "/remember", { text: text.value.trim(), said_at: new Date().toISOString() }, { words: text.value });
        take.checked = false;
        count += 1;
      }
      say(`${count} added.`);
      await go();
    } catch (refusal) {
      warn(refusal.message);
    }
  };
  box.append(head("Something to begin with"), h("p", {}, "Tick what you like, change the words, and add them."), language.element || "",
    h("div", { class: "starters" }, boxes.map(({ element }) => element)),
    h("div", { class: "row" }, button("Add the ticked ones", once(add), { class: "first" })));
}
