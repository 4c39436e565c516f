// The map: Leaflet moves and scales it, and everything on it is drawn here, on two canvases. One holds
// what stands all day, the other what is so at the moment.

/// From red over yellow to blue: readable also by those who do not tell red from green.
const speedSteps = [[1, "speed-0"], [4, "speed-1"], [12, "speed-2"], [24, "speed-3"], [Infinity, "speed-4"]];

/// Which step a speed in meters a second is on.
const speedStep = (speed) => speedSteps.findIndex(([below]) => speed < below);

function buildMap(element, onPick) {
  if (typeof L === "undefined") return null;
  const map = L.map(element, {
    zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false, inertia: false,
    zoomSnap: 0.25, zoomDelta: 1, maxZoom: 20, attributionControl: false, keyboardPanDelta: 60
  });
  L.control.attribution({ prefix: false }).addTo(map);
  L.control.scale({ imperial: true, metric: true }).addTo(map);
  const names = report.baseMap ? report.baseMap.attribution : "Places © OpenStreetMap contributors, where the cache was built from it";
  map.attributionControl.addAttribution(names);
  const layer = new DayLayer(map);
  map.on("click", (event) => onPick(layer.hit(event.containerPoint)));
  return { map, layer };
}

class DayLayer {
  constructor(map) {
    this.map = map;
    const pane = map.getPanes().overlayPane;
    this.canvases = ["still", "moving"].map((name) => {
      const canvas = h("canvas", { class: `layer ${name}`, "aria-hidden": "true" });
      pane.append(canvas);
      return canvas;
    });
    this.ms = day.start;
    this.selected = null;
    map.on("move zoom viewreset resize", () => this.drawAll());
    this.bubbles = this.placeBubbles();
    this.base = (report.baseMap?.layers ?? []).map((layer) => ({
      ...layer, lines: layer.lines.map(unpackLine)
    }));
  }

  /// Where the phone was when something came on the screen; where several came, the latest lies on top.
  placeBubbles() {
    return report.screen.filter((change) => change.change === "came")
      .map((change) => ({ ...change, ...positionAt(change.at) }));
  }

  /// All of the way, and what belongs to it.
  fit() {
    const { lat, lon, count } = day.track;
    if (count === 0) {
      this.map.setView([0, 0], 2);
      return;
    }
    let [south, north, west, east] = [90, -90, 180, -180];
    for (let i = 0; i < count; i += 1) {
      south = Math.min(south, lat[i]);
      north = Math.max(north, lat[i]);
      west = Math.min(west, lon[i]);
      east = Math.max(east, lon[i]);
    }
    this.map.fitBounds([[south, west], [north, east]], { padding: [24, 24], animate: false, maxZoom: 16 });
  }

