// Picks a spot: by a name or an address in the cache, by coordinates, by where this device is, or on the map.
import * as api from "./api.js";
import { button, far, field, h, put, say } from "./dom.js";
import { FARTHEST_LATITUDE, PickMap } from "./map.js";

const LIST = 12, DRAWN = 150;

// A number of degrees, or degrees with minutes and seconds; the side of the globe stands before both numbers or behind.
const ANGLE = String.raw`([+-]?\d{1,3}(?:\.\d+)?)\s*°?\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’]\s*)?(?:(\d{1,2}(?:\.\d+)?)\s*["″”]\s*)?`;
const BEFORE = new RegExp(String.raw`^\s*([NSEW])\s*${ANGLE}\s*[,;]?\s*([NSEW])\s*${ANGLE}\s*$`, "i");
const BEHIND = new RegExp(String.raw`^\s*${ANGLE}([NSEW]?)(?:\s*[,;]\s*|\s+|(?<=[NSEW]))${ANGLE}([NSEW]?)\s*$`, "i");

/// "38.0038, -34.1551", "39.28 N 76.60 W", "39°17'N 76°36'W" and the like; null where a text is no pair of coordinates,
/// and "off" where they lie off the globe.
export function coordinates(text) {
  const plain = text.replaceAll("−", "-");
  const [before, behind] = [BEFORE.exec(plain), BEHIND.exec(plain)];
  if (!before && !behind) return null;
  const parts = before
    ? [[...before.slice(2, 5), before[1]], [...before.slice(6, 9), before[5]]]
    : [behind.slice(1, 5), behind.slice(5, 9)];
  const angles = parts.map(([degrees, minutes, seconds, side]) => {
    const size = Math.abs(Number(degrees)) + Number(minutes ?? 0) / 60 + Number(seconds ?? 0) / 3600;
    const isNegative = degrees.startsWith("-") || /[SW]/i.test(side);
    return { isLongitude: /[EW]/i.test(side), value: isNegative ? -size : size };
  });
  if (angles[0].isLongitude) angles.reverse();
  const [lat, lon] = angles.map(({ value }) => value);
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : "off";
}

const metersBetween = (a, b) => Math.hypot((a.lat - b.lat) * 111_195, (a.lon - b.lon) * 111_195 * Math.cos(a.lat * Math.PI / 180));

export class Picker {
  /// `places` are drawn, too; `start` is the middle at first, null where nothing is known yet.
  constructor({ places, start, why }) {
    this.places = places;
    this.isPicked = false;
    this.map = new PickMap({
      lat: start?.lat ?? 20, lon: start?.lon ?? 0, metersPerPixel: start ? 6 : 15_000, label: "Map",
      onRest: () => { this.isPicked = true; this.look(); },
      onSize: () => { if (start || this.isPicked) this.look(); }
    });
    this.spot = h("p", { class: "hint" });
    this.near = h("ul", { class: "cards found" });
    this.results = h("div", { "aria-live": "polite" });
    this.element = h("div", {}, this.search(), this.here(why), h("div", { class: "with-map" },
      h("div", {}, this.map.element, this.spot, h("ul", { class: "legend" },
        h("li", {}, h("span", { class: "sign of-place", "aria-hidden": "true" }, "■ "), "your places"),
        h("li", {}, h("span", { class: "sign of-poi", "aria-hidden": "true" }, "● "), "shops and the like"),
        h("li", {}, h("span", { class: "sign of-phone", "aria-hidden": "true" }, "○ "), "this device"))),
      h("section", {}, h("h3", {}, "Near the cross"), this.near)));
    this.map.show(this.ownMarks());
  }

  leave() {
    this.map.leave();
  }

  /// Where the cross is.
  get value() {
    return { lat: Number(this.map.lat.toFixed(6)), lon: Number(this.map.lon.toFixed(6)) };
  }

  ownMarks() {
    return this.places.map((place) => ({ ...place, isPlace: true }));
  }

