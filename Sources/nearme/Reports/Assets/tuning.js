// `nearme tune --report`: what was chosen, the front, what each knob does, and the worst days.

document.title = `Tuned on ${report.title}`;

/// Today's policy stays where nothing better was found.
const best = report.verdict === "better" ? "chosen" : "best tried";

// MARK: Figures

const digits = { share: 1, percent: 2, seconds: 0, meters: 0, number: 2 };
const signs = { share: " %", percent: " %", seconds: " s", meters: " m", number: "" };

/// The value as it is written, without its sign.
function written(value, unit) { return fixed(unit === "share" ? value * 100 : value, digits[unit]); }

function figure(value, unit) { return written(value, unit) + signs[unit]; }

/// A few days have no intervals, and say nothing of chance.
const hasIntervals = report.hasIntervals;
const few = report.livedCount === 1 ? "One day has no intervals." : `${report.livedCount} days are too few for intervals.`;

function estimate(estimate, unit) {
  if (estimate === undefined) return ["–"];
  if (!hasIntervals) return [figure(estimate.value, unit)];
  const ends = `[${written(estimate.low, unit)} … ${written(estimate.high, unit)}]`;
  return [`${figure(estimate.value, unit)} `, h("i", {}, ends)];
}

function scores(rows) {
  const head = [left(""), "today", best];
  if (report.hasLeftOut) head.push("people not tuned for");
  return table([...head, `${best} − today`], rows.map((row) => {
    const unit = row.score.unit;
    const cells = [row.score.name, estimate(row.today, unit), estimate(row.chosen, unit)];
    if (report.hasLeftOut) cells.push(estimate(row.leftOut, unit));
    const chance = row.mayBeChance ? [" ", h("i", {}, "may be chance")] : [];
    return { cells: [...cells, [...estimate(row.change, unit), ...chance]] };
  }));
}

// MARK: Text

function list(items) { return h("ul", {}, ...items.map((item) => h("li", {}, item))); }

function head() {
  const space = report.spaceCount === undefined ? "" : ` of ${report.spaceCount}`;
  const recordings = report.dayCount === report.livedCount ? "" : `${report.dayCount} recordings of `;
  const tried = `${report.tried}${space} policies were tried on ${recordings}${report.livedCount} person-days of `
    + `${report.personCount} people (${report.method}, seed ${report.seed}). `;
  const choice = report.verdict === "better"
    ? ["For ", h("b", {}, report.goal), " this one was chosen:"]
    : report.verdict === "today_stays"
    ? [h("b", {}, "Nothing better than the policy of today was found"), " for ", h("b", {}, report.goal),
      `: ${report.doubt}. The policy of today stays; the best that was tried:`]
    : [h("b", {}, `No policy keeps ${report.goal}`),
      `; the nearest one misses ${report.shortfalls.join("; ")}.`];
  return [
    h("h1", {}, document.title),
    h("p", {}, tried, ...choice),
    h("pre", {}, settings(report.chosenSettings).join("\n")),
    report.hasLeftOut ? null : h("p", { class: "warn" }, "All days are of one person: nobody is "
      + "left to test the choice on, and the figures flatter it.")
  ];
}

function settings(settings) {
  return settings.length === 0
    ? ["the policy of today"] : settings.map(({ name, value }) => `${name}: ${value}`);
}

function noticed() {
  return [
    h("h2", {}, "What people notice"),
    scores(report.noticed),
    h("p", {}, hasIntervals ? "In brackets 95 % intervals over person-days." : few,
      report.hasLeftOut
      ? " The column of people not tuned for is the honest one: each person was scored by what was "
        + "chosen without them." : ""),
    ...(report.costs.length === 0 ? [] : [
      h("p", {}, `What the ${best === "chosen" ? "chosen one" : "best tried"} costs beside the policy of `
        + `today${hasIntervals ? ", more than chance" : ""}:`),
      list(report.costs)
    ])
  ];
}

