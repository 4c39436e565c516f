// A person's places: the list, and one form to make and change them.
import { remove } from "./answers.js";
import * as api from "./api.js";
import { button, field, h, once, put, say, untilLetGo, warn } from "./dom.js";
import { PickMap } from "./map.js";
import { Picker } from "./picker.js";

export const title = "Places";

export const kinds = [["home", "Home"], ["work", "Work"], ["other", "Another place"]];

export async function show(root, id) {
  const list = h("div");
  const form = h("div");
  const map = new PickMap({ lat: 0, lon: 0, label: "Your places", words: "The list says the same in words.", hasCross: false, onSize: () => map.fit(places) });
  const overview = h("div");
  root.replaceChildren(overview, list, form);
  let picker = null;
  let places = [];
  const refresh = async () => {
    const [all, edits] = await Promise.all([api.all("/places"), api.waiting()]);
    if (await untilLetGo(list)) return refresh();
    places = all;
    put(overview, places.length > 0 && picker === null && map.element);
    map.show(places.map((place) => ({ ...place, isPlace: true })));
    map.fit(places);
    const gone = new Set(edits.filter((edit) => edit.method === "DELETE").map((edit) => edit.subject));
    put(list, places.length === 0
      ? h("p", { class: "empty" }, "No place yet. Home and work are a good beginning.")
      : [h("h2", {}, "Your places"), h("ul", { class: "cards pair" }, places.filter((place) => !gone.has(`place:${place.id}`)).map((place) => card(place, refresh)))],
    edits.filter((edit) => edit.method === "POST" && edit.path === "/places")
      .map((edit) => h("p", { class: "hint" }, `${edit.body.name} is sent when Near Me answers again.`)));
  };
  await refresh();
  const open = async () => {
    picker?.leave();
    picker = await placeForm(form, places, id, () => { picker = null; form.replaceChildren(adder); refresh(); });
    put(overview);
  };
  const adder = button("Add a place", async () => { await open(); form.querySelector("input")?.focus(); }, { class: "first" });
  if (id) await open();
  else form.replaceChildren(adder);
  return { refresh, leave: () => { picker?.leave(); map.leave(); } };
}

const kindWords = (kind) => kinds.find(([name]) => name === kind)?.[1] ?? "Another place";

function card(place, refresh) {
  const key = (name) => ({ "data-key": `${name}-${place.id}`, "aria-describedby": `place-${place.id}` });
  return h("li", { class: "card" },
    h("h3", { id: `place-${place.id}` }, place.name),
    h("p", { class: "state" }, `${kindWords(place.kind)} · ${place.lat.toFixed(5)}, ${place.lon.toFixed(5)}`),
    h("div", { class: "row" },
      h("a", { class: "button", href: `#places/${encodeURIComponent(place.id)}`, ...key("edit") }, "Edit"),
      button("Delete", () => removeCard(place, refresh), { class: "danger", ...key("delete") })));
}

const removeCard = (place, refresh) => remove({
  path: `/places/${encodeURIComponent(place.id)}`, subject: `place:${place.id}`, etag: place.etag, title: place.name
}, refresh, () => document.querySelector(`[data-key="${CSS.escape(`delete-${place.id}`)}"]`)?.focus());

/// Where a map begins: at the place, at the first place, or nowhere.
const startOf = (place, places) => place ?? places[0] ?? null;

async function placeForm(root, places, id, done) {
  let place = null, etag = null;
  if (id) ({ value: place, etag } = await api.readWithTag(`/places/${encodeURIComponent(id)}`));
  const name = h("input", { name: "name", maxlength: "100", required: true, autocomplete: "off", value: place?.name ?? "" });
  const kind = h("select", { name: "kind" }, kinds.map(([value, words]) => h("option", { value, selected: value === (place?.kind ?? "other") }, words)));
  const radius = h("input", { type: "number", name: "radius", min: 1, max: 100_000, step: "any", inputmode: "decimal", value: place?.arrival_radius_m ?? "" });
  const picker = new Picker({ places: places.filter((other) => other.id !== id), start: startOf(place, places) });
  picker.onName = (found) => { if (found && name.value === "") name.value = found; };
  const save = once(async () => {
    warn("");
    if (!picker.isPicked && !place) {
      warn("Put the cross on the place first: find it, or move the map.");
      return;
    }
    const body = { name: name.value.trim(), kind: kind.value, arrival_radius_m: radius.value === "" ? null : radius.valueAsNumber, ...picker.value };
    try {
      const { isWaiting } = await api.edit(id ? "PUT" : "POST", id ? `/places/${encodeURIComponent(id)}` : "/places", body,
        { etag, words: body.name });
      picker.leave();
      say(isWaiting ? `${body.name} is sent when Near Me answers again.` : `${body.name} is saved.`);
      if (id) location.hash = "#places";
      else done();
    } catch (refusal) {
      warn(refusal.status === 412 ? "It was changed elsewhere meanwhile. Open it again to see how." : refusal.message);
    }
  });
  root.replaceChildren(h("form", { onsubmit: save },
    h("h2", {}, id ? `Change ${place.name}` : "Add a place"),
    field("Name", name, "As you will say it: “when I get to the allotment”."),
    field("What it is", kind),
    field("You are there within (meters)", radius, "Empty: as at most places. A large one, such as a park, has more."),
    picker.element,
    h("div", { class: "row" }, h("button", { class: "first", type: "submit" }, "Save the place"),
      button("Leave it", () => { picker.leave(); if (id) location.hash = "#places"; else done(); }))));
  return picker;
}
