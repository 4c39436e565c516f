/// How a page of a search looks, and what it asks of Chart.js.
extension TuningPage {
  static let style = """
    body{font:16px/1.5 system-ui,sans-serif;max-width:1240px;margin:2em auto;padding:0 1em;\
    color:#1d2530;background:#fff}
    pre,code{font:13px/1.5 ui-monospace,monospace;background:#f6f8fa}
    pre{padding:.7em 1em;border-left:4px solid #cf222e;overflow-x:auto}
    .warn{background:#fff8c5;padding:.5em 1em}
    table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
    th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid #e3e8ee;white-space:nowrap}
    td:first-child,th:first-child,td.left{text-align:left}
    td i{color:#57606a;font-style:normal;font-size:12px}
    .scroll{overflow-x:auto}
    .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1.2em}
    .plot{position:relative;height:420px}.plot.wide{grid-column:1/-1}
    .maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:1em}
    figure{margin:0}figcaption{font-size:14px}
    svg{width:100%;border:1px solid #c9d1da;background:#f6f8fa}
    svg text{font:20px system-ui,sans-serif;fill:#444}
    .way{fill:none;stroke:#8c959f;stroke-width:2.5;stroke-linejoin:round}
    circle.found{fill:#1a7f37;r:8px}circle.missed{fill:#cf222e;r:9px}
    circle.untrue{fill:none;stroke:#bf5b00;stroke-width:5;r:12px}
    .scale{stroke:#444;stroke-width:2}
    .k{display:inline-block;width:.8em;height:.8em;border-radius:50%;margin:0 .2em 0 1em;\
    vertical-align:-.05em;box-sizing:border-box}
    .k.way{background:#8c959f;height:.25em;border-radius:0;vertical-align:.2em}
    .k.found{background:#1a7f37}.k.missed{background:#cf222e}
    .k.untrue{border:3px solid #bf5b00}
    footer{color:#57606a;font-size:14px;margin-top:2em}
    """

  static let defaults = """
    Chart.defaults.font.size = 13;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    function title(text) { return { display: true, text: text }; }
    function scatter(id, datasets, x, y) {
      new Chart(id, {
        type: "scatter",
        data: { datasets: datasets },
        options: {
          scales: { x: { title: title(x) }, y: { title: title(y) } },
          plugins: {
            legend: { labels: { usePointStyle: true } },
            tooltip: {
              filter: function (item, index) { return index < 2; },
              callbacks: {
                label: function (c) { return c.raw.t; },
                footer: function () {
                  var more = this.chart.getActiveElements().length - 2;
                  return more > 0 ? "and " + more + " more here" : "";
                }
              }
            }
          }
        }
      });
    }
    function intervals(id, text, labels, bars, values) {
      new Chart(id, {
        data: {
          labels: labels,
          datasets: [
            { type: "scatter", label: "measured", backgroundColor: "#0969da", radius: 5,
              data: values.map(function (v, i) { return { x: v, y: labels[i] }; }) },
            { type: "bar", label: "95 % interval", backgroundColor: "#b6d4f5", barThickness: 10,
              data: bars }
          ]
        },
        options: {
          indexAxis: "y",
          scales: {
            x: { title: title(text),
              grid: { color: function (c) { return c.tick.value === 0 ? "#1d2530" : "#e3e8ee"; } } },
            y: { type: "category", labels: labels }
          }
        }
      });
    }
    function bars(id, text, labels, before, after) {
      new Chart(id, {
        type: "bar",
        data: {
          labels: labels,
          datasets: [
            { label: "today", backgroundColor: "#8c959f", data: before },
            { label: "chosen", backgroundColor: "#cf222e", data: after }
          ]
        },
        options: { indexAxis: "y", plugins: { title: title(text) } }
      });
    }
    """
}
