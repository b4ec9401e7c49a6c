"""The page of the service in headless Chromium, and what one can see of it."""

import json
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By


def check(condition, message):
    if not condition:
        sys.exit(f"page_test: {message}")


def wait_for(what, condition, seconds=20):
    """Returns the first true value of the condition."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"page_test: waited {seconds} s in vain: {what}")


def open_browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--disable-background-networking"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Driver("/usr/bin/chromedriver"), options=options)


class Page:
    """The page in the browser, and what one can see of it."""

    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder
        self.origins = set()
        self.asked = []

    def open(self, url):
        self.origins.add(url)
        self.browser.get(url + "/")

    def leave(self):
        """So that the page does not miss a service that is stopped."""
        self.browser.get("about:blank")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def focus(self, element):
        self.script("arguments[0].focus()", element)

    def text(self, name):
        return self.script("return document.getElementById(arguments[0]).textContent", name)

    def seen(self, name):
        return self.script(
            "const e = document.getElementById(arguments[0]);"
            "return e !== null && e.getClientRects().length > 0", name)

    def find(self, name):
        return self.browser.find_element(By.ID, name)

    def state(self):
        return self.text("state-text")

    def wait_for_state(self, state):
        wait_for(f"state {state}", lambda: self.state() == state)

    def window(self, width, scheme, height=900):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        # Drawings follow the width in the next frame.
        self.browser.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def look(self, name, widths=(1280, 360)):
        """Screenshots of the page in its present state, and what holds for each."""
        for width in widths:
            for scheme in ("light", "dark"):
                self.window(width, scheme)
                self.check_picture(f"{name}-{width}-{scheme}", width)
        self.window(1280, "light")
        self.check_names(name)

    def check_picture(self, name, width):
        wide = self.script("return document.documentElement.scrollWidth")
        check(wide <= width, f"{name}: {wide} pixels wide in a window of {width}")
        faint = self.script(CONTRASTS)
        check(not faint, f"{name}: text with little contrast: {faint}")
        height = self.script("return document.documentElement.scrollHeight")
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": min(height, 8000), "deviceScaleFactor": 1,
            "mobile": width < 500})
        self.browser.save_screenshot(str(self.folder / f"{name}.png"))

    def check_names(self, name):
        tree = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        for node in tree:
            role = node.get("role", {}).get("value")
            if node.get("ignored") or role not in (
                    "button", "textbox", "combobox", "slider", "link", "table", "img", "image"):
                continue
            check(node.get("name", {}).get("value"), f"{name}: a {role} has no name: {node}")
        bare = self.script(
            "return [...document.querySelectorAll('input, select')].filter("
            "e => e.labels.length === 0).map(e => e.id)")
        check(not bare, f"{name}: no label for {bare}")
        twice = self.script(
            "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
            "return ids.filter((id, i) => ids.indexOf(id) !== i)")
        check(not twice, f"{name}: ids that occur twice: {twice}")

    def check_console(self, name, allowed=()):
        messages = [entry["message"] for entry in self.browser.get_log("browser")]
        strange = [text for text in messages
                   if not any(part in text for part in allowed)]
        check(not strange, f"{name}: the console has messages: {strange}")

    def requests(self):
        """The addresses of all requests so far."""
        for entry in self.browser.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self.asked.append(event["params"]["request"]["url"])
        return self.asked

    def check_requests(self):
        """Nothing but the service itself was asked for anything."""
        asked = [url for url in self.requests() if not url.startswith("data:")]
        check(asked, "the log of requests is empty")
        strange = [url for url in asked
                   if not any(url.startswith(origin + "/") for origin in self.origins)]
        check(not strange, f"the page asked for {strange}")


# All visible text whose contrast with what is behind it is below 4.5.
CONTRASTS = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
canvas.canvas.width = canvas.canvas.height = 1;
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
function light(colour) {
  const [r, g, b] = colour.map((c) => c / 255).map(
    (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function behind(element) {
  for (let e = element; e; e = e.parentElement) {
    const colour = rgba(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
}
const faint = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (walker.currentNode.textContent.trim() === '') continue;
  if (['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName)) continue;
  if (element.getClientRects().length === 0 || element.closest('.unseen')) continue;
  const style = getComputedStyle(element);
  const front = rgba(element instanceof SVGElement ? style.fill : style.color);
  const [a, b] = [light(front), light(behind(element))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) faint.push([walker.currentNode.textContent.trim(), ratio]);
}
return faint;
"""
