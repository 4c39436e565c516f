"""Opens the pages that nearme writes in a real Chromium, and looks at them as people do.

    scripts/check-pages.sh            everything
    scripts/check-pages.sh NAME ...   the checks whose names contain one of these
    UPDATE_GOLDEN=1 ...               keeps the pictures as they are now; look at them before you commit
"""

import datetime
import functools
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageChops, ImageFilter

from browser import Watched, chromium, executable
from days import HOSTILE, ROOT, development, hostile, nearme, sample

KEPT = ROOT / "scripts/pages/kept"
# A picture counts as the kept one if so small a share of its points differs by more than this much of 255,
# after both were shrunk and softened: letters are drawn a little differently everywhere.
MOST_DIFFERENT, DIFFERENT_BY = 0.02, 48
DAYS = 20

checks = []


def check(function):
    checks.append(function)
    return function


def expect(is_so, message):
    if not is_so:
        raise AssertionError(message)


class World:
    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = Path(folder)
        self.sample = sample(folder).write()
        self.lines = self.sample.lines()

    def open(self, day=None, **options):
        return Watched(self.browser, (day or self.sample).page, **options)


def quiet(watched):
    """Nothing was said, and nothing but the file itself was asked for."""
    expect(not watched.said, f"the console says {watched.said[:5]}")
    others = [url for url in watched.asked if url.split("#")[0] != watched.url.split("#")[0].replace(" ", "%20")]
    expect(not others, f"the page asks for {others[:5]}")


def flat(value, key=""):
    if isinstance(value, dict):
        return {k: v for part, inner in value.items() for k, v in flat(inner, f"{key}.{part}" if key else part).items()}
    return {} if value is None else {key: value}


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def numbers_agree(watched, lines, seed):
    """What stands in the page is what the NDJSON says: the summary, the counts, and some moments."""
    page = watched.page
    shown = dict(page.eval_on_selector_all("[data-key]", "all => all.map((b) => [b.dataset.key, b.textContent])"))
    summary = flat({key: value for key, value in lines[-1].items() if key != "type"})
    for key, value in summary.items():
        wanted = str(value)
        expect(shown.get(key) == wanted, f"{key} is {shown.get(key)} on the page and {wanted} in the NDJSON")
    for kind in {line["type"] for line in lines}:
        count = sum(line["type"] == kind for line in lines)
        expect(shown.get(f"lines.{kind}") == str(count), f"{kind}: {shown.get(f'lines.{kind}')} lines, not {count}")
    expect(len(shown) == len(summary) + len({line["type"] for line in lines}), "the page has numbers of its own")
    draw = random.Random(seed)
    timed = [line for line in lines if line.get("at")]
    for line in draw.sample(timed, min(8, len(timed))):
        moment_agrees(watched, lines, line["at"])
    page.keyboard.press("t")
    rows = page.locator("#table tbody tr").count()
    expect(rows == len(lines) - 1, f"{rows} sentences for {len(lines) - 1} lines")
    told = page.eval_on_selector_all("#table tr[data-type=notification] .name", "all => all.map((one) => one.textContent)")
    wanted = [line["text"] for line in lines if line["type"] == "notification"]
    expect(told == wanted, "the notifications in the table are not those of the NDJSON")


def moment_agrees(watched, lines, at):
    page = watched.page
    page.evaluate("(at) => dayPage.goTo(Date.parse(at))", at)
    watched.rest()
    held, told = {}, {}
    for line in lines:
        if line.get("at") is None or instant(line["at"]) > instant(at):
            continue
        if line["type"] == "regions":
            for gone in line["stop"]:
                held.pop(gone, None)
            held |= {region["id"]: region for region in line["start"]}
        elif line["type"] == "regions_refused":
            for gone in line["ids"]:
                held.pop(gone, None)
        elif line["type"] == "notification":
            told[line["id"]] = told.get(line["id"], set()) | set(line["text"].split("\n"))
    shown = page.inner_text("[data-number=held]")
    expect(shown == str(len(held)), f"{at}: {shown} regions on the page, {len(held)} by the NDJSON")
    cards = page.eval_on_selector_all("#phone .notification",
                                      "all => all.map((one) => [one.dataset.id, [...one.querySelectorAll('.line')].map((l) => l.textContent)])")
    for name, texts in cards:
        expect(name in told and set(texts) <= told[name], f"{at}: {name} shows {texts}, which was never told")


