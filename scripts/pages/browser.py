"""Chromium, as Debian has it, driven by Playwright, and what a page did in it."""

import os
import time
from contextlib import contextmanager

from playwright.sync_api import sync_playwright

PATHS = [os.environ.get("CHROMIUM", ""), "/usr/bin/chromium", "/usr/bin/chromium-browser"]


def executable():
    return next((path for path in PATHS if path and os.access(path, os.X_OK)), None)


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        # Root may not use the sandbox; in containers everybody is root.
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable(), args=[*sandbox, "--font-render-hinting=none"])
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page, with all that it said and asked for."""

    def __init__(self, browser, path, fragment="", width=1280, height=900, scheme="light", motion="no-preference"):
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion=motion)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = f"file://{path}{fragment}"
        self.page.goto(self.url)

    def ready(self):
        self.page.wait_for_selector("html[data-ready]", timeout=15_000)
        self.rest()
        return self

    def rest(self):
        """Until the next picture has been drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, condition, seconds=10):
        """Until something is so; a function that waits in the page would need what its policy forbids."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            if time.monotonic() > end:
                raise AssertionError(f"{condition} did not become so in {seconds} s")
            self.page.wait_for_timeout(50)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
