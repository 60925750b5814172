import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes } from "#/api/core/v1.ts";
import { formatCidr, parseCidr } from "#/std/net/cidr.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { nodeIpamController } from "./node-ipam.ts";
import { clusterRanges, freePart } from "./plan-ranges.ts";

const flags = {
  "cluster-cidr": "10.244.0.0/22",
  "service-cluster-ip-range": "",
  "node-cidr-mask-size": 0,
  "node-cidr-mask-size-ipv4": 0,
  "node-cidr-mask-size-ipv6": 0,
};

const cases: readonly { name: string; taken: readonly string[]; part: string | undefined }[] = [
  { name: "nothing is taken", taken: [], part: "10.244.0.0/24" },
  { name: "the first is taken", taken: ["10.244.0.0/24"], part: "10.244.1.0/24" },
  { name: "a wider one is taken", taken: ["10.244.0.0/23"], part: "10.244.2.0/24" },
  { name: "a gap is left", taken: ["10.244.0.0/24", "10.244.2.0/24"], part: "10.244.1.0/24" },
  { name: "all is taken", taken: ["10.244.0.0/22"], part: undefined },
];

for (const { name, taken, part } of cases) {
  test(`freePart() when ${name}`, () => {
    const [range] = clusterRanges(flags);
    assert.ok(range);
    const ranges = taken.flatMap((text) => parseCidr(text) ?? []);
    const others = ranges.filter(({ prefixLength }) => prefixLength !== 24);
    const found = freePart(range, { has: (text) => taken.includes(text), others });
    assert.equal(found && formatCidr(found.part), part);
  });
}

test("freePart() continues after a position, and wraps", () => {
  const [range] = clusterRanges(flags);
  assert.ok(range);
  const taken = new Set(["10.244.3.0/24"]);
  const free = (from: number): string => {
    const found = freePart(range, { has: (text) => taken.has(text), others: [] }, from);
    return found ? formatCidr(found.part) : "";
  };
  assert.deepEqual([free(2), free(3)], ["10.244.2.0/24", "10.244.0.0/24"]);
});

test("node-ipam-controller gives every Node its own range, and keeps existing ones", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [nodeIpamController], {
    args: ["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/22"],
  });
  const node = (name: string, spec: Node["spec"] = {}): Node => ({ metadata: { name }, spec });
  const own = { podCIDR: "10.244.0.0/24", podCIDRs: ["10.244.0.0/24"] };
  await run.client.create(nodes, node("a", own));
  await run.client.create(nodes, node("b"));
  await run.client.create(nodes, node("c"));
  const ranges = async () => (await run.client.list(nodes)).items.map(({ spec }) => spec?.podCIDR);
  await run.until("ranges", async () => (await ranges()).every((range) => range !== undefined));
  assert.deepEqual([...(await ranges())].sort(), [
    "10.244.0.0/24",
    "10.244.1.0/24",
    "10.244.2.0/24",
  ]);
});
