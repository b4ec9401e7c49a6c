#!/usr/bin/env python3
"""Opens a report in headless Chromium and checks it.

    report_page_test.py REPORT.html SCREENSHOT_FOLDER TABLE...

Every table named must have a section with a table and at least two plots that
are drawn. The browser's console must stay empty, nothing may be fetched, and the
page must not be wider than the window, even on a phone. Keeps a screenshot for
each width.
"""

import pathlib
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def open_browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def check(condition, message):
    if not condition:
        sys.exit(f"report_page_test: {message}")


def check_contents(browser, tables, plots_folder):
    figures = browser.execute_script(
        "return [...document.querySelectorAll('figure')].map(f => {"
        "  const i = f.querySelector('img');"
        "  return [f.id, i.complete && i.naturalWidth > 0, i.alt.length > 0,"
        "          f.closest('section').id]; })")
    for name, drawn, described, _ in figures:
        check(drawn, f"plot {name} is not drawn")
        check(described, f"plot {name} has no description")
    for table in tables:
        section = f"table-{table}"
        rows = browser.execute_script(
            "return document.querySelectorAll(arguments[0]).length",
            f"#{section} tbody tr")
        check(rows >= 3, f"table {table} has {rows} rows")
        plots = [name for name, _, _, place in figures if place == section]
        check(len(plots) >= 2, f"table {table} has {len(plots)} plots")
    drawn = {path.stem for path in plots_folder.glob("*.svg")}
    shown = {name for name, _, _, _ in figures}
    check(drawn == shown, f"plots in the folder and on the page differ: {drawn ^ shown}")
    for section in ("glance", "grid", "theory", "reading", "origin"):
        check(browser.execute_script(
            "return document.getElementById(arguments[0]) !== null", section),
              f"there is no section {section}")


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    browser = open_browser()
    try:
        browser.get(page.as_uri())
        check_contents(browser, sys.argv[3:], page.parent / "plots")
        fetched = browser.execute_script(
            "return performance.getEntriesByType('resource').map(e => e.name)"
            ".filter(name => !name.startsWith('data:'))")
        check(not fetched, f"the page fetches {fetched}")
        for width in (1280, 360):
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1,
                "mobile": width < 500})
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            check(wide <= width, f"the page is {wide} pixels wide in a window of {width}")
            height = browser.execute_script("return document.documentElement.scrollHeight")
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": min(height, 12000),
                "deviceScaleFactor": 1, "mobile": width < 500})
            browser.save_screenshot(str(folder / f"report-{width}.png"))
        messages = [entry for entry in browser.get_log("browser")]
        check(not messages, f"the console has messages: {messages}")
    finally:
        browser.quit()
    print(f"report_page_test: passed; screenshots are in {folder}")


main()