@check
def a_day_opens_without_a_word_or_a_request(world):
    for scheme in ("light", "dark"):
        with world.open(scheme=scheme) as watched:
            watched.ready()
            for key in ("ArrowRight", "ArrowLeft", "+", "-", "t", "End", "Home"):
                watched.page.keyboard.press(key)
                watched.rest()
            watched.page.mouse.click(400, 300)
            watched.rest()
            quiet(watched)


@check
def the_sample_day_says_what_the_NDJSON_says(world):
    with world.open() as watched:
        numbers_agree(watched.ready(), world.lines, 1)
        quiet(watched)


@check
def days_of_the_corpora_say_what_the_NDJSON_says(world):
    days = development(world.folder, DAYS)
    if not days:
        return "skipped: no larger test data beside the checkout"
    for number, day in enumerate(day.without_truth() for day in days):
        try:
            with world.open(day.write()) as watched:
                numbers_agree(watched.ready(), day.lines(), number)
                quiet(watched)
        except AssertionError as error:
            raise AssertionError(f"{day.name}: {error}")
    return f"{len(days)} days"


@check
def why_is_what_nearme_explain_says(world):
    data = world.sample.data()
    moments = [m for m in data["moments"] if m["about"] != "hour"][::9]
    with world.open() as watched:
        page = watched.ready().page
        for moment in moments:
            at = datetime.datetime.fromtimestamp(moment["at"] / 1000, datetime.UTC).isoformat().replace("+00:00", "Z")
            said = world.sample.explain(moment["reminder"], at).splitlines()
            page.evaluate("(ms) => dayPage.goTo(ms)", moment["at"])
            page.evaluate("(asked) => dayPage.ask(asked)", {"reminder": moment["reminder"], "ms": moment["at"]})
            watched.rest()
            expect(page.inner_text(".outcome") == said[0], f"{at}: {page.inner_text('.outcome')} is not {said[0]}")
            causes = page.eval_on_selector_all(".causes li", "all => all.map((one) => one.textContent)")
            wanted = [line.removeprefix("  because   ") for line in said if line.startswith("  because ")]
            expect(causes == wanted, f"{at}: {causes} is not {wanted}")
            evidence = page.eval_on_selector_all("#why dd", "all => all.map((one) => one.textContent)")
            # The last line names the service, which is that of the whole page.
            expect(said[-1].startswith("  service"), f"{at}: {said[-1]}")
            rest = [line[12:] for line in said[1 + len(wanted):-1]]
            expect(evidence == rest, f"{at}: the evidence is another")
    return f"{len(moments)} moments"