function alike() {
  const alike = report.alike;
  if (alike === undefined) return [];
  if (alike.count === 0) {
    return [h("p", {}, `None of the ${alike.compared} next best is as good in ${alike.score}.`)];
  }
  return [
    hasIntervals
      ? h("p", {}, `${alike.count} of the ${alike.compared} next best within the limits `,
        h("b", {}, "cannot be told apart"),
        ` from the ${best} one in ${alike.score} (paired bootstrap). The nearest:`)
      : h("p", {}, `Of the ${alike.compared} next best within the limits as good as the ${best} one in `
        + `${alike.score} on ${report.livedCount === 1 ? "this day" : "these days"}: ${alike.count}. The first:`),
    list(alike.nearest.map((label) => h("code", {}, label)))
  ];
}

// MARK: Plots

const hasCharts = typeof Chart !== "undefined";
const paint = colors();
if (hasCharts) {
  Chart.defaults.font.size = 13;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.color = paint.dim;
  Chart.defaults.borderColor = paint.line;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
}

/// A place for a plot, which is drawn when it is in the page.
const unfinished = [];
function plot(config, attributes = {}) {
  const canvas = h("canvas", {});
  unfinished.push(() => new Chart(canvas, config));
  return h("div", { class: "plot", ...attributes }, canvas);
}

function title(text) { return { display: true, text }; }

function column(name) { return report.scores.findIndex((score) => score.name === name); }

function scatter(xName, yName) {
  const [x, y] = [column(xName), column(yName)];
  const axis = (i) => {
    const { name, unit } = report.scores[i];
    return title(name + (signs[unit] === "" ? "" : `,${signs[unit]}`));
  };
  const value = (point, i) =>
    report.scores[i].unit === "share" ? point.values[i] * 100 : point.values[i];
  const isKnown = (point) => point.values[x] !== null && point.values[y] !== null;
  const tip = (point) => [
    ...settings(point.settings),
    ...report.axes.map(column).filter((i) => point.values[i] !== null)
      .map((i) => `${report.scores[i].name} ${figure(point.values[i], report.scores[i].unit)}`)
  ];
  const sets = [
    ["today", paint.dim, 7, "rectRot", [report.today]],
    [best, paint.bad, 8, "star", [report.chosen]],
    ["front", paint.accent, 4, "circle", report.front],
    ["tried", paint.edge, 2, "circle", report.others]
  ];
  return plot({
    type: "scatter",
    data: {
      datasets: sets.map(([label, color, radius, pointStyle, points]) => ({
        label, backgroundColor: color, borderColor: color, radius, hoverRadius: radius + 2,
        pointStyle, borderWidth: pointStyle === "star" ? 3 : 0,
        data: points.filter(isKnown)
          .map((point) => ({ x: value(point, x), y: value(point, y), tip: tip(point) }))
      }))
    },
    options: {
      scales: { x: { title: axis(x) }, y: { title: axis(y) } },
      plugins: {
        legend: { labels: { usePointStyle: true } },
        tooltip: {
          filter: (item, index) => index < 2,
          callbacks: {
            label: (context) => context.raw.tip,
            footer() {
              const more = this.chart.getActiveElements().length - 2;
              return more > 0 ? `and ${more} more here` : "";
            }
          }
        }
      }
    }
  });
}

function front() {
  const axes = report.axes.map(column);
  const rows = report.frontRows.map((i) => report.front[i]).map((point) => ({
    cells: [
      ...axes.map((i) =>
        point.values[i] === null ? "–" : figure(point.values[i], report.scores[i].unit)),
      h("code", {}, point.label)
    ]
  }));
  return [
    h("h2", {}, "The front"),
    h("p", {}, "Each point is a policy; nothing that was tried beats those on the front in "
      + `${report.axes.join(", ")} at once. Point at one to see it.`),
    hasCharts
      ? h("div", { class: "plots" }, ...report.plots.map(({ x, y }) => scatter(x, y))) : null,
    h("details", {}, h("summary", {}, "The front as a table"),
      table([...report.axes, left("policy")], rows))
  ];
}

