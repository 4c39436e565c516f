// What stands beside map and time line: the phone, the moment in words, why and why not, the day in
// numbers and as sentences. Texts of the report become text nodes, never markup.

/// A name that somebody gave: whatever its letters do, they do it inside.
function name(text, attributes = {}) { return h("bdi", { class: "name", ...attributes }, String(text)); }

function titleOf(id) { return day.reminders.get(id)?.title ?? id; }

/// A phrase with the names of spots in it.
function spotText(id) {
  const spot = spotNamed(id);
  return spot ? name(spotName(spot)) : name(id);
}

const shapes = { approach: "near", arrival: "arriving", post_arrival: "still", scheduled: "due",
  leave: "leaving", signal: "now", summary: "meanwhile" };

// MARK: The phone

const actionWords = { complete: "Done", "snooze:15m": "15 min", "snooze:1h": "1 h", "snooze:today": "Today",
  open_map: "Map", mute: "Mute" };
const actionsOf = new Map(day.notifications.map((notification) => [notification.id, notification.actions]));

function phone(ms, why) {
  const shown = screenAt(ms);
  const item = (notification) => h("li", { class: "notification", "data-id": notification.id },
    h("button", { class: "plain", type: "button", title: "Why was this told?",
      click: () => why({ reminder: notification.lines[0].reminder, ms: notification.at }) },
    h("span", { class: "kind" }, shapes[notification.kind] ?? words(notification.kind), " · ",
      clock(notification.came, false), notification.at > notification.came
        ? ` · changed ${clock(notification.at, false)}` : ""),
    ...(notification.headline ? [h("span", { class: "line" }, name(notification.headline))] : []),
    ...notification.lines.map((line) => h("span", { class: "line" }, name(line.text)))),
    h("span", { class: "actions" }, ...(actionsOf.get(notification.id) ?? []).map((action) => h("span", {}, actionWords[action] ?? words(action))))
  );
  return [
    h("div", { class: "phone-clock" }, h("b", {}, clock(ms, false)), h("span", {}, wall(ms).slice(0, 10))),
    shown.length === 0 ? h("p", { class: "empty" }, "Nothing is on the screen.")
      : h("ul", { class: "notifications" }, ...[...shown].reverse().map(item))
  ];
}

// MARK: The moment

function moment(ms, why) {
  const here = positionAt(ms);
  const held = regionsAt(ms);
  const count = (kind) => held.filter((region) => region.kind === kind).length;
  const safe = held.find((region) => region.kind === "safe");
  const wake = wakeAt(ms);
  const waiting = waitingAt(ms);
  const rows = [];
  const row = (label, ...texts) => rows.push(h("div", {}, h("dt", {}, label), h("dd", {}, ...texts)));
  row("phone", here ? `fix ${span(here.age)} old` : "never seen",
    here?.accuracy !== undefined ? `, accurate to ${meters(here.accuracy)}` : "",
    here?.speed > 0 ? `, ${fixed(here.speed / 10, 1)} m/s` : "");
  row("regions", h("b", { "data-number": "held" }, `${held.length}`), " held: ", `${count("enter")} wake on coming in, `,
    `${count("exit")} on going out`,
    safe ? `, and the safe circle of ${meters(safe.radius)}${outside(safe)}` : "");
  if (wake) {
    row("last wake", `${clock(wake.at)}, ${words(wake.cause)}`, wake.regions.length > 0 ? ": " : "",
      ...wake.regions.slice(0, 3).flatMap((id, i) => [i > 0 ? ", " : "", h("code", {}, id)]));
  }
  const now = bandsAt(report.bands, ms).map((band) => band.text);
  if (now.length > 0) row("so it is", now.join(", "));
  if (waiting.length > 0) {
    row("waiting", ...waiting.slice(0, 8).flatMap((item, i) => [i > 0 ? "; " : "", name(titleOf(item.reminder)),
      ` ${words(item.tier)}: ${item.reason ?? "a position"}${item.until ? `, until ${clock(item.until, false)}` : ""}`]));
  }
  const near = here ? nearest(here).slice(0, 4) : [];
  if (near.length > 0) {
    row("nearest", ...near.map(({ spot, distance, reminder }) =>
      h("button", { type: "button", class: "chip", click: () => why({ spot, ms, reminder: reminder.id }) },
        name(spotName(spot)), ` ${meters(distance)}`)));
  }
  return [h("dl", {}, ...rows)];
}

