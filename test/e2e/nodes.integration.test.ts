import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { until } from "#/testing/until.ts";
import { askNameCommand, k8ts, namedAnswer, traces, webImage } from "./machine.ts";

/** A name of this run's own, so that two runs on a machine don't conflict. */
const name = `nodes-${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "k8ts-nodes-"));
const kubeconfig = join(folder, "kubeconfig");
const image = "k8ts.test/web:1";
const kubectl = (...args: string[]): Promise<string> =>
  k8ts("kubectl", `--kubeconfig=${kubeconfig}`, ...args);
const names = async (kind: string): Promise<string[]> =>
  (await kubectl("get", kind, "-o", "name")).split("\n").filter(Boolean);

after(async () => {
  await k8ts("down", "--purge", "--name", name);
  rmSync(folder, { recursive: true });
  for (const one of [name, `${name}-node2`, `${name}-node3`]) {
    assert.deepEqual(await traces(one), []);
  }
});

// The steps depend on each other, hence are one test in one order.
test("several nodes on one machine, from up to down", async (t) => {
  await t.test("up --nodes creates them, node adds and removes one", makeNodes);
  await t.test("a network policy is in force on all of them", limitTraffic);
  await t.test("down and up start all of them again", bringBack);
});

async function makeNodes(): Promise<void> {
  await k8ts("up", "--name", name, "--kubeconfig", kubeconfig, "--nodes", "2");
  assert.equal((await names("nodes")).length, 2);
  assert.match(await kubectl("cluster-info"), /CoreDNS/);
  const wrongName = k8ts("node", "add", "A_B", "--name", name);
  await assert.rejects(wrongName, /"A_B" is no name of a node/);
  assert.match(await k8ts("node", "add", "third", "--name", name), /Node "third" is Ready/);

  writeFileSync(join(folder, "web.tar"), webImage(image));
  await k8ts("image", "load", "--name", name, join(folder, "web.tar"));
  assert.match(await k8ts("image", "ls", "--name", name), /^k8ts\.test\/web:1 .*,third$/m);
  await kubectl("create", "deployment", "web", `--image=${image}`, "--replicas=6", "--port=80");
  await kubectl("rollout", "status", "deployment/web", "--timeout=90s");
  const used = await kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}");
  assert.equal(new Set(used.split(" ")).size, 3, used);

  const [pod = ""] = await names("pods");
  const addresses = await kubectl("get", "pods", "-o", "jsonpath={.items[*].status.podIP}");
  for (const address of addresses.split(" ")) {
    assert.match(await kubectl("exec", pod, "--", ...askNameCommand(address)), namedAnswer);
  }

  await k8ts("node", "remove", "third", "--name", name);
  assert.deepEqual(
    (await names("nodes")).filter((node) => node.endsWith("third")),
    [],
  );
  await kubectl("rollout", "status", "deployment/web", "--timeout=90s");
  await assert.rejects(k8ts("node", "remove", "third", "--name", name), /is no node that can be/);
}

async function limitTraffic(): Promise<void> {
  const [pod = ""] = await names("pods");
  const wide = await kubectl("get", "pods", "-o", "jsonpath={.items[*].status.podIP}");
  const ask = `for ip in ${wide}; do printf 'GET /name HTTP/1.0\\r\\n\\r\\n' | nc -w 1 $ip 80; done`;
  const answers = async (): Promise<number> => {
    const said = await kubectl("exec", pod, "--", "sh", "-c", `${ask}; true`);
    return [...said.matchAll(/^web-/gm)].length;
  };
  const all = wide.split(" ").length;
  await until("all Pods answer", async () => (await answers()) === all);
  const policy = join(folder, "policy.json");
  const spec = { podSelector: {}, policyTypes: ["Ingress"] };
  const head = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
  writeFileSync(policy, JSON.stringify({ ...head, metadata: { name: "deny" }, spec }));
  await kubectl("apply", "-f", policy);
  // The Pod still reaches itself.
  await until("only one Pod answers", async () => (await answers()) === 1);
  await kubectl("rollout", "status", "deployment/web", "--timeout=90s");
  await kubectl("delete", "-f", policy);
  await until("all Pods answer again", async () => (await answers()) === all);
}

async function bringBack(): Promise<void> {
  await k8ts("down", "--name", name);
  await k8ts("up", "--name", name);
  await until("two Ready nodes", async () => {
    const ready = '{.items[*].status.conditions[?(@.type=="Ready")].status}';
    return (await kubectl("get", "nodes", "-o", `jsonpath=${ready}`)) === "True True";
  });
  await kubectl("rollout", "status", "deployment/web", "--timeout=90s");
  assert.match(await kubectl("get", "pods"), / Running +1 \(\d+\w+ ago\) /);
  const last = "{.items[*].status.containerStatuses[*].lastState.terminated.finishedAt}";
  assert.match(await kubectl("get", "pods", "-o", `jsonpath=${last}`), /^\d{4}-/);
  const [second] = (await names("nodes")).filter((node) => node.endsWith("-2"));
  const nodeName = second?.slice("node/".length) ?? "";
  const merged = await k8ts("logs", "kubelet", "--name", name, "-n", "200");
  assert.match(merged, new RegExp(`^\\[${nodeName} kubelet\\] `, "m"));
  const one = await k8ts("logs", "kubelet", "--name", name, "--node", nodeName, "-n", "3");
  assert.equal(one.trimEnd().split("\n").length, 3);
  assert.doesNotMatch(one, /^\[/m);
}