// MARK: Knobs

function intervals(text, name) {
  const labels = report.effects.map(({ numbers }) =>
    `${numbers.knob} ${numbers.from} → ${numbers.to}`);
  const effects = report.effects.map(({ numbers }) => numbers[name]);
  return plot({
    data: {
      labels,
      datasets: [
        {
          type: "scatter", label: "measured", backgroundColor: paint.accent, radius: 5,
          data: effects.map((effect, i) => ({ x: effect?.value ?? null, y: labels[i] }))
        },
        ...(hasIntervals ? [{
          type: "bar", label: "95 % interval", backgroundColor: paint.bar, barThickness: 10,
          data: effects.map((effect) => (effect ? [effect.low, effect.high] : null))
        }] : [])
      ]
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {
          title: title(text),
          grid: { color: (context) => (context.tick.value === 0 ? paint.ink : paint.line) }
        },
        y: { type: "category", labels }
      }
    }
  }, { class: "plot wide", style: `height:${90 + labels.length * 26}px` });
}

function knobs() {
  if (report.effects.length === 0) return [];
  return [
    h("h2", {}, "What each knob does"),
    h("p", {}, `One step away from the ${best} policy, all else as it is`
      + (hasIntervals ? "; in brackets 95 % intervals." : ".")),
    list(report.effects.map((effect) => effect.sentence)),
    hasCharts ? h("div", { class: "plots" },
      intervals("false arrivals a week, more or fewer", "falseArrivalsPerWeek"),
      intervals("told so many s later or earlier", "delaySeconds"),
      intervals("visits found or lost", "visits")) : null
  ];
}

// MARK: Ledger

function causes(text, causes) {
  if (!hasCharts) {
    return table([left(text), "today", best],
      causes.map(({ cause, today, chosen }) => ({ cells: [cause, today, chosen] })));
  }
  return plot({
    type: "bar",
    data: {
      labels: causes.map(({ cause }) => cause),
      datasets: [
        { label: "today", backgroundColor: paint.edge, data: causes.map(({ today }) => today) },
        { label: best, backgroundColor: paint.bad, data: causes.map(({ chosen }) => chosen) }
      ]
    },
    options: { indexAxis: "y", plugins: { title: title(text) } }
  }, { style: `height:${110 + causes.length * 34}px` });
}

function ledger() {
  return [
    h("h2", {}, "The ledger before and after"),
    h("p", {}, "Every visit and every arrival has one cause; docs/scores.md explains them."),
    h("div", { class: "plots" },
      causes("visits, by why they were announced or not", report.visitCauses),
      causes("arrivals that were told, by why", report.arrivalCauses))
  ];
}

// MARK: The worst days

function worst() {
  const heading = h("h2", {}, "The worst days");
  if (report.worstDays.length === 0) return [heading, h("p", {}, "Nothing went wrong.")];
  const list = (causes, word) => causes.map(({ cause, count }) => `${count} ${word} (${cause})`);
  return [
    heading,
    key(["way", "the way"], ["found", "visit announced"], ["missed", "visit missed"],
      ["untrue", "told, and not true or not the first word"]),
    h("div", { class: "maps" }, ...report.worstDays.map((day) => map(day.map, [
      h("b", {}, day.id), ` (${day.noise}, ${day.sampling}): `,
      [...list(day.missed, "missed"), ...list(day.untrue, "untrue")].join(", "),
      ...(day.page === undefined ? [] : [". ", h("a", { href: day.page }, "See the day")])
    ])))
  ];
}

show(
  ...head(), ...noticed(), ...alike(), ...front(), ...knobs(), ...ledger(),
  h("h2", {}, "The load on the person and on the battery"),
  scores(report.load),
  ...worst(),
  h("footer", {}, "Made by nearme tune. Days, people and truth are those of the corpus; nothing here "
    + "is a promise for a phone.")
);
for (const draw of unfinished) draw();
