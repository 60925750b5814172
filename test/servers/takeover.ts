/**
 * A cluster of upstream's is taken over by its etcd, and given back: `node test/servers/takeover.ts`. Needs upstream's programs
 * in $KREF_BIN, and etcd. Exits with 1 if an object differs.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "#/testing/until.ts";
import { k8ts } from "../e2e/machine.ts";
import { etcdUrl, UpstreamControlPlane } from "./upstream-control-plane.ts";

const name = `take${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-take-"));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const envelope = "k8s\0";

/** Kinds that controllers and servers of both sides change by themselves. */
const changing =
  /^(events|events\..*|leases\..*|endpoints|endpointslices\..*|nodes|pods|componentstatuses|csr.*|certificatesigningrequests\..*|apiservices\..*|flowschemas\..*|prioritylevelconfigurations\..*|ipaddresses\..*|servicecidrs\..*|csinodes\..*|.*\.k8ts\.dev|.*\.metrics\.k8s\.io)$/;

interface Listed {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: {
      readonly namespace?: string;
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly managedFields?: unknown;
    };
    readonly status?: unknown;
  }[];
}

type Kubectl = (...args: string[]) => Promise<string>;

/** Every object, by kind and name, as its JSON. */
async function objectsOf(kubectl: Kubectl): Promise<Map<string, string>> {
  const resources = (await kubectl("api-resources", "--verbs=list", "-o", "name")).split("\n");
  const kept = resources.filter((one) => one !== "" && !changing.test(one));
  const list = JSON.parse(await kubectl("get", kept.join(","), "-A", "-o", "json")) as Listed;
  return new Map(
    list.items.map((item) => {
      const { namespace = "", name: of } = item.metadata;
      return [`${item.kind} ${namespace}/${of}`, JSON.stringify(item)];
    }),
  );
}

/** Objects that each side's servers write for themselves, and roles to which k8ts's own rules are added. */
const own =
  /^(ConfigMap kube-system\/extension-apiserver-authentication|ClusterRole \/(admin|edit|view))$/;

/** What is missing or differs; objects that are new are those of the other side. */
function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...before].flatMap(([key, text]) => {
    const found = after.get(key);
    if (own.test(key)) return [];
    if (found === undefined) return [`${key} is gone`];
    return found === text ? [] : [`${key} differs:\n  ${text}\n  ${found}`];
  });
}

const manifest = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {colour: blue}
binaryData: {raw: AAEC/w==}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: shop}
stringData: {password: secret}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example.org/web:1", resources: {requests: {cpu: 10m}}}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}], type: NodePort}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: a, image: "example.org/a:1"}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
const widget = `
apiVersion: example.org/v1
kind: Widget
metadata: {name: one, namespace: shop}
size: 3
`;

const file = (text: string): string => {
  const path = join(folder, `${text.length}.yaml`);
  writeFileSync(path, text);
  return path;
};

await using plane = await UpstreamControlPlane.start(folder, `${name}-up`);
const upstream: Kubectl = (...args) => plane.kubectl(...args);
await upstream("apply", "-f", file(manifest));
await until("the custom resource", () => upstream("apply", "-f", file(widget)).catch(() => ""));
const podCount = async (kubectl: Kubectl): Promise<number> =>
  (await kubectl("-n", "shop", "get", "pods", "-l", "app=web", "-o", "name")).trim().split("\n")
    .length;
await until("upstream's Pods", async () => (await podCount(upstream)) === 2);
const token = (await upstream("-n", "shop", "create", "token", "default")).trim();
const first = await objectsOf(upstream);
assert.ok((await plane.stored("/registry/configmaps/shop/settings")).includes(envelope));
await plane.stopServers();
say(`upstream has ${first.size} objects`);

const pki = join(folder, "taken");
await plane.exportPki(pki);
const kubeconfig = join(folder, "k8ts.kubeconfig");
const ours: Kubectl = (...args) => k8ts("kubectl", `--kubeconfig=${kubeconfig}`, ...args);
try {
  await k8ts(
    "up",
    ...["--name", name, "--kubeconfig", kubeconfig],
    ...[`--etcd-servers=${etcdUrl}`, `--pki=${pki}`],
    "--kube-apiserver-arg=storage-media-type=application/vnd.kubernetes.protobuf",
  );
  const taken = await objectsOf(ours);
  const changed = differences(first, taken);
  say(`k8ts serves ${taken.size} objects, ${changed.length} differ`);
  for (const line of changed) say(line);
  const kind = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" };
  const review = file(JSON.stringify({ ...kind, spec: { token } }));
  const asked = await ours("create", "-f", review, "-o", "jsonpath={.status.user.username}");
  assert.equal(asked, "system:serviceaccount:shop:default");
  await ours("-n", "shop", "patch", "configmap", "settings", "-p", '{"data":{"colour":"green"}}');
  await ours("-n", "shop", "scale", "deployment", "web", "--replicas=4");
  await ours("-n", "shop", "patch", "widget", "one", "--type=merge", "-p", '{"size":4}');
  await until("Pods of k8ts's controllers", async () => (await podCount(ours)) === 4);
  await ours("-n", "shop", "delete", "cronjob", "nightly");
  for (const key of ["configmaps/shop/settings", "deployments/shop/web"]) {
    assert.ok((await plane.stored(`/registry/${key}`)).includes(envelope), key);
  }
  const before = await objectsOf(ours);
  await k8ts("down", "--name", name);
  await plane.startServers();
  const back = await objectsOf(upstream);
  const again = differences(before, back);
  say(`upstream serves ${back.size} objects again, ${again.length} differ`);
  for (const line of again) say(line);
  assert.equal(await podCount(upstream), 4);
  await upstream("-n", "shop", "scale", "deployment", "web", "--replicas=5");
  await until("Pods of upstream's controllers", async () => (await podCount(upstream)) === 5);
  if (changed.length + again.length > 0) process.exitCode = 1;
} finally {
  await k8ts("down", "--purge", "--name", name);
  rmSync(folder, { recursive: true });
}
