#!/usr/bin/env bash
# Checks the files of this folder as far as that is possible without a cluster.
set -euo pipefail
cd "$(dirname "$0")"
bash -n slurm.sh
unit=$(mktemp -d)
trap 'rm -rf "$unit"' EXIT
# The program need not be installed here.
sed 's|/usr/bin/simulate|/bin/true|' simulate-worker.service > "$unit/simulate-worker.service"
systemd-analyze --man=no verify "$unit/simulate-worker.service"
if command -v kubeconform > /dev/null; then
    kubeconform -strict -ignore-missing-schemas kubernetes.yaml
else
    python3 - << 'PY'
import yaml

documents = list(yaml.safe_load_all(open("kubernetes.yaml")))
for document in documents:
    assert document["apiVersion"] and document["kind"] and document["metadata"]["namespace"] == "simulate", document
kinds = {document["kind"]: document for document in documents}
worker = kinds["Deployment"]
assert kinds["ScaledObject"]["spec"]["scaleTargetRef"]["name"] == worker["metadata"]["name"]
for owner in (worker, kinds["StatefulSet"]):
    spec = owner["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    volumes = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
    for container in spec["template"]["spec"]["containers"]:
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
service = kinds["Service"]
assert service["spec"]["selector"].items() <= kinds["StatefulSet"]["spec"]["template"]["metadata"]["labels"].items()
print(f"{len(documents)} documents; kubeconform is not installed, their schema was not checked")
PY
fi
