// A map to pick on: what is near, drawn to scale, and a cross in the middle that marks the spot. Hands, buttons
// and keys move it; a list beside it says the same in words.
import { button, far, h } from "./dom.js";

/// Meters in a degree of latitude, on the sphere of mean radius 6 371 008.8 m.
const DEGREE = 111_195.08;
/// The map ends so many degrees from the equator, on both sides.
export const FARTHEST_LATITUDE = 85;
const FINEST = 0.3, COARSEST = 20_000;
/// Beside what is to be seen as a whole, in pixels: room for signs and names.
const MARGIN = 80;

const wrapped = (lon) => ((lon + 540) % 360 + 360) % 360 - 180;
const within = (low, value, high) => Math.min(high, Math.max(low, value));

export class PickMap {
  /// `onRest` is told when the map was moved and has stood for a moment, `onSize` when it has a size or another.
  constructor({ lat, lon, metersPerPixel = 8, label, words, hasCross = true, onRest = () => {}, onSize = () => {} }) {
    Object.assign(this, { lat, lon, metersPerPixel, hasCross, onRest, marks: [], way: [], position: null, timer: 0, isMoved: false });
    const cross = "The cross in the middle marks the spot; the list says what is near it.";
    this.canvas = h("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "map",
      "aria-label": `${label}. Arrow keys move it, plus and minus change the scale. ${words ?? cross}`
    });
    this.element = h("div", { class: hasCross ? "map" : "map shown" }, this.canvas, this.tools());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.pointers();
    this.canvas.addEventListener("wheel", (event) => {
      // A map that is only looked at does not hold up who scrolls past it.
      if (!hasCross && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
    this.sizes = new ResizeObserver(() => { this.draw(); onSize(this); });
    this.sizes.observe(this.canvas);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.scheme.addEventListener("change", this.redraw);
  }

  leave() {
    clearTimeout(this.timer);
    this.sizes.disconnect();
    this.scheme.removeEventListener("change", this.redraw);
  }

  tools() {
    const tool = (sign, name, press) => button(sign, press, { "aria-label": name });
    return h("div", { class: "tools", role: "group", "aria-label": "Move the map" },
      tool("−", "Show more around", () => this.zoom(1.6)), tool("+", "Show it closer", () => this.zoom(0.625)),
      tool("←", "Move the map left", () => this.pan(-1, 0)), tool("↑", "Move the map up", () => this.pan(0, -1)),
      tool("↓", "Move the map down", () => this.pan(0, 1)), tool("→", "Move the map right", () => this.pan(1, 0)));
  }

  key(event) {
    const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    if (event.key in steps) this.pan(...steps[event.key], event.shiftKey ? 0.05 : 0.2);
    else if (event.key === "+" || event.key === "=") this.zoom(0.625);
    else if (event.key === "-") this.zoom(1.6);
    else return;
    event.preventDefault();
  }

  pointers() {
    const down = new Map();
    let spread = 0;
    const distance = () => {
      const [a, b] = [...down.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (down.size === 2) spread = distance();
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (down.size === 1) this.move(before.x - event.clientX, before.y - event.clientY);
      if (down.size === 2 && distance() > 10) {
        this.zoom(spread / distance());
        spread = distance();
      }
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, (event) => down.delete(event.pointerId));
  }

  pan(right, down, part = 0.2) {
    this.move(right * this.canvas.clientWidth * part, down * this.canvas.clientHeight * part);
  }

  move(x, y) {
    this.lat = within(-FARTHEST_LATITUDE, this.lat - y * this.metersPerPixel / DEGREE, FARTHEST_LATITUDE);
    this.lon = wrapped(this.lon + x * this.metersPerPixel / this.metersPerLon());
    this.changed();
  }

  zoom(factor) {
    this.metersPerPixel = within(FINEST, this.metersPerPixel * factor, COARSEST);
    this.changed();
  }

  go(lat, lon, metersPerPixel = this.metersPerPixel) {
    Object.assign(this, { lat: within(-FARTHEST_LATITUDE, lat, FARTHEST_LATITUDE), lon: wrapped(lon), metersPerPixel });
    this.changed();
  }

  show(marks, position = this.position) {
    this.marks = marks;
    this.position = position;
    this.draw();
  }

  /// Meters from the middle to the farthest corner.
  get radiusMeters() {
    return Math.hypot(this.canvas.clientWidth, this.canvas.clientHeight) / 2 * this.metersPerPixel;
  }

  metersPerLon() {
    return DEGREE * Math.cos(this.lat * Math.PI / 180);
  }

  /// Shows all of some points, until a hand has moved the map.
  fit(points) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.isMoved || width === 0 || points.length === 0) return;
    const [lats, lons] = [points.map((point) => point.lat), points.map((point) => point.lon)];
    const [south, north, west, east] = [Math.min(...lats), Math.max(...lats), Math.min(...lons), Math.max(...lons)];
    this.lat = (south + north) / 2;
    this.lon = (west + east) / 2;
    this.metersPerPixel = within(2, Math.max((north - south) * DEGREE / (height - MARGIN), (east - west) * this.metersPerLon() / (width - MARGIN)), COARSEST);
    this.draw();
  }

  changed() {
    this.isMoved = true;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onRest(this), 350);
  }

