#!/usr/bin/env python3
"""Opens the page of a running `manyarms serve` in headless Chromium and checks it.

    page_test.py FOLDER

Starts the service on a free port of loopback, follows what the empty page says to
do, drives choices and rewards, and looks: figures appear and move, hostile names
are text, nothing is requested from elsewhere, the console stays empty, the page is
never wider than the window, text has contrast in light and dark, everything can be
reached by keyboard, and the page says when the service fails, wants a token or is
away. FOLDER gets the screenshots. MANYARMS_PROGRAM names another program than
build/manyarms.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from page_browser import Page, check, open_browser, wait_for
from page_worlds import (HOSTILE, Traffic, make_apprentice, make_world, must, run_shell_line, stop,
                         url_of)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from service_process import Service

HERE = pathlib.Path(__file__).resolve().parent
# What the browser itself writes about answers that are not 200.
EXPECTED_IN_CONSOLE = "Failed to load resource"


def check_begin(page, service):
    """The empty page says what to do, and doing so fills it."""
    page.open(url_of(service))
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


def check_keyboard(page):
    """Tab reaches everything that can be used, in the order of the page."""
    # From the top, wherever the focus was.
    page.script("document.body.tabIndex = -1; document.body.focus()")
    reached = []
    for _ in range(60):
        page.press(Keys.TAB)
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
        page.focus(plot)
        page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        check(page.script(tip), f"{name}: no readout at the arrow keys")
        value = plot.get_attribute("aria-valuetext")
        check(value.count(":") >= 3, f"{name}: the readout says {value!r}")
        page.press(Keys.ESCAPE)
        check(not page.script(tip), f"{name}: the readout stays after Escape")
        ActionChains(page.browser).move_to_element(plot).perform()
        check(page.script(tip), f"{name}: no readout at the pointer")
        ActionChains(page.browser).move_to_element(page.find("version")).perform()
        check(not page.script(tip), f"{name}: the readout stays without the pointer")


def lines_of(page):
    """A line of each chart; nothing unless all are there."""
    lines = page.script(
        "return ['#rates .reward', '#latency .slate', '#recent .policy'].map("
        "name => (document.querySelector(name + '.series') || document.body).getAttribute('d'))")
    return lines if all(lines) else None


def number(text):
    return float("".join(c for c in text.split("\u202f")[0] if c in "0123456789."))


def choose_bandit(page, name):
    def place():
        names = page.script(
            "return [...document.getElementById('bandits').options].map(o => o.value)")
        return names.index(name) + 1 if name in names and page.seen("pick") else 0
    downs = wait_for(f"bandit {name}", place) - 1
    page.focus(page.find("bandits"))
    page.press(Keys.HOME, *[Keys.ARROW_DOWN] * downs)


def check_live(page, service):
    """Figures appear, move, and are those of the service."""
    choose_bandit(page, "world")
    wait_for("its features", lambda: "3 features" in page.text("bandit-kind"))
    wait_for("choices", lambda: number(page.text("choices-now")) > 20)
    wait_for("rewards", lambda: number(page.text("rewards-now")) > 20)
    before = wait_for("lines on all charts", lambda: lines_of(page))
    wait_for("lines that move", lambda: all(
        new != old for new, old in zip(lines_of(page) or before, before, strict=True)))
    wait_for("a comparison", lambda: "uniform choice by" in page.text("verdict"), 60)
    check("better" in page.text("verdict"), f"the verdict is {page.text('verdict')}")
    check(page.seen("intervals"), "there are no intervals")
    stats = must(service.call("GET", "/v1/bandits/world"))["stats"]
    check(number(page.text("p50-now")) > 0, "there is no latency")
    facts = page.script(
        "return Object.fromEntries([...document.querySelectorAll('#facts > div')].map("
        "e => [e.firstChild.textContent, e.lastChild.firstChild.textContent]))")
    check(number(facts["arms"]) == 3, f"the facts are {facts}")
    check(0 < number(facts["choices"]) <= stats["choices"] + 1000,
          f"choices: {facts['choices']} on the page, {stats['choices']} in the service")
    routes = page.script("return document.getElementById('routes-rows').textContent")
    check("choices" in routes, f"the routes are {routes}")


def ask_for(page, learner):
    page.find("who").send_keys(Keys.CONTROL + "a", Keys.NULL, learner, Keys.ENTER)


def check_learner(page):
    """Best arms of a learner that one types; names are text, whatever they say."""
    ask_for(page, "nobody")
    wait_for("an unknown learner", lambda: page.text("learner-name") == "nobody")
    wait_for("its view", lambda: "not chosen yet" in page.text("learner-state"))
    ask_for(page, HOSTILE)
    wait_for("the learner", lambda: page.text("learner-name") == HOSTILE)
    wait_for("its view", lambda: "rewards learned" in page.text("learner-state"))
    arms = page.script(
        "return [...document.querySelectorAll('#best-rows .arm')].map(e => e.textContent)")
    check(arms[0] == HOSTILE, f"the best arm of three is {arms}")
    check(len(arms) == 3, f"the arms are {arms}")
    check(page.script("return document.images.length") == 0, "a name was read as HTML")
    whiskers = page.script("return document.querySelectorAll('#best-rows line.thin').length")
    check(whiskers == 9, f"{whiskers} lines of whiskers for three arms")
    chip = page.browser.find_elements(By.CSS_SELECTOR, "#chips button")[1]
    name = chip.get_attribute("title")
    page.focus(chip)
    page.press(Keys.ENTER)
    wait_for("a suggested learner", lambda: page.text("learner-name") == name)


def check_hidden(page):
    """A page that nobody sees asks less often."""
    def lives():
        return sum(url.endswith("/v1/live") for url in page.requests())
    shown = page.browser.current_window_handle
    page.browser.switch_to.new_window("tab")
    before = lives()
    time.sleep(4)
    asked = lives() - before
    page.browser.close()
    page.browser.switch_to.window(shown)
    check(asked <= 2, f"a hidden page asked {asked} times in 4 s")
    wait_for("figures again", lambda: lives() > before + asked)


def check_plain(page, service):
    """Without a uniform slice the page says how to get one."""
    must(service.call("PUT", "/v1/bandits/plain", {"dim": 1}))
    must(service.call("PUT", "/v1/bandits/plain/arms/only", {"features": [1]}))
    for reward in (0, 1, 1):
        said = must(service.call("POST", "/v1/bandits/plain/choose", {}))
        must(service.call("POST", "/v1/bandits/plain/reward", {
            "decision": said["decision"], "reward": reward}))
    choose_bandit(page, "plain")
    wait_for("its average", lambda: "on average" in page.text("verdict"))
    wait_for("advice", lambda: "set explore_uniform" in page.text("meaning"))
    check(page.seen("intervals"), "there is no interval")
    page.check_console("plain")


def check_apprentice(page, service):
    """Agreement with the caller, arms by their exact numbers, and a context."""
    largest = make_apprentice(service)
    choose_bandit(page, "apprentice")
    wait_for("its agreement", lambda: "of 20 choices" in page.text("verdict"))
    check("agrees with the caller" in page.text("verdict"), page.text("verdict"))
    check(page.seen("agreement"), "agreement is not drawn")
    wait_for("its arms", lambda: page.seen("best") and str(largest) in page.text("best-rows"))
    check(str(largest - 1) in page.text("best-rows"), page.text("best-rows"))
    check(" to " in page.text("best-rows"), "uncertainty of clicks is not an interval")
    context = page.find("context")
    context.send_keys(Keys.CONTROL + "a", Keys.NULL, "1", Keys.ENTER)
    wait_for("a refused context", lambda: "needs 2 numbers" in page.text("learner-problem"))
    context.send_keys(Keys.CONTROL + "a", Keys.NULL, "1, 0.5", Keys.ENTER)
    wait_for("another context", lambda: page.text("learner-problem") == "")
    page.look("apprentice")
    page.check_console("apprentice")


def check_away(page, service):
    """The service goes away and comes back."""
    facts = page.text("facts")
    stop(service)
    page.wait_for_state("no answer")
    check("does not answer" in page.text("away-text"), page.text("away-text"))
    check(page.script("return document.body.classList.contains('stale')"),
          "old figures look like new ones")
    check(page.seen("facts") and number(facts), "the last figures are gone")
    page.look("away", widths=(360,))
    service.start()
    page.wait_for_state("ready")
    check(not page.seen("away"), "it still says that the service is away")
    wait_for("figures of the new process",
             lambda: "since the service was started" in page.text("verdict"))
    check(not page.seen("bandit-steps"), "an old bandit is shown as a new one")
    check(not page.script("return document.body.classList.contains('stale')"),
          "new figures look like old ones")
    page.check_console("away", (EXPECTED_IN_CONSOLE,))


def check_service(page, folder):
    """A service without tokens, from the first start to the second."""
    service = Service(folder / "page.db", folder)
    service.start()
    # The browser comes back to the same address.
    service.asked_port = service.port
    try:
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
        check_plain(page, service)
        check_apprentice(page, service)
        check_hidden(page)
        check_away(page, service)
        page.leave()
        stop(service)
    finally:
        service.kill()


def check_failure(page, folder):
    """The disk is full, and then it is not."""
    library = folder / "failing_files.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", HERE / "failing_files.c", "-o", library,
                    "-ldl"], check=True)
    data = folder / "full"
    data.mkdir()
    flag = folder / "flag"
    service = Service(data / "page.db", folder, environment={
        "LD_PRELOAD": str(library), "FAILING_FILES": str(data), "FAILING_FILES_FLAG": str(flag),
        "ASAN_OPTIONS": "verify_asan_link_order=0"})
    service.start()
    try:
        make_world(service)
        page.open(url_of(service))
        page.wait_for_state("ready")
        flag.write_text("write ENOSPC")
        status, _ = service.call("POST", "/v1/bandits/world/choose", {"learner": "anna"})
        check(status == 503, f"a choice on a full disk answers {status}")
        page.wait_for_state("store failed")
        check("full" in page.text("failure"), page.text("failure"))
        check(page.script("return document.getElementById('failure').getAttribute('role')")
              == "alert", "the failure is not an alert")
        page.look("failed")
        flag.unlink()
        page.wait_for_state("ready")
        check(not page.seen("failure"), "it still says that the store has failed")
        page.check_console("failed")
        page.leave()
        stop(service)
    finally:
        service.kill()


def check_token(page, folder):
    """Without a token the page asks for one; any role opens it."""
    tokens = folder / "tokens"
    tokens.write_text("read read-token-0123456789\nadmin admin-token-0123456789\n")
    tokens.chmod(0o600)
    service = Service(folder / "token.db", folder, ["--tokens", tokens])
    service.start()
    try:
        page.open(url_of(service))
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
        page.leave()
        stop(service)
    finally:
        service.kill()


def check_demo(page, folder):
    """A demo has live figures within a minute."""
    service = Service(folder / "demo.db", folder, ["--demo"])
    service.start()
    try:
        page.open(url_of(service))
        wait_for("choices of the demo", lambda: number(page.text("choices-now")) > 10, 60)
        wait_for("rewards of the demo", lambda: number(page.text("rewards-now")) > 1, 60)
        wait_for("arms of the demo", lambda: page.seen("best"), 60)
        page.look("demo")
        page.check_console("demo")
        page.leave()
        stop(service)
    finally:
        service.kill()


def check_policy(service):
    """What the browser is told to refuse."""
    with urllib.request.urlopen(url_of(service) + "/", timeout=20) as answer:
        policy = answer.headers["Content-Security-Policy"] or ""
        check(answer.headers["Content-Type"] == "text/html; charset=utf-8",
              f"the page is {answer.headers['Content-Type']}")
    check("default-src 'none'" in policy, f"the policy is {policy!r}")
    for word in ("unsafe-eval", "unsafe-inline", "http"):
        check(word not in policy, f"the policy is {policy!r}")


def main():
    screenshots = pathlib.Path(sys.argv[1])
    shutil.rmtree(screenshots, ignore_errors=True)
    screenshots.mkdir(parents=True)
    browser = open_browser()
    try:
        page = Page(browser, screenshots)
        page.window(1280, "light")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            check_service(page, folder)
            check_failure(page, folder)
            check_token(page, folder)
            check_demo(page, folder)
        page.check_requests()
    finally:
        browser.quit()
    print(f"page_test: passed; screenshots are in {screenshots}")


main()
