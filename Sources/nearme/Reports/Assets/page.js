// What all pages are made of. Texts of the report become text nodes, never markup.

const report = JSON.parse(document.getElementById("report").textContent);

function make(space, name, attributes, children) {
  const node = document.createElementNS(space, name);
  for (const key in attributes) {
    const value = attributes[key];
    if (typeof value === "function") {
      node.addEventListener(key, value);
    } else if (key === "style") {
      // The page's policy allows no style that is written as an attribute.
      node.style.cssText = value;
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(key, value === true ? "" : value);
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function h(name, attributes, ...children) {
  return make("http://www.w3.org/1999/xhtml", name, attributes, children);
}

function s(name, attributes, ...children) {
  return make("http://www.w3.org/2000/svg", name, attributes, children);
}

function show(...nodes) {
  document.body.append(...nodes.filter((node) => node !== null));
}

/// The colors of the page as it is shown, light or dark, by the names in page.css.
function colors() {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue(`--${name}`).trim() });
}

/// A number as `nearme` prints it: halves away from zero, and no negative zero.
function fixed(value, digits) {
  const units = Math.round(Math.abs(value) * 10 ** digits);
  return (value < 0 && units !== 0 ? "-" : "") + (units / 10 ** digits).toFixed(digits);
}

function table(head, rows) {
  const isLeft = head.map((cell) => cell.left !== undefined);
  const cells = (name, row) =>
    row.map((cell, i) => h(name, isLeft[i] ? { class: "left" } : {}, ...[cell].flat()));
  // What scrolls sideways can be reached by keyboard.
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, h("table", {},
    h("tr", {}, ...cells("th", head.map((cell) => cell.left ?? cell))),
    ...rows.map((row) => h("tr", row.isOurs ? { class: "ours" } : {}, ...cells("td", row.cells)))
  ));
}

/// A column that is aligned to the left.
function left(text) { return { left: text }; }

const mapPixels = 560;

function map(data, caption) {
  const middle = mapPixels / 2;
  const pixels = (meters) => meters * middle / data.reachMeters;
  const at = ([east, north]) => [middle + pixels(east), middle - pixels(north)];
  const shapes = data.shapes.map((shape) => {
    if (shape.kind === "way") {
      const points = shape.points.map((point) => at(point).map((n) => fixed(n, 1)).join(","));
      return s("polyline", { class: shape.kind, points: points.join(" ") });
    }
    const [x, y] = at(shape.points[0]);
    const circle = s("circle", { class: shape.kind, cx: fixed(x, 1), cy: fixed(y, 1) });
    if (shape.radiusMeters !== undefined) {
      circle.setAttribute("r", fixed(pixels(shape.radiusMeters), 1));
    }
    return circle;
  });
  const scale = data.scaleMeters;
  return h("figure", {},
    s("svg", { viewBox: `0 0 ${mapPixels} ${mapPixels}`, role: "img", "aria-label": "A map; what it shows stands below it" },
      ...shapes,
      s("path", { class: "scale", d: `M14 ${mapPixels - 14} h${fixed(pixels(scale), 1)}` }),
      s("text", { x: 14, y: mapPixels - 20 }, scale < 1000 ? `${scale} m` : `${scale / 1000} km`)
    ),
    h("figcaption", {}, ...caption)
  );
}

/// What the marks on a map mean.
function key(...marks) {
  return h("p", { class: "key" }, ...marks.flatMap(([kind, meaning]) => [
    s("svg", { viewBox: "-14 -14 28 28", "aria-hidden": "true" }, kind === "way"
      ? s("path", { class: kind, d: "M-14 0 H14" }) : s("circle", { class: kind, r: 11 })),
    meaning
  ]));
}
