// The answers beside "done" and "mute", folded away until they are wanted.
import { button, h } from "./dom.js";
import { snoozes } from "./words.js";

/// "Snooze …", which opens to the choices of the engine.
export function snoozeFold(id, about, press) {
  return h("details", { class: "choices" },
    h("summary", { "data-key": `snooze-${id}`, "aria-describedby": about }, "Snooze"),
    h("div", { class: "row" }, snoozes.map((choice) => button(choice.label,
      (event) => {
        event.target.closest("details").open = false;
        press(choice.body, `snoozed (${choice.label.toLowerCase()})`);
      }, { "aria-describedby": about }))));
}
