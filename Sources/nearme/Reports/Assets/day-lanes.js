// The time line: a canvas that is drawn anew when what it shows changes, and a cursor that only moves.

const laneHeight = 62, headHeight = 62, labelHeight = 20, margin = 10;

/// A stripe pattern, so that bands can be told apart without color.
function stripes(context, color, slant) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.strokeStyle = color;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-8, 0, 8]) {
    if (slant === "up") { pen.moveTo(shift, 8); pen.lineTo(shift + 8, 0); }
    if (slant === "down") { pen.moveTo(shift, 0); pen.lineTo(shift + 8, 8); }
  }
  if (slant === "dots") pen.arc(4, 4, 0.8, 0, 7);
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

class Lanes {
  /// - `canvas`: where it is drawn; `cursor`: what is moved over it.
  constructor(canvas, cursor) {
    this.canvas = canvas;
    this.cursor = cursor;
    this.view = [day.start, day.end];
    this.selected = null;
    this.speeds = Float32Array.from(day.track.speed, (speed) => Math.max(0, speed / 10));
    this.byReminder = new Map(report.reminders.map(({ id }) => [id, {
      decisions: day.decisions.filter((line) => line.reminder === id && line.reason !== "exit"),
      transitions: day.transitions.filter((line) => line.reminder === id),
      visits: (report.truth?.visits ?? []).filter((visit) => visit.reminder === id),
      verdicts: (report.truth?.verdicts ?? []).filter((verdict) => verdict.reminder === id)
    }]));
  }

  get height() { return headHeight + report.reminders.length * laneHeight + 4; }

  resize() {
    const width = this.canvas.parentElement.clientWidth;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.width = width;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.height = `${this.height}px`;
    this.cursor.style.height = `${this.height}px`;
    this.ratio = ratio;
    this.draw();
  }

  x(ms) {
    const [from, until] = this.view;
    return margin + (ms - from) / (until - from) * (this.width - 2 * margin);
  }

  instant(x) {
    const [from, until] = this.view;
    const share = (x - margin) / (this.width - 2 * margin);
    return Math.max(day.start, Math.min(day.end, from + share * (until - from)));
  }

  laneAt(y) { return report.reminders[Math.floor((y - headHeight) / laneHeight)]; }

  /// Shows so much of the day, around an instant that stays where it is.
  zoom(factor, around) {
    const [from, until] = this.view;
    const whole = day.end - day.start;
    const length = Math.max(Math.min(60000, whole), Math.min(whole, (until - from) / factor));
    const share = (around - from) / (until - from);
    this.look(around - share * length, length);
  }

  look(from, length) {
    const start = Math.max(day.start, Math.min(day.end - length, from));
    this.view = [start, start + length];
    this.draw();
  }

  /// Moves the cursor; where it would leave the view, the view goes with it.
  moveTo(ms) {
    const [from, until] = this.view;
    if (ms < from || ms > until) this.look(ms - (until - from) / 4, until - from);
    this.cursor.style.transform = `translateX(${this.x(ms)}px)`;
  }

  // MARK: Drawing

  draw() {
    const pen = this.canvas.getContext("2d");
    const c = colors();
    this.pen = pen;
    this.c = c;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.fillStyle = c.paper;
    pen.fillRect(0, 0, this.width, this.height);
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    this.patterns = {
      quiet_hours: stripes(pen, c.band, "down"), focus: stripes(pen, c.band, "dots"),
      gap: stripes(pen, c.band, "up"), access: stripes(pen, c.warn, "dots"),
      snooze: stripes(pen, c.warn, "up"), mute: stripes(pen, c.dim, "down"),
      done: stripes(pen, c.dim, "up")
    };
    for (const band of report.bands) this.band(band, 22, this.height - 22);
    this.axis();
    this.speedRow();
    this.wakeRow();
    report.reminders.forEach((reminder, i) => this.lane(reminder, headHeight + i * laneHeight));
  }

  band(band, y, height) {
    const x = Math.max(0, this.x(band.from)), end = Math.min(this.width, this.x(band.until));
    if (end <= x) return;
    this.pen.fillStyle = this.patterns[band.kind] ?? this.c.band;
    this.pen.fillRect(x, y, Math.max(1, end - x), height);
    if (band.kind !== "window" && end - x > 70 && y < 40) this.text(band.text, x + 4, 54, end - x - 8, this.c.dim);
  }

