"""Every line of shell in the service's documentation runs, and answers what it shows."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import manyarms
from serving import START_SECONDS, program, served, wait_until

ROOT = pathlib.Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
USUAL = "http://127.0.0.1:7420"
START = "manyarms serve --data shop.db\n"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("docs"), data="shop.db") as where:
        yield where


def blocks(text: str) -> list[tuple[str, str]]:
    """The kind and the text of each block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shell(block: str, url: str, folder: pathlib.Path) -> str:
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # NumPy is there
    done = subprocess.run(
        ["sh", "-euc", block.replace(USUAL, url)], cwd=folder, capture_output=True,
        text=True, timeout=START_SECONDS, check=False, env=os.environ | {"PATH": path},
    )
    assert done.returncode == 0, (block, done.stderr)
    return done.stdout


def values(text: str) -> list[Any]:
    """JSON values that follow one another."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def check(shown: Any, answered: Any, place: str) -> None:
    """Compares what is shown with an answer: "..." is anything, and of numbers with a
    point and of large ones only the kind is compared."""
    if shown == "...":
        return
    if isinstance(shown, dict):
        assert isinstance(answered, dict), place
        shown = dict(shown)
        if shown.pop("...", None) is None:
            assert shown.keys() == answered.keys(), place
        for key, value in shown.items():
            assert key in answered, f"{place}: no {key} in {answered}"
            check(value, answered[key], f"{place}.{key}")
    elif isinstance(shown, list):
        assert isinstance(answered, list) and len(answered) == len(shown), place
        for i, (one, other) in enumerate(zip(shown, answered)):
            check(one, other, f"{place}[{i}]")
    elif isinstance(shown, float) or (isinstance(shown, int) and shown > 1000):
        assert isinstance(answered, (int, float)) and not isinstance(answered, bool), place
    else:
        assert answered == shown and isinstance(answered, bool) == isinstance(shown, bool), (
            f"{place}: {answered!r} is shown as {shown!r}")


def test_the_manual_s_lines_answer_what_they_show(url: str, tmp_path: pathlib.Path) -> None:
    found = blocks(MANUAL)
    ran = 0
    for i, (kind, block) in enumerate(found):
        if kind != "sh":
            continue
        ran += 1
        if block == START:  # what the fixture has done
            continue
        answers = values(shell(block, url, tmp_path))
        if i + 1 < len(found) and found[i + 1][0] == "json":
            shown = values(found[i + 1][1])
            assert len(shown) == len(answers), (block, answers)
            for one, other in zip(shown, answers):
                check(one, other, block)
        else:
            assert answers == [], block
    assert ran > 15 and (START, "sh") in [(block, kind) for kind, block in found]


def test_the_readme_s_lines_run(url: str, tmp_path: pathlib.Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## As a service\n")[1]
    (lines,) = [block for kind, block in blocks(text.split("\n## ")[0]) if kind == "sh"]
    made, added, chosen, learned = values(shell(lines, url, tmp_path))
    assert made["name"] == "news" and added["arms"] == 2
    assert chosen["event"] == "visit-1" and learned["learned"]


def table(title: str) -> list[list[str]]:
    """The rows of the last table of a section."""
    section = MANUAL.split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| *(.*?) *\|$", section, re.MULTILINE)[2:]
    return [re.split(r" *(?<!\\)\| *", row) for row in rows]


def test_the_settings_have_the_defaults_that_are_shown(url: str) -> None:
    with manyarms.Client(url) as client:
        actual = client.create("defaults", 3).settings
    shown = {name.strip("`"): default.strip("`") for name, default, _ in table("Settings")}
    policies = {"norm_bound", "curvature", "shortest"}
    searches = {"background", "check_every", "max_bytes", "first_pass"}
    assert shown.keys() == actual.keys() - policies - searches
    for name, default in shown.items():
        if name != "dim":
            assert json.loads(default) == actual[name], name


def test_the_limits_are_those_of_the_program() -> None:
    text = subprocess.run([program(), "serve", "--help"], capture_output=True, text=True,
                          check=True, timeout=60).stdout
    options = set(re.findall(r"--[a-z-]+", text)) - {"--help"}
    shown = {option for _, _, option, _ in table("Limits") if option}
    shown |= set(re.findall(r"`(--[a-z-]+)`", MANUAL.split("\n## Options\n")[1]))
    assert options <= {option.strip("`") for option in shown}
    for option in shown:
        assert option.strip("`") in options, option
    for _, default, option, _ in table("Limits"):
        number = default.replace(",", "").replace(" KiB", "*1024").replace(" MiB", "*1048576")
        number = str(eval(number.replace(" GiB", "*1073741824")))
        if option:
            assert re.search(rf"{option.strip('`')}\b[^\n]*(\n[^-\n]*)*?\b{number}\b", text), option


def test_the_example_of_options_is_taken(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "packaging" / "manyarms.toml").read_text()
    assert "/var/lib/manyarms/manyarms.db" in text and "port = 7420" in text
    text = re.sub(r"^# ([a-z-]+ = )", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^(certificate|key|port|data) = .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("/etc/manyarms", str(tmp_path))
    (tmp_path / "tokens").write_text("admin abcdefghijklmnop\n")
    (tmp_path / "options.toml").write_text(text)
    with served(tmp_path, before=["--config", str(tmp_path / "options.toml")]) as url:
        assert manyarms.Client(url, "abcdefghijklmnop").bandits() == []


def test_tokens_cross_a_network_only_with_tls() -> None:
    lines = [line for _, block in blocks(MANUAL) for line in block.splitlines()]
    elsewhere = [line for line in lines if "--address" in line and "127.0.0.1" not in line]
    assert elsewhere and all("--certificate" in line for line in elsewhere)
    with_token = [line for line in lines if "Bearer" in line]
    assert with_token and not any("http://" in line for line in with_token)


def test_only_the_service_can_read_what_is_secret() -> None:
    unit = (ROOT / "packaging" / "manyarms.service").read_text()
    (group,) = re.findall(r"^SupplementaryGroups=(.*)$", unit, re.MULTILINE)
    assert f"groupadd --system {group}\n" in MANUAL
    installed = re.findall(r"sudo install [^`\n]*/etc/manyarms/", MANUAL)
    assert all(f"-m 640 -g {group} " in line for line in installed)
    for file in ("manyarms.toml", "tokens", "key.pem"):
        assert any(file in line for line in installed), file


def test_the_libraries_of_the_program_are_named() -> None:
    if shutil.which("dpkg") is None:
        pytest.skip("this is no Debian")

    def output(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True,
                              timeout=60).stdout

    needed = set(re.findall(r"NEEDED +(\S+)", output("objdump", "-p", program())))
    found = {output("dpkg", "-S", f"*lib/x86_64-linux-gnu/{name}").split(":")[0]
             for name in needed if not name.startswith("ld-")}
    (line,) = re.findall(r"^sudo apt-get install (.*)$", MANUAL, re.MULTILINE)
    assert found - {"libc6", "libgcc-s1"} == set(line.split())  # every Debian has those two


def test_the_unit_is_one_that_systemd_takes(tmp_path: pathlib.Path) -> None:
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("there is no systemd")
    unit = (ROOT / "packaging" / "manyarms.service").read_text()
    assert "/usr/local/bin/manyarms --config" in unit
    copy = tmp_path / "manyarms.service"
    copy.write_text(unit.replace("/usr/local/bin/manyarms", program()))
    done = subprocess.run([checker, "verify", str(copy)], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_unit_gets_on_with_takeovers() -> None:
    unit = (ROOT / "packaging" / "manyarms.service").read_text().splitlines()
    assert "RestartPreventExitStatus=3" in unit  # of an owner that was replaced
    assert not any(line.startswith("ProcSubset=") for line in unit)  # /proc/locks is needed


def test_the_demonstration_shows_something(tmp_path: pathlib.Path) -> None:
    for _ in range(2):  # the second one goes on with what the first has left
        with served(tmp_path, "--demo") as url, manyarms.Client(url) as client:
            wait_until(lambda: "demo" in client)
            demo = client.bandit("demo")
            before = demo.stats
            wait_until(lambda: demo.stats["choices"] > before["choices"] + 50)
            wait_until(lambda: demo.stats["rewards"] > before["rewards"])
            assert len(demo) > 1_000 and demo.tags()