@check
def everything_can_be_done_by_keyboard(world):
    with world.open(fragment="#t=2026-03-03T14:30:00Z") as watched:
        page = watched.ready().page
        time = lambda: page.inner_text("#time")
        expect(time() == "2026-03-03 13:30:00", f"the link leads to {time()}")

        def press(key, wanted=None):
            before = time()
            page.keyboard.press(key)
            watched.rest()
            if wanted is not None:
                expect((time() > before) - (time() < before) == wanted, f"{key} leads from {before} to {time()}")

        press("ArrowRight", 1)
        press("ArrowLeft", -1)
        page.evaluate("location.hash = '#t=2026-03-03T14:30:01Z'; location.hash = '#t=2026-03-03T14:30:00Z'")
        watched.until("document.getElementById('time').textContent === '2026-03-03 13:30:00'")
        press("Shift+ArrowRight", 1)
        expect(time() == "2026-03-03 13:31:00", f"a minute on it is {time()}")
        press("End", 1)
        press("Home", -1)
        expect(time() == "2026-03-03 08:00:00", f"the day begins at {time()}")
        page.keyboard.press(" ")
        watched.until("document.getElementById('time').textContent > '2026-03-03 08:00:05'")
        page.keyboard.press(" ")
        view = page.evaluate("dayPage.lanes.view[1] - dayPage.lanes.view[0]")
        press("+")
        expect(page.evaluate("dayPage.lanes.view[1] - dayPage.lanes.view[0]") < view, "+ does not zoom")
        press("-")
        press("t")
        expect(page.is_visible("#table"), "t does not show the table")
        press("t")
        expect(not page.is_visible("#table"), "t does not hide the table")
        watched.until("location.hash.startsWith('#t=2026-03-03T09:')")
        # Every control can be reached, is seen when it is, and none holds what presses Tab.
        controls = page.eval_on_selector_all("button, select, summary, [tabindex='0']",
                                             "all => all.filter((one) => one.offsetParent !== null).length")
        reached = set()
        page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        for _ in range(controls + 20):
            page.keyboard.press("Tab")
            found = page.evaluate("""() => {
              const one = document.activeElement;
              if (one === document.body) return null;
              window.marks ??= new Map();
              if (!window.marks.has(one)) window.marks.set(one, window.marks.size);
              return [window.marks.get(one), getComputedStyle(one).outlineStyle, one.outerHTML.slice(0, 120)];
            }""")
            if found:
                expect(found[1] != "none", f"what has the focus does not show it: {found[2]}")
                reached.add(found[0])
        expect(len(reached) >= controls, f"{len(reached)} of {controls} controls can be reached")
        # The lane of a reminder, then another reminder of the choice.
        page.focus(".lane-label >> nth=3")
        page.keyboard.press("Enter")
        watched.rest()
        expect(page.input_value("#why-reminder") == "check", "Enter on a lane does not ask why")
        page.focus("#why-reminder")
        page.keyboard.press("ArrowUp")
        watched.rest()
        expect(page.get_attribute(".outcome", "data-reminder") == "food", "the choice does not change the answer")
        # A place by its button, and a sentence of the table.
        page.evaluate("dayPage.goTo(Date.parse('2026-03-03T14:30:00Z'))")
        watched.rest()
        page.focus("#moment .chip >> nth=0")
        page.keyboard.press("Enter")
        watched.rest()
        expect("Lantern Pharmacy" in page.inner_text("#why"), "the button of a place does not ask why")
        quiet(watched)


