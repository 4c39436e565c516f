// A day as the page asks for it: what was so at an instant. Nothing is decided here; the report says it.

function decodeTrack(track, start) {
  const count = track.at.length;
  const at = new Float64Array(count), lat = new Float64Array(count), lon = new Float64Array(count);
  const x = new Float64Array(count), y = new Float64Array(count);
  const seen = new Uint8Array(count);
  let [t, n, e] = [0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    t += track.at[i];
    n += track.latitude[i];
    e += track.longitude[i];
    at[i] = start + t * track.unitMilliseconds;
    lat[i] = n * 1e-6;
    lon[i] = e * 1e-6;
    x[i] = mercatorX(lon[i]);
    y[i] = mercatorY(lat[i]);
  }
  for (const [first, last] of track.seen) seen.fill(1, first, last + 1);
  return { count, at, lat, lon, x, y, seen, accuracy: track.accuracyMeters, speed: track.speed,
    segments: new Set(track.segments) };
}

/// Places in the square of web maps, 0 to 1 eastward and southward.
function mercatorX(longitude) { return longitude / 360 + 0.5; }

function mercatorY(latitude) {
  const sine = Math.sin(Math.max(-85, Math.min(85, latitude)) * Math.PI / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

const earthMeters = 40075016.7;

/// How much of the square a meter is at a latitude.
function mercatorMeter(latitude) { return 1 / (earthMeters * Math.cos(latitude * Math.PI / 180)); }

/// Good to a percent over the few kilometers for which the page needs it: what it says in numbers comes
/// from the report.
function roughMeters(lat1, lon1, lat2, lon2) {
  const north = (lat2 - lat1) * 111195;
  const east = (lon2 - lon1) * 111195 * Math.cos((lat1 + lat2) * Math.PI / 360);
  return Math.hypot(north, east);
}

/// The last index with `instants[index] <= instant`; -1 if there is none.
function lastUpTo(instants, instant) {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle] <= instant) low = middle + 1; else high = middle;
  }
  return low - 1;
}

const day = (() => {
  const track = decodeTrack(report.track, report.start);
  const lines = report.lines.map((text) => {
    const line = JSON.parse(text);
    line.ms = line.at === undefined || line.at === null ? NaN : Date.parse(line.at);
    return line;
  });
  const summary = lines[lines.length - 1];
  const byId = (list) => new Map(list.map((item) => [item.id, item]));
  const places = byId(report.places), points = byId(report.points), reminders = byId(report.reminders);
  const of = (type) => lines.filter((line) => line.type === type);
  return { track, lines, summary, places, points, reminders,
    wakes: report.wakes, transitions: of("transition"), decisions: of("decision"),
    notifications: of("notification"), start: report.start, end: Math.max(report.end, report.start + 1)
  };
})();

// MARK: Clocks

function offsetSeconds(ms) {
  let offset = report.zone.offset;
  for (const change of report.zone.changes ?? []) {
    if (change.start <= ms) offset = change.offset;
  }
  return offset;
}

/// The wall clock, as `2026-03-03 13:30:05`.
function wall(ms) {
  return new Date(ms + offsetSeconds(ms) * 1000).toISOString().replace("T", " ").slice(0, 19);
}

function clock(ms, withSeconds = true) { return wall(ms).slice(11, withSeconds ? 19 : 16); }

function span(ms) {
  const minutes = Math.round(ms / 60000);
  if (Math.abs(ms) < 120000) return `${Math.round(ms / 1000)} s`;
  return minutes < 180 ? `${minutes} min` : `${fixed(minutes / 60, 1)} h`;
}

function meters(value) {
  return value < 1000 ? `${fixed(value, 0)} m` : `${fixed(value / 1000, value < 10000 ? 1 : 0)} km`;
}

/// A name for people: `gas_station` is a "gas station".
function words(name) { return String(name).replaceAll("_", " "); }

// MARK: What was so at an instant

/// Where the phone was: between two fixes on the straight way, in a gap where it was seen last.
function positionAt(ms) {
  const { at, lat, lon, accuracy, speed } = day.track;
  const i = lastUpTo(at, ms);
  if (i < 0) return day.track.count === 0 ? null : { i: 0, lat: lat[0], lon: lon[0], age: 0 };
  const age = ms - at[i];
  const here = { i, lat: lat[i], lon: lon[i], accuracy: accuracy[i], speed: speed[i], age };
  if (i + 1 < at.length && at[i + 1] - at[i] <= 600000) {
    const share = age / (at[i + 1] - at[i]);
    here.lat += (lat[i + 1] - lat[i]) * share;
    here.lon += (lon[i + 1] - lon[i]) * share;
  }
  return here;
}

