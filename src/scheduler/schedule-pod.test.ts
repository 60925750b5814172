import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { seededRandom } from "#/std/base/random.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { asking, occupied, testContext, testNode, testPod } from "#/testing/scheduler-objects.ts";
import { podInfoOf } from "./cache/pod-info.ts";
import { Snapshot } from "./cache/snapshot.ts";
import type { Extender as ExtenderConfig } from "./config/configuration.ts";
import { withDefaults } from "./config/load-configuration.ts";
import { Extender } from "./extender/extender.ts";
import { postJson } from "./extender/post-json.ts";
import { Cycle } from "./framework/cycle.ts";
import { buildProfile } from "./framework/profile.ts";
import { nodesToFind } from "./nodes-to-find.ts";
import { pluginMaker, plugins } from "./plugins/index.ts";
import { PodPlacer } from "./schedule-pod.ts";

const timer = { end: () => undefined, [Symbol.dispose]: () => undefined };

function open(extenders: readonly Extender[] = [], percentageOfNodesToScore = 0) {
  const [config] = withDefaults(plugins).profiles;
  assert.ok(config);
  const placer = new PodPlacer({
    percentageOfNodesToScore,
    extenders,
    nominations: () => [],
    random: seededRandom(1),
    budget: new TurnBudget(new FakeClock()),
    time: () => timer,
  });
  const profile = buildProfile(config, pluginMaker({ context: testContext(), extenders }));
  return {
    place: (pod: ReturnType<typeof testPod>, nodes: readonly ReturnType<typeof occupied>[]) =>
      placer.place(profile, new Cycle(podInfoOf(pod), Snapshot.of(nodes))),
  };
}

for (const { percentage, nodes, wanted } of [
  { percentage: 0, nodes: 10, wanted: 10 },
  { percentage: 40, nodes: 10, wanted: 10 },
  { percentage: 0, nodes: 1000, wanted: 420 },
  { percentage: 40, nodes: 1000, wanted: 400 },
  { percentage: 0, nodes: 6000, wanted: 300 },
  { percentage: 5, nodes: 1000, wanted: 100 },
]) {
  test(`nodesToFind() of ${nodes} nodes at ${percentage} % is ${wanted}`, () => {
    assert.equal(nodesToFind(percentage, nodes), wanted);
  });
}

test("PodPlacer chooses the emptiest node", async () => {
  const busy = occupied(testNode("busy"), [testPod("other", { spec: asking({ cpu: "3" }) })]);
  const pod = testPod("pod", { spec: asking({ cpu: "500m" }) });
  const { node, feasibleNodes, table } = await open().place(pod, [
    busy,
    occupied(testNode("idle")),
  ]);
  assert.equal(node.name, "idle");
  assert.equal(feasibleNodes, 2);
  assert.ok(table?.rows.some(({ plugin }) => plugin === "NodeResourcesFit"));
});

test("PodPlacer starts each search at another node if it filters only a part", async () => {
  const nodes = Array.from({ length: 300 }, (_, index) => occupied(testNode(`node-${index}`)));
  const { place } = open([], 1);
  const firsts: (string | undefined)[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const { table } = await place(testPod("pod"), nodes);
    firsts.push(table?.nodes[0]?.name);
    assert.equal(table?.nodes.length, 100);
  }
  assert.deepEqual(firsts, ["node-0", "node-100", "node-200", "node-0"]);
});

test("PodPlacer chooses any of the best nodes", async () => {
  const nodes = ["a", "b", "c"].map((name) => occupied(testNode(name)));
  const { place } = open();
  const chosen = new Set<string>();
  for (let turn = 0; turn < 50; turn++) chosen.add((await place(testPod("pod"), nodes)).node.name);
  assert.deepEqual([...chosen].sort(), ["a", "b", "c"]);
});

test("PodPlacer reports the number of nodes for each reason", async () => {
  const nodes = [
    occupied(testNode("a")),
    occupied(testNode("b", { spec: { unschedulable: true } })),
  ];
  const pod = testPod("pod", { spec: asking({ cpu: "5" }) });
  await assert.rejects(open().place(pod, nodes), {
    name: "FitError",
    message: "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
  });
  await assert.rejects(open().place(pod, []), { message: "no nodes available to schedule pods" });
});

/** An extender that accepts nodes b and c, and prefers c. */
async function serveExtender() {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      const answers: Record<string, object> = {
        "/x/filter": { NodeNames: ["b", "c"], FailedNodes: { a: "not here" } },
        "/x/prioritize": [
          { Host: "b", Score: 1 },
          { Host: "c", Score: 10 },
        ],
      };
      const answer = answers[request.url ?? ""];
      response.statusCode = answer ? 200 : 500;
      response.end(JSON.stringify(answer ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { server, bodies, urlPrefix: `http://127.0.0.1:${port}/x` };
}

test("PodPlacer calls extenders", async () => {
  const { server, bodies, urlPrefix } = await serveExtender();
  try {
    const config: ExtenderConfig = {
      urlPrefix,
      filterVerb: "filter",
      prioritizeVerb: "prioritize",
      weight: 5,
      nodeCacheCapable: true,
    };
    const extender = new Extender(config, postJson(config));
    const nodes = ["a", "b", "c"].map((name) => occupied(testNode(name)));
    const { node, diagnosis } = await open([extender]).place(testPod("pod"), nodes);
    assert.equal(node.name, "c");
    assert.deepEqual(diagnosis.rejections.get("a")?.reasons, ["not here"]);
    const [filter] = bodies as { NodeNames: string[] }[];
    assert.deepEqual(filter?.NodeNames, ["a", "b", "c"]);
    const broken = new Extender({ ...config, filterVerb: "nope" }, postJson(config));
    await assert.rejects(open([broken]).place(testPod("pod"), nodes), {
      message: `failed nope with extender at URL ${urlPrefix}/nope, code 500`,
    });
    const ignorable = new Extender(
      { urlPrefix, filterVerb: "nope", ignorable: true },
      postJson(config),
    );
    assert.equal((await open([ignorable]).place(testPod("pod"), nodes)).feasibleNodes, 3);
  } finally {
    server.close();
  }
});

test("Extender is interested in pods that use the resources it manages", () => {
  const config = { urlPrefix: "http://x", managedResources: [{ name: "example.com/gpu" }] };
  const extender = new Extender(config, postJson(config));
  assert.equal(extender.isInterested(testPod("pod")), false);
  const spec = asking({ "example.com/gpu": "1" });
  assert.equal(extender.isInterested(testPod("pod", { spec })), true);
});
