#!/usr/bin/env bash
# Checks the files of this folder as far as that is possible without a cluster. The schema of the objects is checked if
# kubeconform or kubernetes-validate (pip install kubernetes-validate) is installed; the server's configuration if the
# server is.
set -euo pipefail
cd "$(dirname "$0")"
bash -n slurm.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The program need not be installed here.
sed 's|/usr/bin/simulate|/bin/true|' simulate-worker.service > "$work/simulate-worker.service"
systemd-analyze --man=no verify "$work/simulate-worker.service"

if command -v kubeconform > /dev/null; then
    kubeconform -strict -ignore-missing-schemas kubernetes.yaml
elif command -v kubernetes-validate > /dev/null; then
    # KEDA's object is not one of Kubernetes itself.
    kubernetes-validate --strict --no-warn kubernetes.yaml
else
    echo "neither kubeconform nor kubernetes-validate is installed; the schema was not checked"
fi

# What a schema does not know: that the objects fit each other.
python3 - "$work/nats.conf" << 'PY'
import sys

import yaml

documents = list(yaml.safe_load_all(open("kubernetes.yaml")))
for document in documents:
    assert document["apiVersion"] and document["kind"] and document["metadata"]["namespace"] == "simulate", document
kinds = {document["kind"]: document for document in documents}
worker = kinds["Deployment"]
scaled = kinds["ScaledObject"]["spec"]
assert scaled["scaleTargetRef"]["name"] == worker["metadata"]["name"]
# KEDA's trigger needs these, as texts.
trigger = scaled["triggers"][0]["metadata"]
needed = {"natsServerMonitoringEndpoint", "account", "stream", "consumer"}
assert needed <= trigger.keys() and all(isinstance(value, str) for value in trigger.values()), trigger
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
config = kinds["ConfigMap"]["data"]["nats.conf"]
# The keys are to be filled in.
keys = {
    "PUBLIC-KEY-OF-THE-WORKERS": "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
    "PUBLIC-KEY-OF-A-USER": "UADQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYHA4DQPL3S",
}
for name, key in keys.items():
    assert name in config
    config = config.replace(name, key)
open(sys.argv[1], "w").write(config)
print(f"{len(documents)} documents fit each other")
PY
if command -v nats-server > /dev/null; then
    nats-server -t -c "$work/nats.conf"
fi