@check
def a_hand_on_map_and_time_line_is_followed(world):
    with world.open(fragment="#t=2026-03-03T14:30:00Z") as watched:
        page = watched.ready().page
        page.locator("#lanes").scroll_into_view_if_needed()
        box = page.locator("#lanes").bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 90)
        page.mouse.down()
        page.mouse.move(box["x"] + 500, box["y"] + 90, steps=5)
        page.mouse.up()
        watched.rest()
        wanted = page.evaluate("dayPage.lanes.instant(500)")
        expect(abs(page.evaluate("dayPage.page.ms") - wanted) < 60_000, "the cursor does not follow the hand")
        expect(page.get_attribute(".outcome", "data-reminder") == "gas", "letting go on a lane does not ask why")
        # The own place, the bubble of a notification, and a point of the way.
        page.evaluate("window.scrollTo(0, 0)")

        def click(latitude, longitude, right=0, down=0):
            x, y = page.evaluate("""([lat, lon]) => {
              dayPage.map.map.setView([lat, lon], 17, { animate: false });
              const box = document.getElementById("map").getBoundingClientRect();
              const point = dayPage.map.map.latLngToContainerPoint([lat, lon]);
              return [box.left + point.x, box.top + point.y];
            }""", [latitude, longitude])
            page.mouse.click(x + right, y + down)
            watched.rest()

        home = json.loads(page.text_content("#report"))["places"][0]
        click(home["latitude"], home["longitude"])
        expect("Home" in page.inner_text("#why"), f"a click on Home says {page.inner_text('#why')[:200]}")
        bubble = page.evaluate("""(() => {
          const one = dayPage.map.layer.bubbles.find((one) => one.kind === "arrival");
          return [one.lat, one.lon, one.at, one.lines[0].reminder];
        })()""")
        click(bubble[0], bubble[1], right=9, down=-14)
        expect(page.evaluate("dayPage.page.ms") == bubble[2], "a click on a bubble does not go to its instant")
        expect(page.get_attribute(".outcome", "data-reminder") == bubble[3], "a click on a bubble does not ask why")
        fix = page.evaluate("""(() => {
          const { speed, count, lat, lon, at } = dayPage.track;
          const row = speed.findIndex((speed, i) => speed > 150 && i > count / 2);
          return [lat[row], lon[row], at[row]];
        })()""")
        click(fix[0], fix[1])
        expect(abs(page.evaluate("dayPage.page.ms") - fix[2]) <= 5_000, "a click on the way does not go to its instant")
        quiet(watched)


@check
def hostile_names_are_text(world):
    day = hostile(world.folder).write()
    lines = day.lines()
    with world.open(day) as watched:
        page = watched.ready().page
        numbers_agree(watched, lines, 3)
        for key in ["ArrowRight"] * 40:
            page.keyboard.press(key)
        page.evaluate("document.querySelectorAll('.lane-label').forEach((one) => one.click())")
        watched.rest()
        quiet(watched)
        expect(page.evaluate("window.hacked") is None, "a name was run")
        expect(page.locator("script").count() == 3, "a name made a script")
        expect(page.locator("img, iframe, object, embed, form, link, a:not(.leaflet-control a)").count() == 0, "a name made an element")
        expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a long name makes the page scroll sideways")
        titles = page.eval_on_selector_all("#why-reminder option", "all => all.map((one) => one.textContent)")
        for number, name in enumerate(HOSTILE.values()):
            expect(titles[number] == name[:80], f"{titles[number]!r} is not {name[:80]!r}")
        policy = page.get_attribute("meta[http-equiv]", "content")
        expect("unsafe" not in policy and "http" not in policy, f"the policy is {policy}")
    return f"{len(HOSTILE)} kinds of names"


@check
def nothing_that_is_not_in_the_page_runs(world):
    text = world.sample.page.read_text()
    changed = world.folder / "changed.html"
    changed.write_text(text.replace("</body>", "<script>window.hacked = 1</script><p style='color:red' onclick='hacked = 2'>x</p></body>"))
    with Watched(world.browser, changed) as watched:
        watched.ready()
        expect(watched.page.evaluate("window.hacked") is None, "the policy lets another script run")
        expect(any("Content Security Policy" in said for said in watched.said), "the policy does not object")


@check
def a_page_without_Leaflet_has_its_time_line_and_tables(world):
    text = world.sample.page.read_text()
    head, rest = text.split("</script>\n<script>", 1)
    _, own = rest.split("</script>\n<script>", 1)
    bare = world.folder / "bare.html"
    bare.write_text(head + "</script>\n<script>" + own)
    with Watched(world.browser, bare) as watched:
        numbers_agree(watched.ready(), world.lines, 5)
        expect("has no map" in watched.page.inner_text("#map"), "the page does not say that it has no map")
        quiet(watched)


@check
def those_who_want_no_motion_get_steps(world):
    with world.open(motion="reduce") as watched:
        page = watched.ready().page
        page.keyboard.press("Home")
        watched.rest()
        frames = page.evaluate("dayPage.page.frames")
        page.keyboard.press(" ")
        page.wait_for_timeout(2_300)
        page.keyboard.press(" ")
        drawn = page.evaluate("dayPage.page.frames") - frames
        expect(1 <= drawn <= 8, f"{drawn} pictures in two seconds of steps")
        quiet(watched)


