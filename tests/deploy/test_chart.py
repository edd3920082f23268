"""The Helm chart: linted and rendered by Helm, its documents checked against Kubernetes' own schemas, and what they
say against the code."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from headwater.collector.settings import Settings
from headwater.collector.stores.registry import build_store
from tests.deploy.conftest import CHART, Tool
from tests.deploy.grace import taken_s

Render = Callable[..., list[dict[str, Any]]]
PEER = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
EVERYTHING = {
    "imagePullSecrets": [{"name": "registry"}],
    "serviceAccountName": "headwater",
    "image": {"digest": "sha256:" + "0" * 64},
    "secretFiles": [{"secretName": "kafka-ca", "mountPath": "/etc/headwater/tls"}],
    "collector": {
        "createTopics": True,
        "podAnnotations": {"a": "b"},
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "lineage", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        ],
    },
    "api": {"service": {"type": "LoadBalancer", "annotations": {"internal": "true"}}},
    "networkPolicy": {"enabled": True, "apiFrom": [PEER], "metricsFrom": [PEER]},
    "monitoring": {"podMonitor": {"enabled": True}, "rules": {"enabled": True}, "dashboard": {"enabled": True}},
}
HPA = {"collector": {"autoscaling": {"kind": "hpa"}}}
KEDA = {"collector": {"autoscaling": {"kind": "keda", "keda": {"bootstrapServers": "kafka:9092"}}}}
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "everything": EVERYTHING,
    "hpa": HPA,
    "keda": KEDA,
    "no api": {"api": {"enabled": False}, "networkPolicy": {"enabled": True}},
}
NOT_KUBERNETES_OWN = {"PodMonitor", "PrometheusRule", "ScaledObject"}
"""Kinds of operators, whose schemas are not at hand."""


def of_kind(documents: list[dict[str, Any]], kind: str, part: str = "") -> dict[str, Any]:
    [found] = [one for one in documents if one["kind"] == kind and one["metadata"]["name"].endswith(part)]
    return found


def pod(documents: list[dict[str, Any]], part: str) -> dict[str, Any]:
    spec: dict[str, Any] = of_kind(documents, "Deployment", part)["spec"]["template"]["spec"]
    return spec


def test_values_meet_their_schema() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(values, schema, cls=jsonschema.Draft7Validator)
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["apiVersion"] == "v2"


@pytest.mark.parametrize("variant", VARIANTS)
def test_helm_finds_no_fault(helm: Tool, tmp_path: Path, variant: str) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump(VARIANTS[variant]))
    done = helm("lint", "--strict", CHART, "--values", values)
    assert "[ERROR]" not in done.stdout
    assert "[WARNING]" not in done.stdout


@pytest.mark.parametrize("version", ["1.27", "1.34", "1.37"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_documents_are_what_kubernetes_takes(render: Render, variant: str, version: str) -> None:
    documents = render(VARIANTS[variant], kube_version=f"{version}.0")
    names = [(one["kind"], one["metadata"]["name"]) for one in documents]
    assert len(set(names)) == len(names)
    assert len(documents) >= 4
    for document in documents:
        if document["kind"] not in NOT_KUBERNETES_OWN:
            kubernetes_validate.validate(document, version, strict=True)


def test_the_schema_check_sees_a_wrong_key(render: Render) -> None:
    document = of_kind(render(), "Deployment", "collector")
    document["spec"]["template"]["spec"]["terminationGracePeriod"] = 30
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, "1.34", strict=True)


@pytest.mark.parametrize(
    "values",
    [
        {"collector": {"replica": 3}},
        {"collector": {"autoscaling": {"kind": "lag"}}},
        {"collector": {"autoscaling": {"kind": "keda"}}},
        {"image": {"digest": "latest"}},
        {"config": '[connections.audit]\nuri = "mongodb://m"\npassword = "secret"\n'},
        {"config": 'connections.audit = {uri = "mongodb://m", "password" = "secret"}\n'},
        {"secretEnv": [{"name": "HEADWATER_CONNECTIONS__AUDIT__PASSWORD", "value": "secret"}]},
        {"secretEnv": [{"name": "PATH", "secretName": "s", "key": "k"}]},
    ],
)
def test_wrong_values_are_refused(helm: Tool, tmp_path: Path, values: dict[str, Any]) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    done = helm("template", "r", CHART, "--values", file, "--kube-version", "1.34.0", check=False)
    assert done.returncode != 0
    assert "specifications of the schema" in done.stderr


def test_headwater_takes_the_configuration(render: Render, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = render()
    [text] = of_kind(documents, "ConfigMap")["data"].values()
    assert tomllib.loads(text)
    file = tmp_path / "headwater.toml"
    file.write_text(text)
    [container] = pod(documents, "collector")["containers"]
    for variable in container["env"]:
        monkeypatch.setenv(variable["name"], str(file) if "value" in variable else "from the secret")
    monkeypatch.delenv("HEADWATER_URL", raising=False)
    settings = Settings()
    assert settings.config_file == file
    assert {settings.connections[name].secret() for name in ("audit", "lineage")} == {"from the secret"}
    assert [build_store(name, settings).name for name in settings.lineage.store.backends] == ["document", "graph"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_secrets_are_references(render: Render, variant: str) -> None:
    documents = render(VARIANTS[variant])
    assert not [one for one in documents if one["kind"] == "Secret"]
    for document in documents:
        if document["kind"] == "Deployment":
            for variable in document["spec"]["template"]["spec"]["containers"][0]["env"]:
                assert variable["name"] == "HEADWATER_CONFIG" or set(variable) == {"name", "valueFrom"}


@pytest.mark.parametrize("seconds", [1, 30, 300])
def test_a_pod_is_killed_after_its_drain_deadline_and_not_before(render: Render, seconds: int) -> None:
    deadline = {"drainDeadlineSeconds": seconds}
    documents = render({"collector": deadline, "api": deadline})
    for part in ("collector", "api"):
        spec = pod(documents, part)
        [container] = spec["containers"]
        before = 3 if "lifecycle" in container else 0
        assert container["args"][container["args"].index("--deadline") + 1] == str(seconds)
        assert spec["terminationGracePeriodSeconds"] > before + taken_s(container["args"])


def test_pods_have_probes_and_no_rights(render: Render) -> None:
    documents = render()
    for part, command in (("collector", "collect"), ("api", "serve")):
        spec = pod(documents, part)
        [container] = spec["containers"]
        assert container["args"][0] == command
        port = str(container["ports"][0]["containerPort"])
        assert container["args"][container["args"].index("--port") + 1] == port
        assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
        assert container["startupProbe"]["httpGet"]["path"] == "/healthz"
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["automountServiceAccountToken"] is False
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] is True
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["requests"]
        assert container["resources"]["limits"]["memory"]


def test_selectors_find_their_own_pods_alone(render: Render) -> None:
    documents = render(EVERYTHING)
    labels = {
        part: of_kind(documents, "Deployment", part)["spec"]["template"]["metadata"]["labels"]
        for part in ("collector", "api")
    }
    for part, other in (("collector", "api"), ("api", "collector")):
        selectors = [
            of_kind(documents, "Deployment", part)["spec"]["selector"]["matchLabels"],
            of_kind(documents, "PodDisruptionBudget", part)["spec"]["selector"]["matchLabels"],
            of_kind(documents, "NetworkPolicy", part)["spec"]["podSelector"]["matchLabels"],
        ]
        if part == "api":
            selectors.append(of_kind(documents, "Service")["spec"]["selector"])
        for selector in selectors:
            assert selector.items() <= labels[part].items()
            assert not selector.items() <= labels[other].items()


@pytest.mark.parametrize(("values", "kind"), [(HPA, "HorizontalPodAutoscaler"), (KEDA, "ScaledObject")])
def test_scaling_follows_the_lag_and_owns_the_replicas(render: Render, values: dict[str, Any], kind: str) -> None:
    documents = render(values)
    deployment = of_kind(documents, "Deployment", "collector")
    assert "replicas" not in deployment["spec"]
    scaler = of_kind(documents, kind)
    assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    if kind == "ScaledObject":
        [trigger] = scaler["spec"]["triggers"]
        assert trigger["metadata"]["consumerGroup"] == Settings().lineage.collector.group
        assert trigger["metadata"]["topic"] == Settings().lineage.collector_topic
        assert trigger["metadata"]["lagThreshold"] == "5000"
    else:
        [metric] = scaler["spec"]["metrics"]
        assert metric["external"]["metric"]["name"] == "headwater_log_lag_records"
    assert of_kind(render(), "Deployment", "collector")["spec"]["replicas"] == 2


def test_alerts_and_dashboard_are_the_files(render: Render) -> None:
    documents = render(EVERYTHING)
    alerts = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text())
    assert of_kind(documents, "PrometheusRule")["spec"] == alerts
    board = of_kind(documents, "ConfigMap", "dashboard")
    assert board["data"]["headwater.json"].strip() == (CHART / "files" / "dashboard.json").read_text().strip()
    assert board["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_a_changed_configuration_rolls_the_pods(render: Render) -> None:
    def checksum(values: dict[str, Any]) -> str:
        template = of_kind(render(values), "Deployment", "api")["spec"]["template"]
        found: str = template["metadata"]["annotations"]["checksum/config"]
        return found

    assert checksum({}) == checksum({})
    assert checksum({}) != checksum({"config": '[lineage]\nurl = "kafka://other:9092"\n'})