  /// Text that ends where there is no more room.
  text(text, x, y, room, color) {
    let shown = text.slice(0, 60);
    this.pen.fillStyle = color;
    if (this.pen.measureText(shown).width > room) {
      while (shown.length > 1 && this.pen.measureText(`${shown}…`).width > room) {
        shown = shown.slice(0, -1);
      }
      if (shown.length < 3) return 0;
      shown += "…";
    }
    this.pen.fillText(shown, x, y);
    return this.pen.measureText(shown).width;
  }

  axis() {
    const { pen, c } = this;
    const [from, until] = this.view;
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10080].map((m) => m * 60000);
    const step = steps.find((s) => (this.width - 2 * margin) * s / (until - from) >= 64) ?? steps[12];
    pen.strokeStyle = c.line;
    pen.lineWidth = 1;
    const shift = offsetSeconds(from) * 1000;
    for (let ms = Math.ceil((from + shift) / step) * step - shift; ms <= until; ms += step) {
      const x = Math.round(this.x(ms)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, 18);
      pen.lineTo(x, this.height);
      pen.stroke();
      const isMidnight = clock(ms, false) === "00:00";
      const label = isMidnight && this.width > 700 ? wall(ms).slice(5, 10) : clock(ms, false);
      pen.fillStyle = c.ink;
      pen.textAlign = "center";
      if (x > 18 && x < this.width - 18) pen.fillText(label, x, 10);
      pen.textAlign = "left";
    }
  }

  /// How fast the phone was, the fastest for each pixel.
  speedRow() {
    const { pen, c } = this;
    const { at } = day.track;
    const [top, height] = [22, 16];
    const first = Math.max(0, lastUpTo(at, this.view[0])), last = lastUpTo(at, this.view[1]);
    pen.fillStyle = c.speed;
    let column = -1, fastest = 0;
    const flush = () => {
      const tall = Math.min(1, fastest / 33) * height;
      if (column >= 0 && tall > 0) pen.fillRect(column, top + height - tall, 1, tall);
    };
    for (let i = first; i <= last; i += 1) {
      const x = Math.floor(this.x(at[i]));
      if (x !== column) {
        flush();
        column = x;
        fastest = 0;
      }
      if (this.speeds[i] > fastest) fastest = this.speeds[i];
    }
    flush();
  }

  wakeRow() {
    const { pen, c } = this;
    for (const wake of day.wakes) {
      const x = this.x(wake.at);
      if (x < 0 || x > this.width) continue;
      const isTimer = wake.cause === "scheduled";
      pen.fillStyle = isTimer ? c.dim : wake.cause === "region_exit" ? c.exit : c.good;
      pen.fillRect(x - 0.75, isTimer ? 44 : 40, 1.5, isTimer ? 4 : 8);
    }
  }

  lane(reminder, top) {
    const { pen, c } = this;
    const own = this.byReminder.get(reminder.id);
    const [floor, tall] = [top + laneHeight - 12, laneHeight - labelHeight - 14];
    if (this.selected === reminder.id) {
      pen.fillStyle = c.chosen;
      pen.fillRect(0, top + 1, this.width, laneHeight - 1);
    }
    pen.strokeStyle = c.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(0, top + 0.5);
    pen.lineTo(this.width, top + 0.5);
    pen.stroke();
    this.laneBands(reminder, top, floor);
    this.levels(reminder, floor, tall);
    this.posterior(reminder, floor, tall);
    for (const visit of own.visits) this.visit(visit, floor + 3);
    this.marks(own, floor, tall);
  }

  laneBands(reminder, top, floor) {
    const { pen, c } = this;
    const windows = reminder.bands.filter((band) => band.kind === "window");
    for (const band of windows) {
      pen.fillStyle = c.open;
      const x = Math.max(0, this.x(band.from));
      pen.fillRect(x, top + 2, Math.min(this.width, this.x(band.until)) - x, 4);
    }
    for (const band of reminder.bands) {
      if (band.kind === "waiting") {
        const x = this.x(band.from), end = this.x(band.until);
        if (end < 0 || x > this.width) continue;
        pen.fillStyle = c.warn;
        pen.fillRect(Math.max(0, x), floor - 2, Math.min(this.width, end) - Math.max(0, x), 3);
      } else if (band.kind !== "window") {
        this.band(band, top + labelHeight, floor - top - labelHeight);
      }
    }
  }

  levels(reminder, floor, tall) {
    const { pen, c } = this;
    const count = Math.max(1, reminder.rings.length);
    if (reminder.rings.length === 0) return;
    const y = (value) => floor - value / count * tall;
    pen.beginPath();
    pen.moveTo(this.x(day.start), floor);
    let last = 0;
    for (const step of reminder.levels) {
      const x = this.x(step.at);
      pen.lineTo(x, y(last));
      pen.lineTo(x, y(step.value));
      last = step.value;
    }
    pen.lineTo(this.x(day.end), y(last));
    pen.strokeStyle = c.accent;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.lineTo(this.x(day.end), floor);
    pen.closePath();
    pen.fillStyle = c.wash;
    pen.fill();
  }

  posterior(reminder, floor, tall) {
    if (reminder.posterior.length === 0) return;
    const { pen, c } = this;
    const y = (value) => floor - value / 100 * tall;
    pen.beginPath();
    let last = 0;
    pen.moveTo(this.x(day.start), y(0));
    for (const step of reminder.posterior) {
      const x = this.x(step.at);
      if (x < -5 || x > this.width + 5) { last = step.value; continue; }
      pen.lineTo(x, y(last));
      pen.lineTo(x, y(step.value));
      last = step.value;
    }
    pen.setLineDash([2, 2]);
    pen.strokeStyle = c.belief;
    pen.lineWidth = 1.25;
    pen.stroke();
    pen.setLineDash([]);
  }

  visit(visit, y) {
    const { pen, c } = this;
    const x = Math.max(-2, this.x(visit.from)), end = Math.min(this.width + 2, this.x(visit.until));
    if (end < 0 || x > this.width) return;
    const width = Math.max(3, end - x);
    pen.lineWidth = 1.5;
    pen.strokeStyle = visit.cause == null ? c.dim : visit.isTold ? c.good : c.bad;
    pen.fillStyle = pen.strokeStyle;
    // What was told is filled, what was missed is an empty frame.
    if (visit.isTold) pen.fillRect(x, y, width, 6); else pen.strokeRect(x + 0.75, y + 0.75, width - 1.5, 4.5);
  }

  /// Decisions with their reasons, as far as there is room for words.
  marks(own, floor, tall) {
    const { pen, c } = this;
    let free = -Infinity;
    for (const line of own.transitions) {
      const x = this.x(line.ms);
      if (x < 0 || x > this.width) continue;
      pen.fillStyle = c.accent;
      pen.fillRect(x - 0.5, floor - tall, 1, 4);
    }
    own.decisions.forEach((line, i) => {
      const x = this.x(line.ms);
      if (x < -20 || x > this.width + 20) return;
      const y = floor - tall - 3;
      const color = line.outcome === "delivered" ? c.good : line.outcome === "deferred" ? c.warn : c.dim;
      mark(pen, line.outcome, x, y, color);
      if (line.outcome === "delivered" || x < free) return;
      // Up to the next mark that is not on top of this one.
      const next = own.decisions.slice(i + 1).map((later) => this.x(later.ms)).find((at) => at > x + 6) ?? this.width;
      const until = line.until ? ` until ${clock(Date.parse(line.until), false)}` : "";
      const what = line.outcome === "deferred" ? `put off: ${line.reason}${until}` : `silent: ${line.reason}`;
      free = x + 12 + this.text(what, x + 7, y, Math.min(190, next - x - 14), color);
    });
    for (const verdict of own.verdicts) {
      const x = this.x(verdict.at);
      if (verdict.isHit || verdict.subject === "approach" || x < 0 || x > this.width) continue;
      mark(pen, "untrue", x, floor + 6, c.bad);
    }
  }
}

/// A mark that can be told from the others by its shape alone.
function mark(pen, kind, x, y, color) {
  pen.beginPath();
  pen.fillStyle = pen.strokeStyle = color;
  pen.lineWidth = 1.75;
  if (kind === "delivered") {
    pen.arc(x, y, 4.5, 0, 7);
    pen.fill();
  } else if (kind === "deferred") {
    pen.moveTo(x, y - 5);
    pen.lineTo(x + 5, y);
    pen.lineTo(x, y + 5);
    pen.lineTo(x - 5, y);
    pen.closePath();
    pen.stroke();
  } else if (kind === "untrue") {
    pen.moveTo(x, y - 5);
    pen.lineTo(x + 5, y + 4);
    pen.lineTo(x - 5, y + 4);
    pen.closePath();
    pen.fill();
  } else {
    pen.moveTo(x - 3.5, y - 3.5);
    pen.lineTo(x + 3.5, y + 3.5);
    pen.moveTo(x + 3.5, y - 3.5);
    pen.lineTo(x - 3.5, y + 3.5);
    pen.stroke();
  }
}
