import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { namespaces, pods } from "#/api/core/v1.ts";
import { networkPolicies } from "#/api/networking/v1.ts";
import { mayMakeNamespaces } from "#/testing/network-namespace.ts";
import { connects, echoAt, PolicyNode, untilConnects } from "#/testing/policy-node.ts";
import { until } from "#/testing/until.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const all = { podSelector: {} };

test(
  "policies of Pods on one bridge: peers, ports, both families, both directions",
  options,
  async () => {
    await using node = await PolicyNode.create();
    const server = await node.addPod("a", "server");
    const friend = await node.addPod("b", "friend");
    const other = await node.addPod("b", "other");
    await echoAt(server.net, [80, 8080, 9000]);
    await untilConnects(true, other.net, server.ip, 80);
    // Gone before it is in force.
    await node.createPolicy("a", "brief", { ...all, policyTypes: ["Ingress"] });
    await node.client.delete(networkPolicies, { namespace: "a", name: "brief" });
    await node.createPolicy("a", "deny", { ...all, policyTypes: ["Ingress"] });
    for (const from of [friend, other]) {
      await untilConnects(false, from.net, server.ip, 80);
      await untilConnects(false, from.net, server.ip6, 80);
    }
    assert.ok(await connects(node.node.namespace, server.ip, 80), "the node reaches its Pods");
    assert.ok(await connects(server.net, server.ip, 80), "a Pod reaches itself");
    await node.createPolicy("a", "allow", {
      ...all,
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { name: "b" } },
              podSelector: { matchLabels: { app: "friend" } },
            },
          ],
          ports: [{ port: 80 }, { port: 8000, endPort: 8100 }],
        },
      ],
      policyTypes: ["Ingress"],
    });
    await untilConnects(true, friend.net, server.ip, 80);
    await untilConnects(true, friend.net, server.ip6, 8080);
    assert.equal(await connects(friend.net, server.ip, 9000), false);
    assert.equal(await connects(other.net, server.ip, 80), false);
    const label = (name: string, app: string) =>
      node.client.patch(
        pods,
        { namespace: "b", name },
        { metadata: { labels: { app } } },
        { type: "merge" },
      );
    await label("other", "friend");
    await untilConnects(true, other.net, server.ip6, 80);
    await node.client.patch(
      namespaces,
      { name: "b" },
      { metadata: { labels: { name: "c" } } },
      { type: "merge" },
    );
    await untilConnects(false, other.net, server.ip, 80);
    await node.client.delete(networkPolicies, { namespace: "a", name: "deny" });
    await node.client.delete(networkPolicies, { namespace: "a", name: "allow" });
    await untilConnects(true, other.net, server.ip, 80);
    assert.equal((await node.node.namespace.sh("nft list tables")).includes("k8ts-policy"), false);
    await node.createPolicy("b", "egress", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        {
          to: [{ ipBlock: { cidr: "10.244.1.0/24", except: [`${other.ip}/32`] } }],
          ports: [{ port: "web" }],
        },
      ],
    });
    await untilConnects(false, friend.net, server.ip, 9000);
    await node.client.delete(pods, { namespace: "a", name: "server" }, { gracePeriodSeconds: 0 });
    await node.createPod("a", "server", [server.ip, server.ip6], {}, [
      { name: "web", containerPort: 9000 },
    ]);
    await untilConnects(true, friend.net, server.ip, 9000);
    assert.equal(await connects(friend.net, server.ip6, 9000), false, "the block is of IPv4");
    assert.equal(await connects(friend.net, server.ip, 80), false);
  },
);

test(
  "a connection that is forbidden is cut, and goes on when it is allowed again",
  options,
  async () => {
    await using node = await PolicyNode.create();
    const server = await node.addPod("a", "server");
    const client = await node.addPod("b", "client");
    await echoAt(server.net, [80]);
    const script = `
    const socket = require("node:net").connect(80, "${server.ip}");
    setInterval(() => socket.write("x"), 50);
    socket.on("data", () => console.log());
  `;
    let answers = 0;
    const child = client.net.start(process.execPath, ["-e", script]);
    child.stdout?.on("data", () => answers++);
    const answered = async () => {
      const before = answers;
      await until("the server answers", () => answers > before + 2);
    };
    await answered();
    await node.createPolicy("a", "deny", { ...all, policyTypes: ["Ingress"] });
    await untilConnects(false, client.net, server.ip, 80);
    const cut = answers;
    await connects(client.net, server.ip, 80);
    assert.ok(answers - cut <= 1, "nothing passes");
    await node.client.delete(networkPolicies, { namespace: "a", name: "deny" });
    await answered();
  },
);

test(
  "rules stay while the program is away, and are repaired after nft flush ruleset",
  options,
  async () => {
    await using node = await PolicyNode.create();
    const server = await node.addPod("a", "server");
    const client = await node.addPod("b", "client");
    await echoAt(server.net, [80]);
    await node.createPolicy("a", "deny", { ...all, policyTypes: ["Ingress"] });
    await untilConnects(false, client.net, server.ip, 80);
    await node.stop();
    assert.equal(await connects(client.net, server.ip, 80), false);
    await node.start();
    await node.createPolicy("b", "other", { ...all, policyTypes: ["Egress"] });
    await untilConnects(false, client.net, "10.244.1.1", 22);
    assert.equal(await connects(client.net, server.ip, 80), false);
    await node.client.delete(networkPolicies, { namespace: "b", name: "other" });
    await node.node.namespace.sh("nft flush ruleset");
    await until("the table is there again", async () =>
      (await node.node.namespace.sh("nft list table inet k8ts-policy").catch(() => "")).includes(
        "ingress-",
      ),
    );
    await untilConnects(false, client.net, server.ip, 80);
  },
);

test("a Pod sends and receives nothing before its policies are in force", options, async () => {
  await using node = await PolicyNode.create();
  const server = await node.addPod("a", "server");
  await echoAt(server.net, [80]);
  await node.createPolicy("b", "none", {
    podSelector: { matchLabels: { app: "closed" } },
    policyTypes: ["Egress"],
  });
  await node.addPod("b", "known").then((known) => untilConnects(true, known.net, server.ip, 80));
  const early = await node.attachPod();
  assert.equal(await connects(early.net, server.ip, 80), false, "its Pod is unknown");
  // The sandbox is known before the status of the Pod has its address.
  const file = join(node.node.directory, "results", "early");
  const cniArgs = [
    ["K8S_POD_NAMESPACE", "b"],
    ["K8S_POD_NAME", "early"],
  ];
  await writeFile(
    `${file}.new`,
    JSON.stringify({ cniArgs, result: { ips: [{ address: `${early.ip}/24` }] } }),
  );
  await rename(`${file}.new`, file);
  await node.client.create(pods, {
    metadata: { namespace: "b", name: "early" },
    spec: { nodeName: "n1", containers: [{ name: "main", image: "image:1" }] },
  } as never);
  await untilConnects(true, early.net, server.ip, 80);
});