  begin(canvas) {
    const size = this.map.getSize();
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(size.x * ratio), Math.round(size.y * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${size.x}px`;
      canvas.style.height = `${size.y}px`;
    }
    L.DomUtil.setPosition(canvas, this.map.containerPointToLayerPoint([0, 0]));
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.x, size.y);
    pen.lineJoin = pen.lineCap = "round";
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    this.size = size;
    // The square of web maps in pixels, and where the picture begins in it.
    this.scale = 256 * 2 ** this.map.getZoom();
    const corner = this.map.containerPointToLatLng([0, 0]);
    this.left = mercatorX(corner.lng) * this.scale;
    this.top = mercatorY(corner.lat) * this.scale;
    return pen;
  }

  px(x) { return x * this.scale - this.left; }
  py(y) { return y * this.scale - this.top; }
  at(lat, lon) { return [this.px(mercatorX(lon)), this.py(mercatorY(lat))]; }
  pixels(metersLong, lat) { return metersLong * mercatorMeter(lat) * this.scale; }
  isSeen(x, y, around = 0) {
    return x > -around && y > -around && x < this.size.x + around && y < this.size.y + around;
  }

  drawAll() {
    if (!this.map.getSize().x) return;
    this.drawStill();
    this.drawMoving();
  }

  // MARK: What stands all day

  drawStill() {
    const pen = this.begin(this.canvases[0]);
    const c = colors();
    // Where all that is land is known, the rest is sea.
    pen.fillStyle = this.base.some((layer) => layer.kind === "land") ? c.water : c.land;
    pen.fillRect(0, 0, this.size.x, this.size.y);
    this.drawBase(pen, c);
    this.drawTrack(pen, c);
    if (this.map.getZoom() >= 16) this.drawFixes(pen, c);
    this.drawSpots(pen, c);
  }

  drawBase(pen, c) {
    const zoom = this.map.getZoom();
    const [west, east] = [this.left / this.scale, (this.left + this.size.x) / this.scale];
    const [north, south] = [this.top / this.scale, (this.top + this.size.y) / this.scale];
    for (const layer of this.base) {
      if (zoom < layer.leastZoom) continue;
      const look = baseLooks[layer.kind] ?? baseLooks.street;
      pen.beginPath();
      for (const line of layer.lines) {
        const [box, points] = line;
        if (box[0] > east || box[2] < west || box[1] > south || box[3] < north) continue;
        pen.moveTo(this.px(points[0]), this.py(points[1]));
        for (let i = 2; i < points.length; i += 2) pen.lineTo(this.px(points[i]), this.py(points[i + 1]));
      }
      if (look.isArea) {
        pen.fillStyle = c[look.color];
        pen.fill();
      } else {
        pen.strokeStyle = c[look.color];
        pen.lineWidth = Math.max(0.6, look.width * 2 ** (Math.min(zoom, 17) - 15));
        pen.stroke();
      }
    }
  }

  /// The way, colored by speed; thin and gray where the app was not given it.
  drawTrack(pen, c) {
    const { count, x, y, at, seen, segments, speed } = day.track;
    const paths = speedSteps.map(() => new Path2D());
    const unseen = new Path2D();
    let [lastX, lastY] = [NaN, NaN], lastStep = -1, isOut = true;
    for (let i = 0; i < count; i += 1) {
      const cut = i === 0 || segments.has(i) || at[i] - at[i - 1] > 600000;
      const px = x[i] * this.scale - this.left, py = y[i] * this.scale - this.top;
      if (cut) {
        [lastX, lastY, lastStep] = [px, py, -1];
        continue;
      }
      if (Math.abs(px - lastX) + Math.abs(py - lastY) < 1.5 && i + 1 < count) continue;
      const out = !this.isSeen(px, py, 50);
      if (!(out && isOut)) {
        const step = seen[i] ? speedStep(speed[i] / 10) : speedSteps.length;
        const path = paths[step] ?? unseen;
        if (step !== lastStep) path.moveTo(lastX, lastY);
        path.lineTo(px, py);
        lastStep = step;
      } else {
        lastStep = -1;
      }
      isOut = out;
      [lastX, lastY] = [px, py];
    }
    pen.strokeStyle = c.halo;
    pen.lineWidth = 6;
    for (const path of paths) pen.stroke(path);
    pen.strokeStyle = c.unseen;
    pen.lineWidth = 1.5;
    pen.stroke(unseen);
    pen.lineWidth = 3.5;
    paths.forEach((path, i) => {
      pen.strokeStyle = c[speedSteps[i][1]];
      pen.stroke(path);
    });
  }

  /// The fixes one by one; past 3,000 in the picture they are one blot, and the line under them says as much.
  drawFixes(pen, c) {
    const { count, x, y, lat, accuracy } = day.track;
    pen.strokeStyle = c.fix;
    pen.fillStyle = c.fix;
    pen.lineWidth = 0.75;
    let drawn = 0;
    for (let i = 0; i < count && drawn < 3000; i += 1) {
      const px = x[i] * this.scale - this.left, py = y[i] * this.scale - this.top;
      if (!this.isSeen(px, py, 20)) continue;
      drawn += 1;
      pen.beginPath();
      pen.arc(px, py, 1.6, 0, 7);
      pen.fill();
      pen.globalAlpha = 0.25;
      pen.beginPath();
      pen.arc(px, py, Math.max(2, this.pixels(accuracy[i], lat[i])), 0, 7);
      pen.stroke();
      pen.globalAlpha = 1;
    }
  }

  /// Places are houses, points of interest are diamonds: two symbols, whatever their color.
  drawSpots(pen, c) {
    const zoom = this.map.getZoom();
    const taken = [];
    const label = (text, x, y) => {
      const shown = text.length > 28 ? `${text.slice(0, 27)}…` : text.replaceAll(/\s+/g, " ");
      const width = pen.measureText(shown).width;
      const box = [x + 9, y - 8, x + 9 + width, y + 8];
      if (taken.some((b) => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3])) return;
      taken.push(box);
      pen.lineWidth = 3;
      pen.strokeStyle = c.paper;
      pen.strokeText(shown, x + 9, y);
      pen.fillStyle = c.ink;
      pen.fillText(shown, x + 9, y);
    };
    this.spots = [];
    for (const place of report.places) {
      const [x, y] = this.at(place.latitude, place.longitude);
      if (!this.isSeen(x, y, 20)) continue;
      this.spots.push([place, x, y]);
      house(pen, x, y, c.place, c.paper);
      label(place.name, x, y);
    }
    for (const point of report.points) {
      const [x, y] = this.at(point.latitude, point.longitude);
      if (!this.isSeen(x, y, 10)) continue;
      this.spots.push([point, x, y]);
      diamond(pen, x, y, zoom >= 13 ? 5.5 : 4, c.poi, c.paper);
      if (zoom >= 15) label(spotName(point), x, y);
    }
  }

  // MARK: What is so at the moment

  /// - `asked`: the reminder and the spot that people look at; either may be missing.
  show(ms, asked) {
    this.ms = ms;
    this.selected = asked.spot;
    this.reminder = asked.reminder;
    const here = positionAt(ms);
    if (here) {
      const [x, y] = this.at(here.lat, here.lon);
      const size = this.map.getSize();
      const edge = Math.min(size.x, size.y) * 0.06;
      if (x < edge || y < edge || x > size.x - edge || y > size.y - edge) {
        this.map.panTo([here.lat, here.lon], { animate: false });
        return;
      }
    }
    this.drawMoving();
  }

  drawMoving() {
    const pen = this.begin(this.canvases[1]);
    const c = colors();
    const here = positionAt(this.ms);
    const held = regionsAt(this.ms);
    this.drawRegions(pen, c, held);
    if (here) this.drawRings(pen, c, here);
    if (this.selected) this.ring(pen, c);
    this.drawBubbles(pen, c);
    if (!here) return;
    const [x, y] = this.at(here.lat, here.lon);
    pen.beginPath();
    pen.arc(x, y, Math.max(7, this.pixels(here.accuracy ?? 0, here.lat)), 0, 7);
    pen.fillStyle = c.veil;
    pen.fill();
    pen.beginPath();
    pen.arc(x, y, 7, 0, 7);
    pen.fillStyle = c.phone;
    pen.fill();
    pen.lineWidth = 2.5;
    pen.strokeStyle = c.paper;
    pen.stroke();
  }

  drawRegions(pen, c, held) {
    const wake = wakeAt(this.ms);
    const woke = new Set(wake && this.ms - wake.at < 120000 ? wake.regions : []);
    const safe = held.filter((region) => region.kind === "safe");
    if (safe.length > 0) {
      // Beyond the safe circle nothing needs a region.
      pen.beginPath();
      pen.rect(0, 0, this.size.x, this.size.y);
      for (const region of safe) this.circle(pen, region);
      pen.fillStyle = c.outside;
      pen.fill("evenodd");
    }
    for (const region of held) {
      pen.beginPath();
      this.circle(pen, region);
      pen.setLineDash(region.kind === "exit" ? [7, 5] : []);
      pen.lineWidth = woke.has(region.id) ? 5 : region.kind === "safe" ? 3 : 1.75;
      pen.strokeStyle = c[region.kind];
      pen.stroke();
      if (region.kind === "enter") {
        pen.fillStyle = c["enter-wash"];
        pen.fill();
      }
    }
    pen.setLineDash([]);
  }

  circle(pen, region) {
    const [x, y] = this.at(region.lat, region.lon);
    const radius = Math.max(2, this.pixels(region.radius, region.lat));
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 7);
  }

  /// The rings of reminders that are near: of the one that is asked about all, of the others the one that
  /// the phone came into last.
  drawRings(pen, c, here) {
    pen.setLineDash([2, 4]);
    pen.strokeStyle = c.accent;
    for (const { reminder, spot, distance } of nearest(here)) {
      const inside = reminder.rings.filter((ring) => distance <= ring.radiusMeters);
      // Nobody watches the rings of what is done.
      const isDone = bandsAt(reminder.bands, this.ms).some((band) => band.kind === "done");
      if (inside.length === 0 || isDone) continue;
      const isAsked = reminder.id === this.reminder;
      pen.lineWidth = isAsked ? 2 : 1;
      for (const ring of isAsked ? reminder.rings : inside.slice(-1)) {
        pen.beginPath();
        this.circle(pen, { lat: spot.latitude, lon: spot.longitude, radius: ring.radiusMeters });
        pen.stroke();
      }
    }
    pen.setLineDash([]);
  }

  ring(pen, c) {
    const [x, y] = this.at(this.selected.latitude, this.selected.longitude);
    pen.beginPath();
    pen.arc(x, y, 13, 0, 7);
    pen.lineWidth = 3;
    pen.strokeStyle = c.accent;
    pen.stroke();
  }

  drawBubbles(pen, c) {
    for (const bubble of this.bubbles) {
      if (bubble.lat === undefined) continue;
      const [x, y] = this.at(bubble.lat, bubble.lon);
      if (!this.isSeen(x, y, 30)) continue;
      pen.globalAlpha = bubble.at <= this.ms ? 1 : 0.35;
      speech(pen, x, y, bubble.at <= this.ms ? c.note : c.paper, c.ink);
      pen.globalAlpha = 1;
    }
  }

  // MARK: What is under a finger

  hit(point) {
    const near = (x, y, reach) => Math.hypot(x - point.x, y - point.y) <= reach;
    for (const bubble of [...this.bubbles].reverse()) {
      if (bubble.lat === undefined) continue;
      const [x, y] = this.at(bubble.lat, bubble.lon);
      if (near(x + 9, y - 14, 12)) return { bubble };
    }
    let best, least = 14;
    for (const [spot, x, y] of this.spots ?? []) {
      const distance = Math.hypot(x - point.x, y - point.y);
      if (distance < least) [best, least] = [spot, distance];
    }
    if (best) return { spot: best };
    let row = -1;
    least = 16;
    const { count, x, y } = day.track;
    for (let i = 0; i < count; i += 1) {
      const distance = Math.hypot(this.px(x[i]) - point.x, this.py(y[i]) - point.y);
      if (distance < least) [row, least] = [i, distance];
    }
    return row < 0 ? {} : { ms: day.track.at[row] };
  }
}

const baseLooks = {
  land: { color: "land", isArea: true },
  green: { color: "green", isArea: true }, water: { color: "water", isArea: true },
  river: { color: "water", width: 2 }, coast: { color: "coast", width: 1.5 },
  motorway: { color: "road-main", width: 3.5 }, main: { color: "road-main", width: 2.5 },
  street: { color: "road", width: 1.6 }, path: { color: "road", width: 0.6 }, rail: { color: "coast", width: 0.6 }
};

/// A line of the base map in the square of web maps, with the box around it.
function unpackLine(numbers) {
  const points = new Float64Array(numbers.length);
  const box = [1, 1, 0, 0];
  let [lat, lon] = [0, 0];
  for (let i = 0; i < numbers.length; i += 2) {
    lat += numbers[i];
    lon += numbers[i + 1];
    const x = mercatorX(lon * 1e-5), y = mercatorY(lat * 1e-5);
    points[i] = x;
    points[i + 1] = y;
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return [box, points];
}

const spotLists = report.reminders.map((reminder) => ({ reminder, spots: spotsOf(reminder) }));

/// For each reminder the spot that is nearest, and how far it is; those that are not about a place are
/// left out.
function nearest(here) {
  const found = [];
  for (const { reminder, spots } of spotLists) {
    let best, least = Infinity;
    for (const spot of spots) {
      const distance = roughMeters(here.lat, here.lon, spot.latitude, spot.longitude);
      if (distance < least) [best, least] = [spot, distance];
    }
    if (best) found.push({ reminder, spot: best, distance: least });
  }
  return found.sort((a, b) => a.distance - b.distance);
}

function house(pen, x, y, fill, edge) {
  pen.beginPath();
  pen.moveTo(x - 7, y);
  pen.lineTo(x, y - 8);
  pen.lineTo(x + 7, y);
  pen.lineTo(x + 5, y);
  pen.lineTo(x + 5, y + 7);
  pen.lineTo(x - 5, y + 7);
  pen.lineTo(x - 5, y);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.lineWidth = 1.25;
  pen.strokeStyle = edge;
  pen.stroke();
}

function diamond(pen, x, y, size, fill, edge) {
  pen.beginPath();
  pen.moveTo(x, y - size);
  pen.lineTo(x + size, y);
  pen.lineTo(x, y + size);
  pen.lineTo(x - size, y);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = edge;
  pen.stroke();
}

function speech(pen, x, y, fill, edge) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 3, y - 8);
  pen.lineTo(x, y - 8);
  pen.lineTo(x, y - 22);
  pen.lineTo(x + 20, y - 22);
  pen.lineTo(x + 20, y - 8);
  pen.lineTo(x + 9, y - 8);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.lineWidth = 1.25;
  pen.strokeStyle = edge;
  pen.stroke();
  pen.fillStyle = edge;
  for (const dot of [5, 10, 15]) pen.fillRect(x + dot - 1, y - 16, 2, 2);
}