  at({ lat, lon }) {
    return [
      this.canvas.clientWidth / 2 + wrapped(lon - this.lon) * this.metersPerLon() / this.metersPerPixel,
      this.canvas.clientHeight / 2 - (lat - this.lat) * DEGREE / this.metersPerPixel
    ];
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    pen.fillStyle = color("land");
    pen.fillRect(0, 0, width, height);
    const step = this.drawGrid(pen, color, width, height);
    this.drawWay(pen, color);
    for (const mark of [...this.marks].reverse()) this.drawMark(pen, color, mark);
    this.drawNames(pen, color, width, height);
    this.drawText(pen, color, `${far(step)} a square`, 10, height - 10);
    if (this.position) this.drawPosition(pen, color);
    if (this.hasCross) this.drawCross(pen, color, width / 2, height / 2);
  }

  drawWay(pen, color) {
    if (this.way.length === 0) return;
    pen.lineJoin = pen.lineCap = "round";
    for (const [name, width] of [["paper", 7], ["phone", 4]]) {
      pen.strokeStyle = color(name);
      pen.lineWidth = width;
      pen.beginPath();
      for (const point of this.way) pen.lineTo(...this.at(point));
      pen.stroke();
    }
  }

  /// Lines at a round distance, and how far that is in meters.
  drawGrid(pen, color, width, height) {
    const wanted = 90 * this.metersPerPixel;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((part) => part * power).find((size) => size >= wanted);
    const pixels = step / this.metersPerPixel;
    const shiftX = -(this.lon * this.metersPerLon() / this.metersPerPixel - width / 2) % pixels;
    const shiftY = (this.lat * DEGREE / this.metersPerPixel + height / 2) % pixels;
    pen.strokeStyle = color("road");
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = shiftX; x < width; x += pixels) { pen.moveTo(x, 0); pen.lineTo(x, height); }
    for (let y = shiftY; y < height; y += pixels) { pen.moveTo(0, y); pen.lineTo(width, y); }
    pen.stroke();
    return step;
  }

  /// Letters with a halo, so that they can be read on anything.
  drawText(pen, color, text, x, y) {
    pen.lineWidth = 3;
    pen.strokeStyle = color("land");
    pen.strokeText(text, x, y);
    pen.fillStyle = color("ink");
    pen.fillText(text, x, y);
  }

  /// A place of one's own is a square, a point of interest a circle, what was said a triangle and what was not a
  /// ring: told apart without color.
  drawMark(pen, color, mark) {
    const [x, y] = this.at(mark);
    pen.fillStyle = color(mark.isPlace ? "place" : mark.isSaid ? "ink" : mark.isQuiet ? "paper" : "poi");
    pen.strokeStyle = color("paper");
    pen.lineWidth = 1.5;
    pen.beginPath();
    if (mark.isQuiet) pen.strokeStyle = color("ink");
    if (mark.isPlace) pen.rect(x - 7, y - 7, 14, 14);
    else if (mark.isSaid) { pen.moveTo(x, y - 9); pen.lineTo(x + 9, y + 7); pen.lineTo(x - 9, y + 7); pen.closePath(); }
    else pen.arc(x, y, 5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }

  /// Names as far as there is room, the first marks first.
  drawNames(pen, color, width, height) {
    // The foot on the left is for the scale.
    const taken = [{ left: 0, right: 130, top: height - 26, bottom: height }];
    pen.font = "13px system-ui, sans-serif";
    for (const mark of this.marks) {
      const [x, y] = this.at(mark);
      const text = mark.name ?? "";
      const length = pen.measureText(text).width;
      // On the right of the sign; the name of a place on its left where there is no room.
      const left = [x + 12, ...mark.isPlace ? [x - 12 - length] : []].find((left) => left >= 0 && left + length <= width && !taken.some((other) =>
        left - 2 < other.right && left + length + 2 > other.left && y - 9 < other.bottom && y + 9 > other.top));
      if (left === undefined) continue;
      taken.push({ left: left - 2, right: left + length + 2, top: y - 9, bottom: y + 9 });
      this.drawText(pen, color, text, left, y + 4);
    }
  }

  drawPosition(pen, color) {
    const [x, y] = this.at(this.position);
    pen.strokeStyle = color("phone");
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(x, y, 8, 0, 2 * Math.PI);
    pen.stroke();
  }

  drawCross(pen, color, x, y) {
    for (const [name, width] of [["paper", 5], ["ink", 2]]) {
      pen.strokeStyle = color(name);
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(x - 16, y); pen.lineTo(x - 4, y); pen.moveTo(x + 4, y); pen.lineTo(x + 16, y);
      pen.moveTo(x, y - 16); pen.lineTo(x, y - 4); pen.moveTo(x, y + 4); pen.lineTo(x, y + 16);
      pen.stroke();
    }
  }
}