/// States that follow each other: `at` an instant there is one, and it is made from the one before.
function states(changes, empty, apply) {
  const at = [], values = [];
  let value = empty;
  for (const change of changes) {
    value = apply(value, change);
    if (at[at.length - 1] === change.ms) {
      values[values.length - 1] = value;
    } else {
      at.push(change.ms);
      values.push(value);
    }
  }
  return (ms) => {
    const i = lastUpTo(at, ms);
    return i < 0 ? empty : values[i];
  };
}

/// The regions that are held: a list of `{ id, lat, lon, radius, kind }`.
const regionsAt = states(
  day.lines.filter((line) => line.type === "regions" || line.type === "regions_refused"), [],
  (held, line) => {
    const gone = new Set(line.type === "regions" ? line.stop : line.ids);
    const kept = held.filter((region) => !gone.has(region.id));
    return line.type === "regions" ? kept.concat(line.start) : kept;
  }
);

/// What is on the screen, oldest first.
const screenAt = states(
  report.screen.map((change) => ({ ...change, ms: change.at })), [],
  (screen, change) => {
    const old = screen.find((shown) => shown.id === change.id);
    const others = screen.filter((shown) => shown.id !== change.id);
    if (change.change === "went") return others;
    const shown = { ...change, came: old?.came ?? change.at };
    // What only lost a line stays where it is.
    return change.change === "changed" && old && change.lines.length < old.lines.length
      ? screen.map((one) => (one.id === change.id ? shown : one)) : [...others, shown];
  }
);

const waitingAt = states(
  report.waiting.map((change) => ({ ...change, ms: change.at })), [], (_, change) => change.items
);

const wakeTimes = day.wakes.map((wake) => wake.at);

/// The last wake up to an instant; nil before the first.
function wakeAt(ms) { return day.wakes[lastUpTo(wakeTimes, ms)]; }

/// The bands of the day and of a reminder at an instant.
function bandsAt(bands, ms) { return bands.filter((band) => band.from <= ms && ms < band.until); }

/// The instants at which something happened, for steps from one to the next.
const eventTimes = [...new Set([
  day.start, day.end, ...day.lines.filter((line) => line.type !== "regions").map((line) => line.ms)
    .filter((ms) => ms >= day.start && ms <= day.end)
])].sort((a, b) => a - b);

// MARK: Why

const momentsOf = new Map(report.reminders.map((reminder) =>
  [reminder.id, report.moments.filter((moment) => moment.reminder === reminder.id)]));

/// The explanation of a reminder that is nearest in time, of a spot where one is named.
function momentNear(id, ms, spot) {
  let best, least = Infinity;
  for (const moment of momentsOf.get(id) ?? []) {
    // An hour says the least of what is equally near.
    const distance = Math.abs(moment.at - ms) + (moment.about === "hour" ? 60000 : 0);
    const isThere = spot === undefined || moment.spot === spot;
    if (isThere && distance < least) [best, least] = [moment, distance];
  }
  return best;
}

/// The decision about a reminder that is nearest in time, within half an hour.
function decisionNear(id, ms) {
  let best, least = 1800001;
  for (const decision of day.decisions) {
    const distance = Math.abs(decision.ms - ms);
    if (decision.reminder === id && decision.reason !== "exit" && distance < least) {
      [best, least] = [decision, distance];
    }
  }
  return best;
}

/// What a reminder is about, as a list of spots.
function spotsOf(reminder) {
  if (reminder.place !== undefined) {
    const place = day.places.get(reminder.place);
    return place ? [place] : [];
  }
  return report.points.filter((point) => point.categories.includes(reminder.category));
}

function remindersAbout(spot) {
  return report.reminders.filter((reminder) => spotsOf(reminder).includes(spot));
}

function spotName(spot) {
  return spot.name ?? (spot.categories ? words(spot.categories[0]) : spot.id);
}

const spotNamed = (id) => day.points.get(id) ?? day.places.get(id);
