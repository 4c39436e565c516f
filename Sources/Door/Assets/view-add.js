// One field that understands sentences. Nothing is saved before it was shown how the sentence was read.
import * as api from "./api.js";
import { button, field, h, put, say, warn } from "./dom.js";
import { examples, inLanguage } from "./words.js";

export const title = "Add";

/// Where a sentence is kept that somebody has begun and gone elsewhere from, as to make a place for it.
const BEGUN = "nearme-begun";

const kinds = {
  time: "time", repeat: "again and again", place: "place", category: "kind of place", signal: "phone",
  condition: "only if", priority: "how important", tone: "how it sounds", unsupported: "not understood"
};

export async function show(root, id) {
  const draft = { id, text: "", reading: null, etag: null, reminder: null, turn: 0 };
  if (id) await begin(draft);
  else draft.text = sessionStorage.getItem(BEGUN) ?? "";
  const box = h("textarea", {
    name: "sentence", rows: "3", maxlength: "2000", autocapitalize: "sentences", "data-key": "sentence", value: draft.text,
    placeholder: api.productWords("capture.placeholder")
  });
  const notes = h("textarea", { name: "notes", rows: "2", maxlength: "4000", value: draft.reminder?.notes ?? "" });
  const shownReading = h("div", { "aria-live": "polite", id: "reading" });
  const save = h("button", { class: "first", type: "submit", disabled: true }, id ? "Save the change" : "Save");
  const form = h("form", {
    onsubmit: (event) => { event.preventDefault(); keepIt(draft, box, notes, save, shownReading); }
  },
  id && h("p", { class: "hint" }, "Change the sentence, or write it anew."),
  field("What, and when or where?", box, `As you would say it: “${inLanguage(examples, api.locale())[0]}”.`),
  shownReading,
  h("details", {}, h("summary", {}, "A note to it"), field("Note", notes)),
  h("div", { class: "row" }, save, h("a", { class: "button", href: "#list", onclick: () => sessionStorage.removeItem(BEGUN) }, "Leave it")));
  root.replaceChildren(form, id ? "" : examplesFor(box));
  let timer;
  const look = () => readIt(draft, box.value, shownReading, save);
  box.addEventListener("input", () => {
    clearTimeout(timer);
    save.disabled = true;
    timer = setTimeout(look, 300);
    if (!id) sessionStorage.setItem(BEGUN, box.value);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !save.disabled) form.requestSubmit();
  });
  if (box.value) await look();
  if (!id) box.focus();
  return { leave: () => clearTimeout(timer) };
}

/// The reminder to change, as it stands now.
async function begin(draft) {
  const { value, etag } = await api.readWithTag(`/reminders/${encodeURIComponent(draft.id)}`);
  draft.reminder = value;
  draft.etag = etag;
  draft.text = value.sentence ?? value.title;
}

const examplesFor = (box) => h("details", { open: true }, h("summary", {}, "Examples"), h("div", { class: "row" }, inLanguage(examples, api.locale()).slice(1).map((text) => button(text, () => {
  box.value = text;
  box.dispatchEvent(new Event("input"));
  box.focus();
}))));

async function readIt(draft, text, shownReading, save) {
  const turn = draft.turn += 1;
  if (text.trim() === "") {
    put(shownReading);
    return;
  }
  try {
    const reading = await api.question("/understand", { text });
    if (turn !== draft.turn) return;
    draft.reading = { ...reading, text };
    put(shownReading, pictured(draft.reading));
    save.disabled = !isSound(reading);
  } catch (refusal) {
    if (turn !== draft.turn) return;
    draft.reading = null;
    const isFar = refusal.status === 0;
    put(shownReading, h("p", { class: "alert" }, isFar
      ? "Near Me does not answer, so the sentence cannot be read now. Saved, it waits here and is read when it is sent."
      : refusal.message));
    save.disabled = !isFar || draft.id !== "";
  }
}

const isSound = (reading) => Boolean(reading.title) && (reading.errors ?? []).length === 0;

/// The sentence with what was read in it underlined, what it comes to, and what is still to be asked.
function pictured(reading) {
  const questions = reading.questions ?? [];
  return [
    h("h2", {}, "How it was read"),
    h("p", { class: "read", id: "read" }, underlined(reading)),
    h("p", { id: "sentence-back" }, reading.sentence ?? reading.title),
    (reading.spans ?? []).length > 0 && h("dl", {}, reading.spans.map((span) => [
      h("dt", {}, kinds[span.kind] ?? span.kind),
      h("dd", {}, slice(reading.text, span), span.reason ? `: ${span.reason}` : "")
    ])),
    questions.length > 0 && h("div", { class: "alert" }, h("h3", {}, "To be sure"),
      h("ul", {}, questions.map((question) => h("li", {}, question.text ?? question)))),
    (reading.errors ?? []).map((error) => h("p", { class: "bad" }, error.text ?? error))
  ];
}

/// Spans count Unicode scalars, the end excluded; JavaScript's strings count otherwise.
const slice = (text, span) => Array.from(text).slice(span.from, span.to).join("");

function underlined(reading) {
  const letters = Array.from(reading.text);
  const pieces = [];
  let at = 0;
  const spans = [...reading.spans ?? []].sort((a, b) => a.from - b.from || b.to - a.to);
  for (const span of spans) {
    // A time within "every day at 8" lies in its span: the outer one is underlined.
    if (span.from < at) continue;
    pieces.push(letters.slice(at, span.from).join(""));
    pieces.push(h("mark", { class: Object.hasOwn(kinds, span.kind) ? span.kind : "condition" },
      letters.slice(span.from, span.to).join(""), h("span", { class: "unseen" }, ` (${kinds[span.kind] ?? span.kind})`)));
    at = span.to;
  }
  return [...pieces, letters.slice(at).join("")];
}

/// The note of a changed reminder: the field's where somebody has written in it, else the sentence's where it has one.
function noteOf(draft, note) {
  const before = draft.reminder.notes?.trim() || null;
  return note === before ? draft.reading.reminder.notes ?? note : note;
}

async function keepIt(draft, box, notes, save, shownReading) {
  if (save.disabled) return;
  save.disabled = true;
  warn("");
  const note = notes.value.trim() || null;
  const text = box.value.trim();
  try {
    if (draft.id) {
      await api.change("PUT", `/reminders/${encodeURIComponent(draft.id)}`,
        { ...draft.reading.reminder, id: draft.id, notes: noteOf(draft, note) }, draft.etag);
      say("Saved.");
    } else {
      // The day it was said on counts, not the day it arrives: "tomorrow" shall mean the same then.
      const { isWaiting } = await api.edit("POST", "/remember", { text, notes: note, said_at: new Date().toISOString() },
        { words: text });
      sessionStorage.removeItem(BEGUN);
      say(isWaiting ? "Kept here; it is sent when Near Me answers again." : "Saved.");
    }
    location.hash = "#list";
  } catch (refusal) {
    save.disabled = false;
    if (refusal.status !== 412) {
      warn(refusal.message);
      return;
    }
    await begin(draft);
    put(shownReading, h("p", { class: "alert" }, "It was changed elsewhere meanwhile. It now says: “", draft.text,
      "”. What you wrote is still in the field: save again to have it so."));
    draft.reading = { ...await api.question("/understand", { text }), text };
  }
}