/// How much lies outside the safe circle, and needs no region for that.
function outside(safe) {
  const count = report.points.filter((point) =>
    roughMeters(safe.lat, safe.lon, point.latitude, point.longitude) > safe.radius).length;
  return count === 0 ? "" : `; ${count} of ${report.points.length} points lie outside it and need none`;
}

// MARK: Why, and why not

const outcomes = { delivered: "told", deferred: "put off", suppressed: "silent" };

/// The questions that stand between news and the screen; the one that objected is the reason.
function gates(decision) {
  const objector = report.gates.findIndex((gate) => gate.objections.includes(decision.reason));
  return h("ol", { class: "gates" }, ...report.gates.map((gate, i) => {
    const state = decision.outcome === "delivered" || (objector >= 0 && i < objector) ? "passed"
      : objector < 0 ? "unknown" : i === objector ? "objected" : "not-asked";
    const sign = { passed: "✓", objected: "✗", "not-asked": "–", unknown: "·" }[state];
    const meaning = { passed: "no objection", objected: `objected: ${decision.reason}`,
      "not-asked": "not asked any more", unknown: "not the reason" }[state];
    return h("li", { class: state }, h("span", { "aria-hidden": "true" }, sign), ` ${gate.question} `, h("i", {}, meaning));
  }));
}

function truthOf(id, ms) {
  const visits = (report.truth?.visits ?? []).filter((visit) => visit.reminder === id
    && visit.from - 300000 <= ms && ms <= visit.until + 300000);
  const verdicts = (report.truth?.verdicts ?? [])
    .filter((verdict) => verdict.reminder === id && Math.abs(verdict.at - ms) <= 300000);
  return [
    ...visits.map((visit) => h("li", { class: visit.isTold || visit.cause == null ? "hit" : "miss" },
      `True visit ${clock(visit.from, false)}–${clock(visit.until, false)}`, visit.poi ? " to " : "", visit.poi ? spotText(visit.poi) : "",
      visit.isInitial ? ": since before the day began" : visit.cause == null ? ": it speaks on the way only" : visit.isTold
        ? `: told ${fixed(visit.delaySeconds, 0)} s after it began (${words(visit.cause)})` : `: missed (${words(visit.cause)})`)),
    ...verdicts.map((verdict) => h("li", { class: verdict.isHit ? "hit" : "miss" },
      `${words(verdict.subject)} told at ${clock(verdict.at)}: ${verdict.isHit ? "right" : "not right"} (${words(verdict.cause)})`))
  ];
}

/// - `asked`: `{ reminder, ms, spot }`; a spot may be missing.
function why(asked, ask) {
  const list = asked.spot ? remindersAbout(asked.spot) : report.reminders;
  const id = list.some((reminder) => reminder.id === asked.reminder) ? asked.reminder : list[0]?.id;
  if (id === undefined) {
    return [h("p", {}, asked.spot ? name(spotName(asked.spot)) : "", asked.spot ? ": no reminder is about it." : "There are no reminders.")];
  }
  const found = (asked.spot && momentNear(id, asked.ms, asked.spot.id)) ?? momentNear(id, asked.ms);
  const decision = decisionNear(id, found?.at ?? asked.ms);
  const choice = h("select", { id: "why-reminder", change: () => ask({ ...asked, reminder: choice.value }) },
    ...list.map((reminder) => h("option", { value: reminder.id, selected: reminder.id === id }, reminder.title.slice(0, 80))));
  const marks = truthOf(id, found?.at ?? asked.ms);
  const isPass = asked.spot && found?.spot === asked.spot.id && found.meters !== undefined;
  return [
    h("p", { class: "question" }, h("label", { for: "why-reminder" }, "Why, or why not: "), choice),
    asked.spot ? h("p", {}, name(spotName(asked.spot)), isPass ? `: the way came within ${meters(found.meters)} of it at ${clock(found.at)}.`
      : found?.spot === asked.spot.id ? `: at ${clock(found.at)}.` : ": the way came nowhere near it; this is what was so at the moment.") : null,
    ...(found ? [
      h("p", { class: "outcome", "data-at": found.at, "data-reminder": id }, name(found.outcome)),
      found.causes.length > 0 ? h("ul", { class: "causes" }, ...found.causes.map((cause) => h("li", {}, name(cause)))) : null,
      Math.abs(found.at - asked.ms) > 60000 ? h("p", { class: "hint" }, "Explained is ",
        h("button", { type: "button", class: "chip", click: () => ask({ ...asked, reminder: id, ms: found.at, moves: true }) }, clock(found.at)),
        `, ${span(Math.abs(found.at - asked.ms))} ${found.at < asked.ms ? "before" : "after"} the moment chosen; half an hour to each side is looked at.`) : null
    ] : [h("p", {}, "Nothing of this day is explained.")]),
    marks.length > 0 ? h("ul", { class: "truth" }, ...marks) : null,
    decision ? h("details", { open: true }, h("summary", {}, `${words(decision.tier)} at ${clock(decision.ms)}: ${outcomes[decision.outcome]}`
      + `${decision.reason ? ` (${decision.reason})` : ""}`), gates(decision)) : null,
    found && found.evidence.length > 0 ? h("details", { open: true }, h("summary", {}, "The evidence, term by term"),
      h("dl", {}, ...found.evidence.flatMap(({ label, text }) => [h("dt", {}, label), h("dd", {}, name(text))]))) : null
  ];
}

