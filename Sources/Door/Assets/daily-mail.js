// The mail a day with what is to be done: in the settings, and in the introduction.
import * as api from "./api.js";
import { field, h, put, tick, when } from "./dom.js";

const modes = [
  ["carry_over", "Unfinished reminders are in every mail, with the day they first appeared"],
  ["fresh_start", "Each reminder is in one mail only; the list then folds it away, and it still notifies you"]
];

/// How it stands; nothing is known of it where the door did not say.
export const standing = () => api.read("/daily-mail").catch(() => ({ offered: false }));

/// A form; nothing where this door mails nothing.
///
/// `save` is given what is set, or null for no mail, and answers whether it was saved.
export async function dailyMailForm(mail, save) {
  const known = await standing();
  const box = h("div");
  if (!known.offered && !mail) return box;
  const isOn = h("input", { type: "checkbox", checked: Boolean(mail) });
  const to = h("input", { type: "email", maxlength: "254", autocomplete: "email", value: mail?.to ?? "" });
  const at = h("input", { type: "time", required: true, value: mail?.at ?? "06:00" });
  const choices = modes.map(([mode, words]) => {
    const radio = h("input", { type: "radio", name: "daily-mode", value: mode, checked: (mail?.mode ?? "carry_over") === mode });
    return { mode, radio, element: tick(words, radio) };
  });
  const state = h("p", { class: "hint", role: "status" });
  const details = h("div", {}, h("div", { class: "halves" }, field("Mail address", to), field("At", at)),
    h("fieldset", {}, h("legend", {}, "What is not done"), choices.map((choice) => choice.element)));
  const follow = () => {
    details.hidden = !isOn.checked;
    to.required = isOn.checked;
    // What is hidden shall not keep anybody from saving.
    to.disabled = at.disabled = !isOn.checked;
  };
  isOn.addEventListener("change", follow);
  follow();
  tell(state, known);
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      const mode = choices.find((choice) => choice.radio.checked).mode;
      if (await save(isOn.checked ? { to: to.value.trim(), at: at.value, mode } : null)) tell(state, await standing());
    }
  }, h("fieldset", {}, h("legend", {}, "A mail a day"),
    h("p", { class: "hint" }, "One plain list of what is to be done, at a time of your day."),
    tick("Mail me the list each day", isOn), details, state,
    h("div", { class: "row" }, h("button", { type: "submit" }, "Save"))));
  put(box, form);
  return box;
}

function tell(state, { offered, next, trouble }) {
  state.textContent = [!offered && "This Near Me sends no mail: whoever keeps it starts it with --mail-from.",
    trouble && `The last one was not sent: ${trouble}.`, next && `The next one: ${when(next)}.`].filter(Boolean).join(" ");
}
