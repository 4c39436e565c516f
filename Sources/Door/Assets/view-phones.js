// The phones: how they are, what to do where they are not well, and how to add one.
import * as api from "./api.js";
import { button, far, field, h, once, plural, put, s, say, since, untilLetGo, warn } from "./dom.js";
import { qr } from "./qr.js";
import { modeOf, refusal as refusalWords } from "./words.js";

export const title = "Phones";

export async function show(root) {
  const list = h("div");
  const fresh = h("div");
  const refresh = async () => {
    const [phones, regions, places] = await Promise.all([api.all("/phones"), api.read("/regions"), api.all("/places")]);
    if (await untilLetGo(list)) return refresh();
    render(list, phones, { ...regions, places }, refresh);
  };
  root.replaceChildren(list, fresh, adder(fresh, refresh));
  await refresh();
  return { refresh };
}

function render(list, phones, watched, refresh) {
  put(list, phones.length === 0
    ? h("p", { class: "empty" }, "No phone yet. Without one, Near Me knows times, but not where you are.")
    : [h("h2", {}, "Your phones"), h("ul", { class: "cards" }, phones.map((phone) => card(phone, watched, refresh))),
      silence(phones.some((phone) => (phone.advice ?? []).some((item) => item.name === "silent")))]);
}

function card(phone, watched, refresh) {
  const regions = phone.regions;
  const advice = phone.advice ?? [];
  return h("li", { class: "card" },
    h("h3", { id: `phone-${phone.id}` }, phone.name, phone.leading && h("span", { class: "good" }, " · leading")),
    h("dl", {},
      h("dt", {}, "Last seen"), h("dd", {}, since(phone.last_seen), phone.app && ` by ${appOf(phone.app)}`),
      phone.mode && [h("dt", {}, "Mode"), h("dd", {}, modeOf(phone.mode))],
      phone.battery_percent !== undefined && phone.battery_percent !== null && [h("dt", {}, "Battery"), h("dd", {}, `${phone.battery_percent} %`)],
      regions && [h("dt", {}, "Watches"), h("dd", {}, watching(regions))]),
    advice.length > 0
      ? h("div", { class: "alert" }, h("ul", {}, advice.map((item) => h("li", {}, item.text))))
      : h("p", { class: "good" }, "All is well."),
    phone.leading && phone.name === watched.phone && regions?.held > 0 && regionList(phone, watched),
    (phone.refusals ?? []).length > 0 && h("details", {}, h("summary", { "data-key": `refusals-${phone.id}` }, "What was not taken from it"),
      h("ul", {}, phone.refusals.map((entry) => h("li", {}, `${entry.count} × `, h("code", {}, entry.name), `: ${entry.text ?? refusalWords(entry.name)}`)))),
    h("div", { class: "row" }, removal(phone, refresh)));
}

/// The app's own name and version, without those of what it is built with.
const appOf = (agent) => agent.split(" ")[0].replace("/", " ");

/// How many of the places that it was asked to watch it has shown to hold.
function watching({ asked, held, missing }) {
  if (missing.length > 0) return [`${held} of ${plural(asked, "region")}`, h("span", { class: "warn" }, `; ${missing.length} missing`)];
  if (held === 0) return `asked for ${plural(asked, "region")}, and has not said that it holds them: until then every position that it sends is looked at`;
  return `${held} of ${plural(asked, "region")}`;
}

const crossings = { enter: "wakes it on coming within", exit: "wakes it on leaving", safe: "lets it sleep within" };

/// What the phone is to watch, in words: an id such as "enter:home:15000" has the place in its middle.
function regionList(phone, { items, places }) {
  const rows = items.map((region) => {
    const place = places.find(({ id }) => id === region.id.split(":")[1]);
    const name = h("span", {}, region.kind === "safe" ? "where it was last" : place?.name ?? "a place that matters");
    return { region, name, isKnown: region.kind === "safe" || place !== undefined, element: h("li", {}, `${crossings[region.kind] ?? region.kind} ${far(region.radius_m)} of `, name,
      region.missing && h("span", { class: "warn" }, " – the phone does not hold it")) };
  });
  // The names of shops are asked for when somebody wants to read them.
  const ask = (event) => {
    if (!event.target.open) return;
    for (const row of rows.filter(({ isKnown }) => !isKnown)) {
      row.isKnown = true;
      shopAt(row.region).then((found) => { if (found) row.name.textContent = found; }, () => {});
    }
  };
  return h("details", { ontoggle: ask }, h("summary", { "data-key": `regions-${phone.id}` }, "What it watches"), h("ul", {}, rows.map(({ element }) => element)));
}

/// What the cache has in the middle of a region; by its kind, where it has no name.
async function shopAt({ lat, lon }) {
  const [found] = (await api.read(`/near?lat=${lat}&lon=${lon}&radius_m=30&limit=1`)).items ?? [];
  return found && (found.name ?? `a ${String(found.category).replaceAll("_", " ")}`);
}

