// `nearme compare --report`: the table, and a drive on which another strategy misses what ours does
// not.

document.title = "Regions compared";

function share(part, whole) {
  return whole === 0 ? `${part}` : `${part} (${fixed(100 * part / whole, 1)} %)`;
}

function late(row, i) {
  return `${fixed(row.lateSeconds[i], 0)} s ${fixed(row.lateMeters[i], 0)} m`;
}

function cells(row) {
  return [
    row.slots ?? "–", row.strategy, share(row.missed, row.expected),
    share(row.missedEnters, row.expectedEnters), row.spurious, late(row, 0), late(row, 1),
    fixed(row.wakesPerHour, 1), fixed(row.wakesPerChange, 2), fixed(row.registrationsPerHour, 1),
    row.heldMost, `${fixed(row.minutesAtRisk, 0)} min`
  ];
}

const columns = [
  "regions", left("strategy"), "missed", "of them in", "spurious", "late p50", "late p95",
  "wakes/h", "per change", "starts/h", "held", "at risk"
];

function noDrive() {
  const count = report.missedByOthers;
  if (count === undefined) {
    return "Nothing was compared with safe_region on the same phone with as many regions, so there "
      + "is no drive to show.";
  }
  if (count === 0) {
    return "On the same phone with as many regions, no strategy missed a transition that ours found. "
      + "What the table counts as missed, ours missed, too.";
  }
  return `Other strategies missed ${count} ${count === 1 ? "transition" : "transitions"} that ours `
    + "found on the same phone with as many regions. "
    + (report.lookedAt === 0 ? "All of them lead outward, and a drive is shown of coming nearer."
      : `No drive is shown: of the ${report.lookedAt} looked at, in none can the cause be seen in `
        + "the regions.");
}

function drive() {
  const drive = report.drive;
  if (drive === undefined) return [h("p", {}, noDrive())];
  const target = drive.poi === undefined ? "" : ` (${drive.poi})`;
  const figure = (watch, what) => map(watch.map, [
    h("b", {}, watch.strategy), `: ${watch.regionCount} regions, ${what}`
  ]);
  return [
    h("h2", {}, "One drive"),
    h("p", {}, `${drive.trace}, ${drive.at}, ${drive.monitor} with ${drive.slots} regions: the `
      + `phone comes into ${drive.tier} of "${drive.reminder}"${target}. ${drive.rival.strategy} `
      + "does not watch that boundary and is inside its circle: it sleeps on. "
      + `${drive.ours.strategy} watches it. Drawn are the regions that each had just before, around `
      + "the phone.",
      ...(drive.page === undefined ? [] : [" ", h("a", { href: drive.page }, "See the whole day"), "."])),
    h("div", { class: "maps" }, figure(drive.rival, "missed"), figure(drive.ours, "found")),
    key(["enter", "wakes on coming in"], ["exit", "wakes on going out"],
      ["safe", "the circle at whose exit regions are chosen anew"],
      ["boundary", "the boundary that was crossed"], ["phone", "the phone"], ["poi", "places"])
  ];
}

const monitors = [...new Set(report.rows.map((row) => row.monitor))];
show(
  h("h1", {}, "Regions compared"),
  h("p", {}, report.summary),
  ...drive(),
  h("h2", {}, "The table"),
  ...monitors.flatMap((monitor) => [
    h("h3", {}, monitor),
    table(columns, report.rows.filter((row) => row.monitor === monitor)
      .map((row) => ({ cells: cells(row), isOurs: row.isOurs })))
  ]),
  h("p", {}, report.legend),
  h("footer", {}, "Map data © OpenStreetMap contributors, ODbL 1.0, where the cache was built from "
    + "it.")
);
