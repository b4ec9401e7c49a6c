#!/usr/bin/env python3
"""Opens the page of a running `manyarms serve` in headless Chromium and checks it.

    page_test.py PROGRAM FOLDER

Starts the service on a free port of loopback, follows what the empty page says to
do, drives choices and rewards, and looks: figures appear and move, hostile names
are text, nothing is requested from elsewhere, the console stays empty, the page is
never wider than the window, text has contrast in light and dark, everything can be
reached by keyboard, and the page says when the service fails, wants a token or is
away. FOLDER gets the screenshots.
"""

import json
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HOSTILE = "<img src=x onerror=alert(1)>"
# What the browser itself writes about answers that are not 200.
EXPECTED_IN_CONSOLE = "Failed to load resource"


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


class Service:
    """The real program, as a child process."""

    def __init__(self, program, data, port=0, options=()):
        self.process = subprocess.Popen(
            [program, "serve", "--data", str(data), "--port", str(port), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log = []
        # Its log must be read, or it would wait for us.
        threading.Thread(target=self.log.extend, args=(self.process.stderr,),
                         daemon=True).start()
        line = self.process.stdout.readline()
        check("listening on http://" in line,
              f"the service says {line!r}, and in its log {''.join(self.log)}")
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def ask(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            sys.exit(f"page_test: {method} {path}: {error.read().decode()}")
        return json.loads(text) if text else None

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(timeout=30) == 0,
              f"the service ended with {self.process.returncode}: {''.join(self.log[-5:])}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        elif self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Traffic:
    """Choices and rewards of a world in which the first arm is the best."""

    def __init__(self, service, bandit, learners):
        self.service, self.bandit, self.learners = service, bandit, learners
        self.random = random.Random(1)
        self.ending = threading.Event()
        self.error = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def round(self):
        choices = [{"learner": self.random.choice(self.learners)} for _ in range(20)]
        answers = self.service.ask(
            "POST", f"/v1/bandits/{self.bandit}/choices", {"choices": choices})["results"]
        rewards = [{"decision": answer["decision"],
                    "reward": float(self.random.random() < (0.8 if answer["arm"] == HOSTILE else 0.3))}
                   for answer in answers]
        self.service.ask("POST", f"/v1/bandits/{self.bandit}/rewards", {"rewards": rewards})

    def run(self):
        try:
            # At most two minutes, whatever happens.
            for _ in range(2400):
                if self.ending.wait(0.05):
                    return
                self.round()
        except Exception as error:  # told by stop(), on the thread of the test
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join(timeout=30)
        check(self.error is None, f"the traffic failed: {self.error!r}")


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

    def open(self, url):
        self.origins.add(url)
        self.browser.get(url + "/")

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

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

    def check_requests(self):
        """Nothing but the service itself was asked for anything."""
        count = 0
        for entry in self.browser.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] != "Network.requestWillBeSent":
                continue
            url = event["params"]["request"]["url"]
            if url.startswith("data:"):
                continue
            count += 1
            check(any(url.startswith(origin + "/") for origin in self.origins),
                  f"the page asked for {url}")
        check(count > 0, "the log of requests is empty")


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


def run_shell_line(line):
    """Does what a curl line of the page says."""
    words = shlex.split(line.replace("\\\n", " "))
    check(words[0] == "curl", f"not a curl line: {line}")
    method, headers, data, url = "GET", {}, None, None
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, value = next(rest).split(":", 1)
            headers[name] = value.strip()
        elif word == "-d":
            data = next(rest).encode()
        else:
            url = word
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        check(answer.status in (200, 201), f"{line} answered {answer.status}")


def check_begin(page, service):
    """The empty page says what to do, and doing so fills it."""
    page.open(service.url)
    page.wait_for_state("ready")
    wait_for("the steps", lambda: page.seen("start"))
    check(not page.seen("bandit"), "there is a bandit before one is created")
    page.look("empty")
    lines = page.script(
        "return [...document.querySelectorAll('#start-steps pre')].map(e => e.textContent)")
    check(len(lines) == 4, f"the empty page has {len(lines)} steps")
    expected = ["no arms yet", "no choice yet", "No reward"]
    for line, verdict in zip(lines, expected):
        run_shell_line(line)
        wait_for(f"'{verdict}' after {line}", lambda v=verdict: v in page.text("verdict"))
        wait_for("the next step", lambda: page.seen("bandit-steps"))
    run_shell_line(lines[3])
    wait_for("the first reward", lambda: "first reward" in page.text("verdict"))
    check(not page.seen("bandit-steps"), "steps are shown although all are done")
    page.check_console("empty")


def make_world(service):
    service.ask("PUT", "/v1/bandits/world", {
        "dim": 3, "explore_uniform": 0.3, "exploration": 0.5})
    service.ask("POST", "/v1/bandits/world/arms", {"arms": [
        {"arm": HOSTILE, "features": [1, 0, 0]}, {"arm": "b", "features": [0, 1, 0]},
        {"arm": "long-" * 40, "features": [0, 0, 1]}]})


def check_keyboard(page):
    """Tab reaches everything that can be used, in the order of the page."""
    # From the top, wherever the focus was.
    page.script("document.body.tabIndex = -1; document.body.focus()")
    reached = []
    for _ in range(60):
        ActionChains(page.browser).send_keys(Keys.TAB).perform()
        name = page.script(
            "const e = document.activeElement;"
            "return e === document.body ? '' : e.id || (e.closest('[id]') || e).id || e.tagName")
        if name == "":
            break
        reached.append(name)
        check(page.script("return document.activeElement.matches(':focus-visible') &&"
                          " getComputedStyle(document.activeElement).outlineStyle !== 'none'"),
              f"one does not see that {name} has the focus")
    for name in ("rates", "latency", "bandits", "recent", "who", "chips"):
        check(name in reached, f"Tab does not reach {name}, only {reached}")
    check(reached.index("rates") < reached.index("bandits") < reached.index("who"),
          f"the order of Tab is {reached}")


def check_readout(page):
    """Arrow keys and the pointer read a chart."""
    for name in ("rates", "latency", "recent"):
        plot = page.browser.find_element(By.CSS_SELECTOR, f"#{name} .plot")
        tip = f"return document.querySelector('#{name} .tip').getClientRects().length > 0"
        page.script("arguments[0].focus()", plot)
        ActionChains(page.browser).send_keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT).perform()
        check(page.script(tip), f"{name}: no readout at the arrow keys")
        value = plot.get_attribute("aria-valuetext")
        check(value.count(":") >= 3, f"{name}: the readout says {value!r}")
        ActionChains(page.browser).send_keys(Keys.ESCAPE).perform()
        check(not page.script(tip), f"{name}: the readout stays after Escape")
        ActionChains(page.browser).move_to_element(plot).perform()
        check(page.script(tip), f"{name}: no readout at the pointer")
        ActionChains(page.browser).move_to_element(page.find("version")).perform()
        check(not page.script(tip), f"{name}: the readout stays without the pointer")


def path_of(page, chart, kind):
    return page.script(
        "const e = document.querySelector(arguments[0]); return e && e.getAttribute('d')",
        f"#{chart} svg path.{kind}.series")


def number(text):
    return float("".join(c for c in text.split("\u202f")[0] if c in "0123456789."))


def check_live(page, service):
    """Figures appear, move, and are those of the service."""
    wait_for("two bandits", lambda: page.seen("pick"))
    select = page.find("bandits")
    page.script("arguments[0].focus()", select)
    ActionChains(page.browser).send_keys("world").perform()
    wait_for("the other bandit", lambda: "3 features" in page.text("bandit-kind"))
    wait_for("choices", lambda: number(page.text("choices-now")) > 20)
    wait_for("rewards", lambda: number(page.text("rewards-now")) > 20)
    before = {name: path_of(page, name, kind) for name, kind in
              (("rates", "policy"), ("rates", "reward"), ("latency", "slate"),
               ("recent", "policy"))[1:]}
    check(all(before.values()), f"charts without a line: {before}")
    wait_for("charts that move", lambda: all(
        path_of(page, name, kind) != before[name]
        for name, kind in (("rates", "reward"), ("latency", "slate"), ("recent", "policy"))))
    wait_for("a comparison", lambda: "uniform choice by" in page.text("verdict"), 60)
    check("better" in page.text("verdict"), f"the verdict is {page.text('verdict')}")
    check(page.seen("intervals"), "there are no intervals")
    stats = service.ask("GET", "/v1/bandits/world")["stats"]
    check(number(page.text("p50-now")) > 0, "there is no latency")
    facts = page.script(
        "return Object.fromEntries([...document.querySelectorAll('#facts > div')].map("
        "e => [e.firstChild.textContent, e.lastChild.firstChild.textContent]))")
    check(number(facts["arms"]) == 3, f"the facts are {facts}")
    check(0 < number(facts["choices"]) <= stats["choices"] + 1000,
          f"choices: {facts['choices']} on the page, {stats['choices']} in the service")
    routes = page.script("return document.getElementById('routes-rows').textContent")
    check("choices" in routes, f"the routes are {routes}")


def check_learner(page):
    """Best arms of a learner that one types; names are text, whatever they say."""
    who = page.find("who")
    page.script("arguments[0].focus()", who)
    ActionChains(page.browser).key_down(Keys.CONTROL).send_keys("a").key_up(
        Keys.CONTROL).send_keys(HOSTILE, Keys.ENTER).perform()
    wait_for("the learner", lambda: page.text("learner-name") == HOSTILE)
    wait_for("the learner's view", lambda: "reward" in page.text("learner-state"))
    arms = page.script(
        "return [...document.querySelectorAll('#best-rows .arm')].map(e => e.textContent)")
    check(arms[0] == HOSTILE, f"the best arm of three is {arms}")
    check(len(arms) == 3, f"the arms are {arms}")
    check(page.script("return document.images.length") == 0, "a name was read as HTML")
    whiskers = page.script("return document.querySelectorAll('#best-rows line.thin').length")
    check(whiskers == 9, f"{whiskers} lines of whiskers for three arms")
    ActionChains(page.browser).key_down(Keys.CONTROL).send_keys("a").key_up(
        Keys.CONTROL).send_keys("nobody", Keys.ENTER).perform()
    wait_for("an unknown learner", lambda: "not chosen yet" in page.text("learner-state"))
    chip = page.browser.find_elements(By.CSS_SELECTOR, "#chips button")[0]
    name = chip.get_attribute("title")
    page.script("arguments[0].focus()", chip)
    ActionChains(page.browser).send_keys(Keys.ENTER).perform()
    wait_for("a suggested learner", lambda: page.text("learner-name") == name)


def check_away(page, program, data, service):
    """The service goes away and comes back."""
    choices = page.text("facts")
    service.stop()
    page.wait_for_state("no answer")
    check("does not answer" in page.text("away-text"), page.text("away-text"))
    check(page.script("return document.body.classList.contains('stale')"),
          "old figures look like new ones")
    check(page.text("facts") == choices or page.seen("facts"), "the last figures are gone")
    page.look("away", widths=(360,))
    page.check_console("away", (EXPECTED_IN_CONSOLE,))
    with Service(program, data, service.port) as again:
        check(again.url == service.url, f"{again.url} after {service.url}")
        page.wait_for_state("ready")
        check(not page.seen("away"), "it still says that the service is away")
        wait_for("figures of the new process",
                 lambda: "since the service was started" in page.text("verdict"))
        check(not page.seen("bandit-steps"), "an old bandit is shown as a new one")
        check(not page.script("return document.body.classList.contains('stale')"),
              "new figures look like old ones")
        page.check_console("back", (EXPECTED_IN_CONSOLE,))


def check_token(page, program, folder):
    """Without a token the page asks for one; any role opens it."""
    tokens = folder / "tokens"
    tokens.write_text("read read-token-0123456789\nadmin admin-token-0123456789\n")
    tokens.chmod(0o600)
    with Service(program, folder / "token.db", options=["--tokens", str(tokens)]) as service:
        page.open(service.url)
        page.wait_for_state("token wanted")
        page.look("token")
        check(not page.seen("main"), "figures are shown without a token")
        page.find("token").send_keys("wrong", Keys.ENTER)
        wait_for("a wrong token", lambda: "refuses" in page.text("gate-wrong"))
        page.look("token-wrong", widths=(360,))
        page.find("token").send_keys("read-token-0123456789", Keys.ENTER)
        page.wait_for_state("ready")
        wait_for("the steps", lambda: page.seen("start"))
        check("role admin" in page.text("start-steps"), "no step says which role it needs")
        check("token-0123" not in page.browser.current_url, "the token is in the address")
        check("token-0123" not in page.script("return document.body.innerHTML"),
              "the token is on the page")
        page.browser.refresh()
        page.wait_for_state("ready")
        page.find("forget").click()
        page.wait_for_state("token wanted")
        check(page.script("return sessionStorage.getItem('manyarms.token')") is None,
              "the token is kept although it was to be forgotten")
        page.check_console("token", (EXPECTED_IN_CONSOLE,))


def check_policy(service):
    """What the browser is told to refuse."""
    with urllib.request.urlopen(service.url + "/", timeout=20) as answer:
        policy = answer.headers["Content-Security-Policy"] or ""
        check(answer.headers["Content-Type"] == "text/html; charset=utf-8",
              f"the page is {answer.headers['Content-Type']}")
    check("default-src 'none'" in policy, f"the policy is {policy!r}")
    check("unsafe-eval" not in policy, f"the policy is {policy!r}")


def main():
    program = sys.argv[1]
    screenshots = pathlib.Path(sys.argv[2])
    shutil.rmtree(screenshots, ignore_errors=True)
    screenshots.mkdir(parents=True)
    browser = open_browser()
    try:
        page = Page(browser, screenshots)
        page.window(1280, "light")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with Service(program, folder / "page.db") as service:
                check_policy(service)
                check_begin(page, service)
                make_world(service)
                with Traffic(service, "world", ["anna", HOSTILE, "x" * 200]):
                    check_live(page, service)
                    check_learner(page)
                    check_readout(page)
                    check_keyboard(page)
                    page.look("live", widths=(1280, 800, 360))
                    page.check_console("live")
                check_away(page, program, folder / "page.db", service)
            check_token(page, program, folder)
        page.check_requests()
    finally:
        browser.quit()
    print(f"page_test: passed; screenshots are in {screenshots}")


main()
