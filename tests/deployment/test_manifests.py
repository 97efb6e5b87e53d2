"""The manifests, the chart and the dashboard agree with the engine and with each other."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest
import yaml

from engine.sandbox.drivers.kubernetes.health import RIGHTS
from engine.server.http.metrics import PrometheusMetrics
from engine.server.probe import QUESTIONS, running
from engine.settings import HistorySettings, Settings
from tests.deployment.manifests import (
    DEPLOY,
    SEVERAL,
    Object,
    chart,
    database_url,
    engine_image,
    helm,
    manifests,
    several_manifests,
)

_METRIC = re.compile(r"\bpratique_[a-z_]+")


def named(kind: str, objects: list[Object]) -> list[Object]:
    """Return the objects of a kind."""
    return [one for one in objects if one["kind"] == kind]


def made_by_helm(objects: list[Object]) -> list[Object]:
    """Return objects but for the release's own namespace, in an order that can be compared."""
    own = [one for one in objects if (one["kind"], one["metadata"]["name"]) != ("Namespace", "pratique")]
    return sorted(map(in_order, own), key=key)


def in_order(value: Any) -> Any:
    """Return a value with its lists of named entries in the order of their names: it means the same."""
    if isinstance(value, dict):
        return {name: in_order(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted(
            map(in_order, value), key=lambda one: one.get("name", "") if isinstance(one, dict) else ""
        )
    return value


def key(one: Object) -> str:
    """Return what tells objects apart."""
    return json.dumps([one["kind"], one["metadata"]], sort_keys=True)


def test_the_chart_makes_what_the_manifests_are() -> None:
    """With its own values it makes the same objects; the release's namespace is made by Helm."""
    assert made_by_helm(manifests()) == sorted(map(in_order, chart()), key=key)


def test_the_chart_makes_several_engines_as_the_manifests_do() -> None:
    """With the address of a database it makes what `deploy/kubernetes-several` is."""
    several = chart(**{"database.url": database_url()})
    assert made_by_helm(several_manifests()) == sorted(map(in_order, several), key=key)


def test_one_engine_stays_alone_however_many_are_asked_for() -> None:
    """Without a database there is never a second engine over the same files."""
    (stateful,) = named("StatefulSet", chart(**{"engine.replicas": "3"}))
    assert 1 == stateful["spec"]["replicas"]


@pytest.mark.skipif(not shutil.which("helm"), reason="helm is not installed")
@pytest.mark.parametrize("url", ["", "postgresql://pratique@db.example.com/pratique?a=1,b"])
def test_helm_makes_what_these_tests_read_of_the_chart(url: str) -> None:
    """The real Helm finds nothing wrong with the chart, and makes the same objects."""
    values = {"database.url": url}
    assert sorted(helm(**values), key=key) == sorted(chart(**values), key=key)


def test_the_role_grants_what_the_driver_needs_and_no_more() -> None:
    """Each right is in the role, and each rule of the role is a right; nothing is granted cluster-wide."""
    (role,) = named("Role", manifests())
    granted = {
        (group, *(f"{resource}/".split("/")[:2]), verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert set(RIGHTS) == granted
    assert not {"ClusterRole", "ClusterRoleBinding"} & {one["kind"] for one in manifests()}


def test_the_settings_of_the_manifest_are_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    """They name the namespace that the role is for, and the service that clients call."""
    (config,) = named("ConfigMap", manifests())
    monkeypatch.delenv("PRATIQUE_CONFIG_FILE", raising=False)
    settings = Settings.model_validate(yaml.safe_load(config["data"]["settings.yaml"]))
    (role,) = named("Role", manifests())
    assert role["metadata"]["namespace"] == settings.sandbox.kubernetes.namespace
    assert {*settings.sandbox.images.values(), settings.sandbox.data_image} <= set(
        settings.sandbox.kubernetes.images
    )


def test_the_engine_is_unprivileged_and_asked_by_its_own_probe() -> None:
    """It runs as a user without rights, and each probe's question is one that the engine's probe knows."""
    (stateful,) = named("StatefulSet", manifests())
    pod = stateful["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert {"drop": ["ALL"]} == container["securityContext"]["capabilities"]
    commands = (
        container["readinessProbe"]["exec"]["command"],
        container["livenessProbe"]["exec"]["command"],
        container["lifecycle"]["preStop"]["exec"]["command"],
    )
    assert all(command[:-1] == ["python", "-m", "engine.server.probe"] for command in commands)
    assert set(QUESTIONS) == {command[-1] for command in commands}


def test_several_engines_are_the_same_image_and_say_what_the_settings_know() -> None:
    """The container that puts the key in place is of the engine's version; each variable is a setting."""
    patch = yaml.safe_load((SEVERAL / "engines.yaml").read_text())
    pod = patch["spec"]["template"]["spec"]
    (key,), (engine,) = pod["initContainers"], pod["containers"]
    assert engine_image() == key["image"]
    given = {one["name"]: one.get("value", "engine-0") for one in engine["env"]}
    assert "PGPASSWORD" in given
    history = {
        name.removeprefix("PRATIQUE_HISTORY__").lower(): value
        for name, value in given.items()
        if name.startswith("PRATIQUE_")
    }
    assert "several" == HistorySettings.model_validate(history).engines


def test_the_engine_can_trust_its_volume_and_its_settings() -> None:
    """The volume is its group's, which the image has, and is given once; settings are a file, not a link."""
    (stateful,) = named("StatefulSet", manifests())
    pod = stateful["spec"]["template"]["spec"]
    context = pod["securityContext"]
    assert {10001} == {context[name] for name in ("runAsUser", "runAsGroup", "fsGroup")}
    assert "OnRootMismatch" == context["fsGroupChangePolicy"]
    assert "groupadd --system --gid 10001 pratique" in (DEPLOY / "Dockerfile").read_text()
    (mount,) = [one for one in pod["containers"][0]["volumeMounts"] if one["name"] == "settings"]
    environment = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    assert environment["PRATIQUE_CONFIG_FILE"] == mount["mountPath"]
    assert "settings.yaml" == mount["subPath"]


def test_every_metric_of_the_dashboard_is_exported() -> None:
    """Names in the panels are names that the engine exports, and each exported one is in a panel."""
    dashboard = json.loads((DEPLOY / "grafana" / "pratique.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    exported = PrometheusMetrics(lambda: 0, lambda: 0, lambda: 0, lambda: [("image", 0, 1)]).text().decode()
    samples = {found[0] for found in re.finditer(r"^pratique_[a-z_]+", exported, re.MULTILINE)}
    shown = {name for expression in panels for name in _METRIC.findall(expression)}
    assert shown <= samples
    family = re.compile(r"_(bucket|count|sum|created)$")
    assert {family.sub("", one) for one in samples if not one.endswith("_created")} == {
        family.sub("", one) for one in shown
    }


def test_what_runs_is_read_from_the_metrics() -> None:
    """The drain waits for what runs at this engine, and not for what others run."""
    exported = PrometheusMetrics(lambda: 7, lambda: 5, lambda: 3, list).text().decode()
    assert (3, 0) == (running(exported), running(""))
