import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import {
  apply,
  brokenTraffic,
  ensureCluster,
  field,
  imageFile,
  k8ts,
  kubectl,
  pod,
  remove,
  trafficWorks,
  until,
  waitFor,
} from "../cluster.ts";
import type { Machine } from "../machine.ts";
import { added, findTraces } from "../traces.ts";
import { firewalls, repairMs } from "./firewalls.ts";

/** A cluster beside the machine's own, in a network namespace, with a kubeconfig of its own. */
const side = "--name=side";
const kubeconfig = "/root/side.kubeconfig";

const sideKubectl = (machine: Machine, args: string, input?: string): Promise<string> =>
  kubectl(machine, `--kubeconfig=${kubeconfig} ${args}`, input);

/** Starts the other cluster, unless it runs, with a client. */
async function ensureSide(machine: Machine): Promise<void> {
  await machine.run(`${k8ts} up ${side} --kubeconfig=${kubeconfig}`, { timeoutMs: 600_000 });
  await machine.run(`${k8ts} image load ${imageFile} ${side}`);
  await sideKubectl(machine, "apply -f -", JSON.stringify(pod("client")));
  await sideKubectl(machine, "wait --for=condition=Ready pod/client --timeout=240s");
}

/** A network outside the machine, whose only host has no route to the cluster's own addresses. */
const outside = "198.51.100.2";
const makeOutside = `
  [ -e /run/netns/outside ] || {
    ip netns add outside
    ip link add outside0 type veth peer name eth0 netns outside
    ip address add ${outside.replace(/2$/, "1")}/24 dev outside0 && ip link set outside0 up
    ip -n outside address add ${outside}/24 dev eth0 && ip -n outside link set eth0 up
    mkdir -p /tmp/outside && echo heard >/tmp/outside/index.html
    ip netns exec outside busybox httpd -p 80 -h /tmp/outside
  }`;
const removeOutside =
  "ip netns pids outside | xargs -r kill; ip netns delete outside; ip link delete outside0";

/** Waits until a Pod's request is answered from outside. */
async function reachesOutside(machine: Machine, client: string): Promise<void> {
  const request = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 ${outside} 80`;
  await until(
    "an answer from outside",
    async () => (await kubectl(machine, `${client} -- sh -c "${request}"`)).endsWith("heard\n"),
    repairMs,
  );
}

const fromSide = `--kubeconfig=${kubeconfig} exec client`;

/** Packet filters of the rest of the machine; the cluster must reach the outside in spite of them. */
async function beside(machine: Machine, { on, off }: { on: string; off: string }) {
  await ensureSide(machine);
  await machine.run(makeOutside);
  await reachesOutside(machine, fromSide);
  try {
    await machine.run(on);
    await reachesOutside(machine, fromSide);
    await machine.run("systemctl restart k8ts-side-agent");
    await reachesOutside(machine, fromSide);
  } finally {
    await machine.try(off);
    await machine.try(removeOutside);
  }
  return undefined;
}

/** Web servers and a client on nodes that share the machine with the server. */
async function makeNodes(machine: Machine): Promise<string> {
  await machine.run(`${k8ts} up --nodes=3`, { timeoutMs: 600_000 });
  await machine.run(`${k8ts} image load ${imageFile}`);
  const nodes = (await field(machine, "nodes", ".items[*].metadata.name")).split(" ");
  const far = nodes.find((name) => name.endsWith("-2")) ?? "";
  await apply(machine, pod("far-client", { spec: { nodeName: far } }));
  await kubectl(machine, "scale deployment/web --replicas=6");
  await waitFor(machine, "condition=Available", "deployment/web");
  await waitFor(machine, "condition=Ready", "pod/far-client");
  const used = await field(machine, "pods -l app=web", ".items[*].spec.nodeName");
  assert.equal(new Set(used.split(" ")).size, 3, `web servers are on ${used}`);
  return far;
}

async function removeNodes(machine: Machine): Promise<void> {
  await remove(machine, "pod/far-client");
  const rows = await machine.run(`${k8ts} node ls`);
  for (const [name] of rows.matchAll(/^\S+-\d+/gm))
    await machine.run(`${k8ts} node remove ${name}`);
  await kubectl(machine, "scale deployment/web --replicas=2");
  await ensureCluster(machine);
}

async function nodesWork(machine: Machine): Promise<void> {
  await trafficWorks(machine, repairMs);
  await until(
    "every way from another node",
    async () => {
      assert.deepEqual(await brokenTraffic(machine, "far-client"), []);
      return true;
    },
    repairMs,
  );
  await reachesOutside(machine, "exec far-client");
}

/** Nothing is left of a cluster in a namespace. */
export const namespaceLeaveChecks: Checks = [
  {
    name: "a second cluster: down --purge leaves nothing of it",
    needs: "nothing",
    async run(machine) {
      const before = await findTraces(machine);
      await ensureSide(machine);
      await machine.run(`${k8ts} down --purge ${side}`);
      assert.deepEqual(added(before, await findTraces(machine)), []);
      return undefined;
    },
  },
];

/** Clusters and nodes in network namespaces of one machine. */
export const namespaceChecks: Checks = [
  ...Object.entries(firewalls).map(([what, firewall]) => ({
    name: `a second cluster reaches the outside: ${what}`,
    run: (machine: Machine) => beside(machine, firewall),
  })),
  {
    name: "a second cluster reaches the outside: nft flush ruleset is repaired",
    async run(machine) {
      await beside(machine, { on: "nft flush ruleset", off: "true" });
      await machine.run(`${k8ts} down --purge ${side}`);
      await trafficWorks(machine);
      return undefined;
    },
  },
  {
    name: "three nodes on one machine, also with FORWARD policy DROP, Docker and ufw",
    async run(machine) {
      await makeNodes(machine);
      await machine.run(makeOutside);
      try {
        await nodesWork(machine);
        for (const { on, off } of Object.values(firewalls)) {
          try {
            await machine.run(on);
            await nodesWork(machine);
            await waitFor(machine, "condition=Ready", "nodes --all");
          } finally {
            await machine.try(off);
          }
        }
      } finally {
        await machine.try(removeOutside);
        await removeNodes(machine);
      }
      return undefined;
    },
  },
];
