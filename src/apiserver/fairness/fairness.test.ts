import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowSchema } from "#/api/flowcontrol/v1.ts";
import { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { bootstrapFlowSchemas, bootstrapPriorityLevels } from "../bootstrap/flow-control.ts";
import type { Exchange, Reply } from "../model/exchange.ts";
import { textReply } from "../model/exchange.ts";
import { parseRequestInfo } from "../model/request-info.ts";
import { Fairness } from "./fairness.ts";
import { fairness } from "./fairness-filter.ts";
import { FairnessMetrics } from "./fairness-metrics.ts";
import { dealHand, hashFlow } from "./shuffle-shard.ts";

function openGate(totalSeats: number) {
  const clock = new FakeClock();
  const gate = new Fairness({ clock, totalSeats, waitMs: 15_000 });
  gate.configure(bootstrapFlowSchemas(), bootstrapPriorityLevels());
  const registry = new Metrics();
  const metrics = new FairnessMetrics(registry, gate, clock);
  const filter = fairness({ fairness: gate, metrics, countOf: () => 0 });
  return { clock, gate, filter, registry };
}

function request(user: string, path = "/api/v1/namespaces/a/pods/b", groups: string[] = []) {
  const query = new URLSearchParams();
  return {
    user: { name: user, groups: [...groups, "system:authenticated"] },
    info: parseRequestInfo({ method: "GET", path, query }),
    query,
    signal: new AbortController().signal,
  } as unknown as Exchange;
}

/** A server that responds on command, in the order of arrival. */
class SlowServer {
  readonly served: string[] = [];
  readonly #open: (() => void)[] = [];

  handle = (exchange: Exchange): Promise<Reply> => {
    this.served.push(exchange.user?.name ?? "");
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#open.push(() => resolve(textReply(200, "ok")));
    return promise;
  };

  async answerOne(): Promise<void> {
    this.#open.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

test("fairness() serves others while one user floods", async () => {
  const { filter } = openGate(60);
  const server = new SlowServer();
  const flood = Array.from({ length: 400 }, () => filter(request("flooder"), server.handle));
  const before = server.served.length;
  assert.ok(before >= 5 && before < 60, `${before} run at once`);
  const quiet = filter(request("quiet"), server.handle);
  for (let turn = 0; turn < 8; turn++) await server.answerOne();
  assert.ok(server.served.includes("quiet"), "its queue gets its turn among the six of the other");
  while (server.served.length < 401) {
    const { length } = server.served;
    await server.answerOne();
    if (server.served.length === length) break;
  }
  await server.answerOne();
  assert.equal((await quiet).status, 200);
  void flood;
});

test("fairness() refuses requests over its queue limits, and those that wait too long", async () => {
  const { filter, clock, registry } = openGate(60);
  const server = new SlowServer();
  const flood = Array.from({ length: 500 }, () => filter(request("flooder"), server.handle));
  const full = (await Promise.race(flood)) as Reply;
  assert.equal(full.status, 429);
  assert.equal(full.headers["retry-after"], "1");
  const waiting = filter(request("other"), server.handle);
  await clock.advance(15_001);
  assert.equal((await waiting).status, 429);
  const lines = [...registry.expose()].join("").split("\n");
  const value = (name: string, labels = "") => {
    const flow = 'flow_schema="global-default",priority_level="global-default"';
    const start = `apiserver_flowcontrol_${name}{${labels.startsWith("execute") ? `${labels},${flow}` : flow + labels}} `;
    return Number(lines.find((line) => line.startsWith(start))?.slice(start.length));
  };
  const late = value("rejected_requests_total", ',reason="time-out"');
  const crowded = value("rejected_requests_total", ',reason="queue-full"');
  const running = server.served.length;
  assert.equal(running + late + crowded, 501);
  assert.equal(value("current_executing_requests"), running);
  assert.equal(value("dispatched_requests_total"), running);
  assert.equal(value("current_inqueue_requests"), 0);
  assert.equal(value("request_wait_duration_seconds_count", 'execute="false"'), late + crowded);
});

test("fairness() never makes administrators wait", () => {
  const { filter } = openGate(8);
  const server = new SlowServer();
  for (let n = 0; n < 50; n++) {
    void filter(request("admin", "/api/v1/pods", ["system:masters"]), server.handle);
  }
  assert.equal(server.served.length, 50);
});

const classes = [
  { user: "a", groups: ["system:masters"], path: "/api/v1/pods", schema: "exempt" },
  { user: "a", groups: [], path: "/healthz", schema: "probes" },
  { user: "a", groups: [], path: "/healthz/etcd", schema: "probes" },
  { user: "n", groups: ["system:nodes"], path: "/api/v1/nodes/n", schema: "system-node-high" },
  { user: "n", groups: ["system:nodes"], path: "/api/v1/pods", schema: "system-nodes" },
  {
    user: "system:kube-scheduler",
    groups: [],
    path: "/apis/coordination.k8s.io/v1/namespaces/a/leases/b",
    schema: "system-leader-election",
  },
  {
    user: "system:serviceaccount:kube-system:x",
    groups: ["system:serviceaccounts"],
    path: "/api/v1/pods",
    schema: "kube-system-service-accounts",
  },
  {
    user: "system:serviceaccount:a:x",
    groups: ["system:serviceaccounts"],
    path: "/api/v1/pods",
    schema: "service-accounts",
  },
  { user: "a", groups: [], path: "/api/v1/pods", schema: "global-default" },
];
for (const { user, groups, path, schema } of classes) {
  test(`Fairness.classify() finds ${schema} for ${user} at ${path}`, () => {
    const { gate } = openGate(600);
    const exchange = request(user, path, groups);
    assert.ok(exchange.user);
    const found = gate.classify(exchange.user, exchange.info).schema;
    assert.equal(found.metadata.name, schema);
  });
}

test("Fairness.classify() has a default without any object", () => {
  const gate = new Fairness({ clock: new FakeClock(), totalSeats: 10, waitMs: 1 });
  const { user, info } = request("a");
  assert.ok(user);
  assert.equal(gate.classify(user, info).schema.metadata.name, "catch-all");
});

test("Fairness.configure() skips schemas whose level is missing", () => {
  const { gate } = openGate(10);
  const lost: FlowSchema = {
    metadata: { name: "lost" },
    spec: {
      priorityLevelConfiguration: { name: "nowhere" },
      matchingPrecedence: 5,
      rules: [{ subjects: [{ kind: "User", user: { name: "*" } }], resourceRules: [] }],
    },
  };
  gate.configure([lost], []);
  const { user, info } = request("a");
  assert.ok(user);
  assert.equal(gate.classify(user, info).schema.metadata.name, "catch-all");
});

test("dealHand() deals different cards, the same for the same flow", () => {
  for (let flow = 0; flow < 200; flow++) {
    const hand = dealHand(hashFlow("schema", String(flow)), 16, 4);
    assert.equal(new Set(hand).size, 4);
    assert.ok(hand.every((card) => card >= 0 && card < 16));
    assert.deepEqual(dealHand(hashFlow("schema", String(flow)), 16, 4), hand);
  }
});
