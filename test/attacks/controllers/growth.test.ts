/**
 * The work of controllers for one event must not grow with the cluster: each event is sent to all
 * controllers, once with n objects of each kind and once with four times as many.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replicaSets } from "#/api/apps/v1.ts";
import { nodes, pods, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { podDisruptionBudgets } from "#/api/policy/v1.ts";
import { Client } from "#/client/client.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { controllerFlags } from "#/controllers/base/controller-flags.ts";
import { genericFlags } from "#/controllers/base/generic-flags.ts";
import { controllerEntries } from "#/controllers/index.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { GeneratedServer } from "./generated-server.ts";

/** They need files, other servers or discovery; none of them has a queue of Pods, Nodes or Services. */
const leftOut: ReadonlySet<string> = new Set([
  "garbage-collector-controller",
  "namespace-controller",
  "resourcequota-controller",
  "root-ca-certificate-publisher-controller",
  "certificatesigningrequest-signing-controller",
  "horizontal-pod-autoscaler-controller",
  "validatingadmissionpolicy-status-controller",
  "legacy-serviceaccount-token-cleaner-controller",
]);

const podsPerService = 5;
const podsPerNode = 20;
const namespace = "big";

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace,
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...more,
});
const labelsOf = (at: number) => ({ app: `app-${at}`, release: "same" });
const podAt = (at: number, ready = "True") => {
  const service = Math.floor(at / podsPerService);
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: `set-${service}` };
  const ownerReferences = [{ ...owner, uid: `uid-set-${service}`, controller: true }];
  const condition = { type: "Ready", status: ready, lastTransitionTime: "2026-01-01T00:00:00Z" };
  return {
    metadata: metadata(`pod-${at}`, { labels: labelsOf(service), ownerReferences }),
    spec: {
      nodeName: `node-${Math.floor(at / podsPerNode)}`,
      containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }],
    },
    status: { phase: "Running", podIPs: [{ ip: `10.0.${at % 250}.1` }], conditions: [condition] },
  };
};
const nodeAt = (at: number, zone = "a") => ({
  metadata: {
    ...metadata(`node-${at}`, { labels: { "topology.kubernetes.io/zone": zone } }),
    namespace: undefined,
  },
  spec: { podCIDRs: [`10.${Math.floor(at / 256)}.${at % 256}.0/24`] },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const serviceAt = (at: number, port = 80) => ({
  metadata: metadata(`service-${at}`),
  spec: {
    selector: labelsOf(at),
    ports: [{ port, protocol: "TCP" }],
    clusterIP: "10.96.0.1",
    ipFamilies: ["IPv4"],
  },
});
const setAt = (at: number, replicas = podsPerService) => ({
  metadata: metadata(`set-${at}`),
  spec: {
    replicas,
    selector: { matchLabels: labelsOf(at) },
    template: { metadata: { labels: labelsOf(at) }, spec: { containers: [] } },
  },
  status: { replicas: podsPerService },
});
const budgetAt = (at: number) => ({
  metadata: metadata(`budget-${at}`),
  spec: { minAvailable: 1, selector: { matchLabels: labelsOf(at) } },
});

const count = <T>(length: number, make: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => make(at));

/** Limit of turns until the controllers must have no more work. */
const maxTurns = 20_000;

/** Waits until the controllers send no more requests. */
async function idle(server: GeneratedServer): Promise<void> {
  for (let quiet = 0, before = -1, turns = 0; quiet < 30; turns++) {
    assert.ok(turns < maxTurns, "the controllers do not come to rest");
    quiet = server.requests === before ? quiet + 1 : 0;
    before = server.requests;
    await nextTurn();
  }
}

type Send = (server: GeneratedServer, at: number) => void;
const events: Readonly<Record<string, Send>> = {
  "a Pod's change": (server, at) => server.send(pods, "MODIFIED", podAt(at, "False")),
  "a new Pod": (server, at) => server.send(pods, "ADDED", podAt(1_000_000 + at)),
  "a deleted Pod": (server, at) => server.send(pods, "DELETED", podAt(at)),
  "a Service's change": (server, at) => server.send(services, "MODIFIED", serviceAt(at, 81)),
  "a ReplicaSet's change": (server, at) => server.send(replicaSets, "MODIFIED", setAt(at, 4)),
  "a Node's change": (server, at) => server.send(nodes, "MODIFIED", nodeAt(at % 20, `zone-${at}`)),
  "a new Node": (server, at) => {
    const { podCIDRs: _, ...spec } = nodeAt(at).spec;
    server.send(nodes, "ADDED", { ...nodeAt(1_000_000 + at), spec });
  },
};

/** CPU time (ms) of each kind of event in a cluster with this number of Services. */
async function measure(size: number): Promise<Map<string, number>> {
  const podCount = size * podsPerService;
  const server = new GeneratedServer([
    { resource: pods, objects: count(podCount, (at) => podAt(at)) },
    { resource: nodes, objects: count(podCount / podsPerNode, (at) => nodeAt(at)) },
    { resource: services, objects: count(size, (at) => serviceAt(at)) },
    { resource: replicaSets, objects: count(size, (at) => setAt(at)) },
    { resource: podDisruptionBudgets, objects: count(size, budgetAt) },
    { resource: endpointSlices, objects: [] },
  ]);
  const clock = new FakeClock();
  const stop = new AbortController();
  const args = ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8"];
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, args).values;
  const running = runControllers(
    controllerEntries.map(({ controller }) => controller).filter(({ name }) => !leftOut.has(name)),
    { client: new Client(server, { clock }), options: { flags, enabled: () => true }, clock },
    stop.signal,
  );
  await idle(server);
  const costs = new Map<string, number>();
  for (const [name, send] of Object.entries(events)) {
    const before = process.cpuUsage();
    for (let at = 0; at < 100; at++) {
      send(server, at);
      await nextTurn();
    }
    await idle(server);
    const { user, system } = process.cpuUsage(before);
    costs.set(name, (user + system) / 1000);
  }
  stop.abort();
  await running;
  return costs;
}

test("controllers work as much for an event in a large cluster as in a small one", async (context) => {
  await measure(100); // Compiles the code.
  const small = new Map<string, number>();
  const large = new Map<string, number>();
  let tooMuch: unknown[] = [];
  // Garbage collection can double what one event costs: the least of several runs counts.
  for (let run = 0; run < 3; run++) {
    keepLeast(small, await measure(500));
    keepLeast(large, await measure(2000));
    const ratios = Array.from(large, ([name, ms]) => ({
      name,
      ms,
      ratio: ms / (small.get(name) ?? 1),
    }));
    const shown = ratios.map(
      ({ name, ms, ratio }) => `${name}: ${ms.toFixed()} ms, ${ratio.toFixed(1)}`,
    );
    context.diagnostic(shown.join("; "));
    // 4 is linear. The difference to 1 is garbage collection of a larger heap, and noise.
    tooMuch = ratios.filter(({ ratio, ms }) => ratio > 2.5 && ms > 60);
    if (tooMuch.length === 0) return;
  }
  assert.deepEqual(tooMuch, []);
});

function keepLeast(least: Map<string, number>, found: ReadonlyMap<string, number>): void {
  for (const [name, ms] of found) least.set(name, Math.min(ms, least.get(name) ?? ms));
}
