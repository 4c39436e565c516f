"""Measures a page of 86,400 fixes: how long it takes to open, how fast it scrubs, how large it is.

Medians of five; each opening is a browser window of its own. Exit status 1 where a limit is not kept.
"""

import json
import statistics
import sys
import tempfile

from browser import Watched, chromium
from days import dense

OPEN_SECONDS, FRAMES, MEGABYTES, TIMES = 1.5, 30, 3.0, 5

SCRUB = """async (seconds) => {
  const lanes = document.getElementById("lanes");
  const box = lanes.getBoundingClientRect();
  const send = (type, x) => lanes.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1,
    isPrimary: true, clientX: x, clientY: box.top + 30 }));
  // A pointer that no hand holds cannot be captured.
  lanes.setPointerCapture = () => {};
  const frame = () => new Promise(requestAnimationFrame);
  send("pointerdown", box.left + 10);
  const begin = await frame();
  const before = dayPage.page.frames;
  const spans = [];
  for (let now = begin, i = 0; now - begin < seconds * 1000; i += 1) {
    // Back and forth over the day, some minutes for each picture.
    const share = Math.abs((i / 240) % 2 - 1);
    send("pointermove", box.left + 10 + share * (box.width - 20));
    const next = await frame();
    spans.push(next - now);
    now = next;
  }
  send("pointerup", box.left + 20);
  const took = spans.reduce((a, b) => a + b, 0);
  spans.sort((a, b) => a - b);
  return [(dayPage.page.frames - before) / took * 1000, spans[Math.floor(spans.length * 0.95)]];
}"""


def main():
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        day = dense(folder).write()
        data = day.data()
        lines = [json.loads(line) for line in data["lines"]]
        transitions = sum(line["type"] == "transition" for line in lines)
        megabytes = day.page.stat().st_size / 1e6
        print(f"{len(data['track']['at'])} fixes, {len(data['reminders'])} reminders, {transitions} transitions, "
              f"{len(data['moments'])} explanations")
        opened, scrubbed, slow, zoomed = [], [], [], []
        for _ in range(TIMES):
            with Watched(browser, day.page, width=1400, height=1000) as watched:
                watched.ready()
                opened.append(watched.page.evaluate("performance.now()") / 1000)
                rate, p95 = watched.page.evaluate(SCRUB, 3)
                scrubbed.append(rate)
                slow.append(p95)
                # Near enough for names and circles; the map has to follow.
                watched.page.evaluate("dayPage.map.map.setZoom(16, { animate: false }); dayPage.zoom(8)")
                zoomed.append(watched.page.evaluate(SCRUB, 2)[0])
        results = [
            ("open", statistics.median(opened), f"s, limit {OPEN_SECONDS}", statistics.median(opened) < OPEN_SECONDS),
            ("scrub", statistics.median(scrubbed), f"frames/s, limit {FRAMES}", statistics.median(scrubbed) >= FRAMES),
            ("a frame, p95", statistics.median(slow), "ms", True),
            ("scrub, zoomed in", statistics.median(zoomed), f"frames/s, limit {FRAMES}", statistics.median(zoomed) >= FRAMES),
            ("size", megabytes, f"MB, limit {MEGABYTES}", megabytes <= MEGABYTES),
        ]
        for name, value, unit, is_kept in results:
            print(f"  {name:18} {value:8.2f} {unit}{'' if is_kept else '   NOT KEPT'}")
        return 0 if all(is_kept for *_, is_kept in results) else 1


if __name__ == "__main__":
    sys.exit(main())