  search() {
    const box = h("input", { type: "search", autocomplete: "off", enterkeyhint: "search" });
    const find = () => this.find(box.value);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      find();
    });
    return h("div", {}, field("Address, name or coordinates", box,
      "It looks into the places on this computer; nothing is asked elsewhere."),
    h("div", { class: "row" }, button("Find", find)), this.results);
  }

  /// The browser asks for the permission only after the person has read what for, and pressed.
  here(why) {
    const look = button("Look where I am", () => {
      this.results.textContent = "Looking …";
      navigator.geolocation.getCurrentPosition(({ coords }) => {
        this.results.textContent = `Found, to ${far(coords.accuracy)}. Move the map where that is not exact.`;
        this.map.position = { lat: coords.latitude, lon: coords.longitude };
        this.pick(this.map.position);
      }, (error) => {
        this.results.textContent = error.code === 1
          ? "The browser may not say where this device is. Pick the spot on the map, or by its address."
          : "This device does not know where it is. Pick the spot on the map, or by its address.";
      }, { enableHighAccuracy: true, timeout: 20_000 });
    });
    look.disabled = !("geolocation" in navigator);
    return h("details", {}, h("summary", {}, "Where I am"),
      h("p", {}, why ?? "This device's position is used once, to put the cross where you are. It goes to your own Near Me only, when you save."),
      look);
  }

  async find(text) {
    const spot = coordinates(text);
    if (spot === "off") {
      this.results.textContent = "These coordinates lie off the globe: the latitude comes first, from -90 to 90.";
      return;
    }
    if (spot && Math.abs(spot.lat) > FARTHEST_LATITUDE) {
      this.results.textContent = `The map ends at a latitude of ${FARTHEST_LATITUDE}°: the cross cannot be there.`;
      return;
    }
    if (spot) {
      this.pick(spot);
      this.results.textContent = "The cross is there.";
      return;
    }
    if (text.trim() === "") return;
    this.results.textContent = "Looking …";
    try {
      const { lat, lon } = this.value;
      const found = (await api.read(`/near?lat=${lat}&lon=${lon}&limit=${LIST}&text=${encodeURIComponent(text.trim())}`)).items ?? [];
      put(this.results, found.length === 0
        ? h("p", {}, "Nothing of that name or address is in the cache.")
        : [h("p", {}, `${found.length} found, the nearest first.`), h("ul", { class: "cards found" }, found.map((poi) => this.entry(poi, () => {
          // The list has done its work: what counts now is the map below it.
          this.results.textContent = `The cross is at ${poi.name ?? poi.address}.`;
          this.map.canvas.focus({ preventScroll: true });
        })))]);
    } catch (refusal) {
      this.results.textContent = refusal.message;
    }
  }

  pick(spot) {
    this.isPicked = true;
    this.map.go(spot.lat, spot.lon, Math.min(this.map.metersPerPixel, 4));
    this.map.element.scrollIntoView({ block: "nearest" });
    this.onName?.(spot.name);
  }

  entry(poi, done = () => {}) {
    const words = [poi.category?.replaceAll("_", " "), poi.address, poi.open === true ? "open" : poi.open === false ? "closed" : null, poi.hours];
    return h("li", {}, button([poi.name ?? poi.address ?? "Without a name",
      h("span", { class: "far" }, [poi.distance_m === undefined ? null : far(poi.distance_m), ...words].filter(Boolean).join(" · "))],
    () => { done(); this.pick(poi); say(`The cross is at ${poi.name ?? poi.address}.`); }));
  }

  /// What is near the cross, from the cache.
  async look() {
    const { lat, lon } = this.value;
    this.spot.textContent = `The cross is at ${lat.toFixed(5)}, ${lon.toFixed(5)}.`;
    let found = [];
    if (this.map.radiusMeters < 50_000) {
      const radius = Math.ceil(this.map.radiusMeters);
      found = await api.read(`/near?lat=${lat}&lon=${lon}&radius_m=${radius}&limit=${DRAWN}`).then((page) => page.items ?? [], () => []);
    }
    if (lat !== this.value.lat || lon !== this.value.lon) return;
    this.map.show([...this.ownMarks(), ...found]);
    const own = this.places.map((place) => ({ ...place, category: "your place", distance_m: metersBetween(place, { lat, lon }) }))
      .filter((place) => place.distance_m <= this.map.radiusMeters);
    const listed = [...own, ...found].sort((a, b) => (a.distance_m ?? 0) - (b.distance_m ?? 0)).slice(0, LIST);
    put(this.near, listed.length === 0 ? h("li", { class: "empty" }, "Nothing that the cache knows.") : listed.map((poi) => this.entry(poi)));
  }
}