def axe(watched, where):
    found = Axe().run(watched.page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [f"{v['id']}: {v['nodes'][0]['html'][:160]} {v['nodes'][0].get('failureSummary', '')[:200]}"
               for v in found if v["impact"] in ("serious", "critical")]
    expect(not serious, f"{where}: {serious}")


WIDTHS = [(390, 844), (1024, 768), (2560, 1440)]


@check
def NM_3_4_it_can_be_read_at_three_widths_in_light_and_dark(world):
    for width, height in WIDTHS:
        for scheme in ("light", "dark"):
            with world.open(width=width, height=height, scheme=scheme, fragment="#t=2026-03-03T14:30:46Z") as watched:
                page = watched.ready().page
                expect(page.evaluate("document.documentElement.scrollWidth") <= width, f"{width}: the page scrolls sideways")
                small = page.eval_on_selector_all("button, select", """all => all.filter((one) => one.offsetParent && !one.closest('.leaflet-control'))
                  .filter((one) => one.getBoundingClientRect().height < 24 || one.getBoundingClientRect().width < 24).map((one) => one.outerHTML.slice(0, 120))""")
                expect(not small, f"{width}: too small for a finger: {small}")
                looks_as_kept(page.screenshot(full_page=width < 1000), f"day-{width}-{scheme}")
                page.keyboard.press("t")
                axe(watched, f"{width} {scheme}")
                quiet(watched)


@check
def NM_3_4_places_and_points_differ_in_shape_not_in_color_only(world):
    with world.open() as watched:
        masks = watched.ready().page.evaluate("""() => [...document.querySelectorAll('.legend .glyph')].slice(0, 2).map((glyph) => {
          const data = glyph.getContext('2d').getImageData(0, 0, glyph.width, glyph.height).data;
          return Array.from({ length: data.length / 4 }, (_, i) => data[i * 4 + 3] > 127);
        })""")
        words = watched.page.eval_on_selector_all(".legend li", "all => all.slice(0, 2).map((one) => one.textContent)")
        expect(words == ["own place", "point of interest"], f"the legend begins with {words}")
        inked = sum(a or b for a, b in zip(*masks))
        apart = sum(a != b for a, b in zip(*masks))
        expect(inked > 100 and apart > 0.25 * inked, f"only {apart} of {inked} points of the two symbols differ")


@check
def it_can_be_printed(world):
    with world.open(fragment="#t=2026-03-03T14:30:46Z") as watched:
        page = watched.ready().page
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        watched.rest()
        expect(page.is_visible("#table"), "the sentences are not printed")
        expect(not page.is_visible(".controls"), "buttons are printed")
        looks_as_kept(page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": 1400}, full_page=True), "day-print")
        expect(len(page.pdf(format="A4", print_background=True)) > 20_000, "the print is empty")


@check
def reports_of_compare_can_be_read(world):
    page = world.folder / "compare.html"
    nearme("compare", *world.sample.arguments[:5], "--monitors", "ideal,ios", "--slots", "5,20", "--report", page)
    return read_report(world, page, "compare")


@check
def reports_of_tune_can_be_read(world):
    corpus = world.folder / "corpus"
    nearme("simulate", "--city", "-o", corpus, "--people", "3", "--days", "1", "--seed", "4")
    cache = world.folder / "city.sqlite"
    nearme("cache", "build", corpus / "places.csv", "-o", cache)
    space = world.folder / "space.yaml"
    space.write_text("arrival: {threshold: [0.3, 0.5, 0.8]}\n")
    page = world.folder / "tune.html"
    done = subprocess.run([ROOT / ".build/release/nearme", "tune", corpus, "--cache", cache, "--monitor", "stream",
                                         "--space", space, "--report", page], capture_output=True, text=True)
    expect(done.returncode in (0, 1, 3), done.stderr)
    return read_report(world, page, "tune")


def read_report(world, path, name):
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            with Watched(world.browser, path, width=width, scheme=scheme) as watched:
                watched.page.wait_for_selector("h1")
                watched.rest()
                quiet(watched)
                expect(watched.page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} {width}: it scrolls sideways")
                axe(watched, f"{name} {width} {scheme}")
    with Watched(world.browser, path) as watched:
        links = watched.page.eval_on_selector_all("a[href]", "all => all.map((one) => one.getAttribute('href'))")
        expect(links, f"{name}: no day can be opened")
        watched.page.click("a[href] >> nth=0")
        watched.ready()
        expect(watched.page.locator("#lanes").count() == 1 and watched.page.inner_text(".outcome") != "", f"{name}: {links[0]} shows no day")
        expect(not watched.said, f"{name}: {watched.said}")
    return f"{len(links)} days to open"


@functools.cache
def drawn_by():
    """What a picture depends on besides the page: the browser's release, and the letters."""
    said = subprocess.run([executable(), "--version"], capture_output=True, text=True).stdout
    number = next((word for word in said.split() if word[:1].isdigit()), "unknown")
    try:
        font = subprocess.run(["fc-match", "sans-serif"], capture_output=True, text=True).stdout.strip()
    except OSError:
        font = "unknown"
    return f"Chromium {number.split('.')[0]}, {font}\n"


@functools.cache
def is_drawn_alike():
    path = KEPT / "drawn-by.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(drawn_by())
    was = path.read_text()
    if was != drawn_by():
        print(f"pages: pictures are not compared: they were kept by {was.strip()}, and here is {drawn_by().strip()}")
    return was == drawn_by()


def looks_as_kept(png, name):
    if not is_drawn_alike():
        return

    def soft(image):
        image = image.convert("RGB")
        shrunk = image.resize((max(1, image.width // 3), max(1, image.height // 3)), Image.LANCZOS)
        return shrunk.filter(ImageFilter.GaussianBlur(1.2))

    now = soft(Image.open(io.BytesIO(png)))
    path = KEPT / f"{name}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        KEPT.mkdir(exist_ok=True)
        now.quantize(96).save(path, optimize=True)
        return
    expect(path.exists(), f"no picture is kept of {name}: UPDATE_GOLDEN=1 keeps it")
    kept = Image.open(path).convert("RGB")
    width, height = min(now.width, kept.width), min(now.height, kept.height)
    expect(now.width == kept.width and abs(now.height - kept.height) <= 0.04 * kept.height,
           f"{name}: {now.size} is not the size of the kept {kept.size}")
    difference = ImageChops.difference(now.crop((0, 0, width, height)), kept.crop((0, 0, width, height)))
    red, green, blue = difference.split()
    most = ImageChops.lighter(red, ImageChops.lighter(green, blue))
    differing = sum(most.histogram()[DIFFERENT_BY + 1:]) / (width * height)
    if differing > MOST_DIFFERENT:
        seen = Path(tempfile.gettempdir()) / f"nearme-{name}.png"
        now.save(seen)
        raise AssertionError(f"{name}: {differing:.1%} of it looks different from the kept picture: see {seen}; "
                             "UPDATE_GOLDEN=1 keeps it as it is")


def main():
    wanted = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        world = World(browser, folder)
        for one in checks:
            if wanted and not any(part in one.__name__ for part in wanted):
                continue
            name = one.__name__.replace("_", " ")
            try:
                note = one(world)
                print(f"  ok      {name}" + (f" ({note})" if note else ""), flush=True)
            except Exception as error:
                failed += 1
                print(f"  FAILED  {name}: {error}", flush=True)
                if not isinstance(error, AssertionError):
                    traceback.print_exc()
    print(f"pages: {failed} of the checks failed" if failed else "pages: all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
