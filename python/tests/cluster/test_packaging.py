"""The examples for clusters."""

from __future__ import annotations

import pathlib

import yaml

_PACKAGING = pathlib.Path(__file__).parents[3] / "packaging"


def test_the_head_of_kuberay_has_what_its_readiness_probe_asks() -> None:
    cluster, policy = yaml.safe_load_all((_PACKAGING / "kuberay.yaml").read_text())
    head = cluster["spec"]["headGroupSpec"]
    probes = [one for one in head["template"]["spec"]["containers"] if "readinessProbe" in one]
    assert probes or head["rayStartParams"].get("include-dashboard") != "false"
    # The dashboard lets whoever reaches it run programs.
    assert policy["spec"]["podSelector"]["matchLabels"] == cluster["metadata"]["labels"]
    assert all("podSelector" in source for rule in policy["spec"]["ingress"]
               for source in rule["from"])
