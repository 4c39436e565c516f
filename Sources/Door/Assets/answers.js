// The answers beside "done" and "mute", folded away until they are wanted.
import { button, h, plural } from "./dom.js";
import { snoozes } from "./words.js";

/// "Snooze …", which opens to the choices of the engine and a field for minutes, up to the hour that it takes by default.
export function snoozeFold(id, about, press) {
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
    h("div", { class: "row" }, snoozes.map((choice) => button(choice.label,
      (event) => snooze(event, choice.body, choice.label.toLowerCase()), { "aria-describedby": about }))),
    h("form", { class: "row", onsubmit: snoozeByMinutes }, minutes, h("button", { "aria-describedby": about }, "Snooze so many minutes")));
}