// MARK: The day in numbers

/// The last line of the NDJSON, number by number.
function numbers() {
  const rows = [];
  const add = (key, value) => {
    if (value !== null && typeof value === "object") {
      for (const part in value) add(`${key}.${part}`, value[part]);
    } else if (value !== null && key !== "type" && key !== "ms") {
      rows.push([key, value]);
    }
  };
  for (const key in day.summary) add(key, day.summary[key]);
  const counts = new Map();
  for (const line of day.lines) counts.set(line.type, (counts.get(line.type) ?? 0) + 1);
  for (const [type, count] of counts) rows.push([`lines.${type}`, count]);
  return h("div", { class: "numbers" }, ...rows.map(([key, value]) => h("div", {},
    h("span", {}, words(key.replace(".", ": "))), h("b", { "data-key": key }, String(value)))));
}

// MARK: The day as sentences

function sentence(line, wake) {
  const title = line.reminder === undefined ? null : name(titleOf(line.reminder));
  const poi = line.poi ? [" (", spotText(line.poi), ")"] : [];
  switch (line.type) {
    case "wake": return ["The app is woken: ", words(line.cause), ...(wake?.regions ?? []).slice(0, 3).flatMap((id) => [" ", h("code", {}, id)]), "."];
    case "regions": return [`${line.start.length} regions are started and ${line.stop.length} stopped; ${line.held} are held`,
      line.safe_radius !== null ? `, safe within ${meters(line.safe_radius)}` : "", line.at_risk.length > 0 ? `, ${line.at_risk.length} at risk` : "", "."];
    case "transition": return [title, `: ${words(line.tier)} ${line.kind}`, ...poi, line.distance !== null ? `, ${meters(line.distance)} away` : "", "."];
    case "decision": return [title, `: ${words(line.tier)} is ${outcomes[line.outcome]}`, line.reason ? `: ${line.reason}` : "",
      line.until ? `, until ${clock(Date.parse(line.until))}` : "", "."];
    case "notification": return ["Shown (", shapes[line.kind] ?? words(line.kind), "): ", name(line.text)];
    case "cancelled": return [title, `: ${words(line.tier)} came to nothing: ${words(line.reason)}.`];
    case "fix_refused": return [`A fix was not used: ${words(line.reason)}, number ${line.count}.`];
    case "location_access": return [`What the app may know of the position: ${words(line.access)}.`];
    case "regions_refused": return [`The phone did not take ${line.ids.length} regions.`];
    case "action_refused": return [title, `: what the person asked for was not done: ${words(line.reason)}.`];
    case "answered": return [title, ` was done for ${line.times.length} times.`];
    case "answer_taken_back": return [title, ` is open again for ${line.times.length} times.`];
    default: return [title ?? "", ` ${words(line.type)}`];
  }
}

function sentences(goTo) {
  let wakes = 0;
  const rows = day.lines.slice(0, -1).map((line) => {
    const wake = line.type === "wake" ? day.wakes[wakes++] : undefined;
    const isTimed = !Number.isNaN(line.ms);
    return h("tr", { "data-type": line.type },
      h("td", {}, isTimed ? h("button", { type: "button", class: "chip", click: () => goTo(line.ms) }, clock(line.ms)) : "–"),
      h("td", {}, words(line.type)), h("td", { class: "sentence" }, ...sentence(line, wake)));
  });
  return h("table", { class: "sentences" }, h("caption", {}, "The day as sentences"),
    h("thead", {}, h("tr", {}, ...["when", "what", "in words"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...rows));
}