/// What to look at, in the order in which it is most often the reason.
const silence = (isSilent) => h("details", { open: isSilent }, h("summary", { "data-key": "silence" }, "Why is my phone silent?"), h("ol", {}, [
  "It sleeps. Between places it says nothing for hours, and that is how it should be: a walk around the block wakes it.",
  "The app may not see the location all the time. In the phone's settings, for the app: location “Always”, with “Precise location”.",
  "The phone has put the app to sleep. Android: take it out of battery optimization. iPhone: turn on “Background App Refresh”, and do not swipe the app away.",
  "It does not reach this computer. Open the app where you are now: its own status page says whether a message was sent.",
  "Its password is another one. Take it off here, add it again, and scan the new code.",
  "It spoke, and nothing was to be said: the Day says what was kept quiet, and why."
].map((text) => h("li", {}, text))));

/// Asks once more, where the button was.
function removal(phone, refresh) {
  const box = h("div", { class: "row" });
  const attributes = { class: "danger", "aria-describedby": `phone-${phone.id}` };
  const ask = () => {
    put(box, button("Yes, take it off", remove, attributes), button("Keep it", rest));
    box.firstElementChild.focus();
  };
  const rest = () => put(box, button("Take it off", ask, { ...attributes, "data-key": `remove-${phone.id}` }));
  const remove = async () => {
    try {
      await api.change("DELETE", `/phones/${encodeURIComponent(phone.id)}`);
      say(`${phone.name} is taken off; what it sends is refused from now on.`);
    } catch (refusal) {
      warn(refusal.message);
    }
    await refresh();
  };
  rest();
  return box;
}

/// A name as the door takes it: "Anna's iPhone" is anna-s-iphone. Empty where no letter or digit is in it.
export const phoneName = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  .replace(/[^a-z0-9_]+/g, "-").replace(/^-+/, "").slice(0, 32).replace(/-+$/, "");

/// The form that adds a phone; what sets it up is shown in `fresh`.
export function adder(fresh, refresh) {
  const name = h("input", {
    maxlength: "60", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false", placeholder: "iphone",
    oninput: () => name.setCustomValidity(name.value === "" || phoneName(name.value) ? "" : "Write it with letters from a to z, or digits."),
    onchange: () => { name.value = phoneName(name.value) || name.value; }
  });
  const add = once(async () => {
    warn("");
    try {
      const made = await api.change("POST", "/phones", { name: phoneName(name.value) });
      put(fresh, setUp(made));
      name.value = "";
      fresh.querySelector("h2").focus();
      await refresh();
    } catch (refusal) {
      warn(refusal.message);
    }
  });
  return h("form", { onsubmit: add }, h("fieldset", {}, h("legend", {}, "Add a phone"),
    h("p", { class: "hint" }, "An app on the phone reports where it is, to this computer and nobody else. OwnTracks (iPhone and Android) is told which places to watch, so that the phone can sleep; Overland, Traccar Client, OsmAnd and GPSLogger work, too. Install one first; allow location “Always” when it asks, or nothing can be told while the screen is off."),
    field("Name of the phone", name, "It signs in by this name: small letters, digits, - and _; what else you write becomes a -."),
    h("div", { class: "row" }, h("button", { class: "first", type: "submit" }, "Add it"))));
}

/// What is shown once: the password is not kept in the clear.
function setUp(made) {
  const links = [["OwnTracks", made.owntracks], ["Overland", made.overland]].filter(([, link]) => link);
  const box = h("div", { class: "once" },
    h("h2", { tabindex: "-1" }, `Set up ${made.phone ?? "the phone"}`),
    h("p", {}, "This is shown once. Scan the code with the phone's camera, or open the link on the phone."),
    links.map(([app, link]) => h("section", {}, h("h3", {}, app), picture(link, app),
      h("p", {}, h("a", { class: "button", href: link }, `Open in ${app}`)),
      h("details", {}, h("summary", {}, "The link as text"), h("code", { class: "secret", tabindex: "0" }, link)))),
    h("h3", {}, "By hand, in any app"),
    h("dl", {}, [["User", made.user], ["Password", made.password]].filter(([, value]) => value).map(([name, value]) => [
      h("dt", {}, name), h("dd", {}, h("code", {}, value))
    ]), Object.entries(made.paths ?? {}).map(([app, path]) => [h("dt", {}, app), h("dd", {}, h("code", {}, location.origin + path))])),
    button("I have it", () => { box.remove(); say("The password is no longer shown."); }));
  return box;
}

/// A QR code of a link, with the quiet zone of four modules; nothing where it is too long for a camera.
function picture(link, app) {
  const rows = qr(link);
  if (!rows) return h("p", { class: "hint" }, "The link is too long for a code: send it to the phone.");
  const size = rows.length + 8;
  const d = rows.flatMap((row, y) => row.map((isDark, x) => isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("");
  return s("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `QR code of the link for ${app}`, "shape-rendering": "crispEdges" },
    s("path", { d, fill: "#000" }));
}
