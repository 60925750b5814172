import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { events, namespaces, type PodSpec, pods } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { containerdProblem, startContainerd } from "#/testing/start-containerd.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { until } from "#/testing/until.ts";

const skip = containerdProblem() ?? false;

/** A TCP server that accepts connections and never answers; what it hears is counted. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address);
  return {
    port: address.port,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A kubelet with a containerd and an API server. */
async function startNode() {
  const stack = new AsyncDisposableStack();
  const containerd = stack.use(await startContainerd());
  const api = stack.use(await startApiServer());
  const client = api.client();
  for (const name of ["default", "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
  }
  const kubelet = await startKubelet(containerd, () => api.client().transport);
  stack.defer(() => kubelet.stop());
  const create = (name: string, spec: Partial<PodSpec>) =>
    client.create(pods, {
      metadata: { name, namespace: "default" },
      spec: {
        nodeName: testNodeName,
        hostNetwork: true,
        dnsPolicy: "Default",
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [],
        ...spec,
      },
    });
  const find = (name: string) =>
    client.get(pods, { name, namespace: "default" }).catch(() => undefined);
  const eventsOf = async (name: string) =>
    (await client.list(events)).items.filter(({ involvedObject }) => involvedObject.name === name);
  return {
    containerd,
    create,
    eventsOf,
    find,
    delete: (name: string) => client.delete(pods, { name, namespace: "default" }),
    isGone: (name: string) =>
      until(`${name} is gone`, async () => (await find(name)) === undefined, { limitMs: 20_000 }),
    isRunning: (name: string) =>
      until(`${name} runs`, async () => (await find(name))?.status?.phase === "Running"),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("Pods that wait for something silent are deleted in their grace period", {
  skip,
}, async (context) => {
  await using silent = await silentServer();
  await using node = await startNode();
  const { image } = node.containerd;

  await context.test("positive control: a Pod runs and is deleted", async () => {
    await node.create("harmless", { containers: [{ name: "main", image }] });
    await node.isRunning("harmless");
    await node.delete("harmless");
    await node.isGone("harmless");
  });

  await context.test("a registry that never answers, and a pull that waits for it", async () => {
    const remote = `127.0.0.1:${silent.port}/image`;
    await node.create("pulling", { containers: [{ name: "main", image: `${remote}:1` }] });
    await until("the registry is called", () => silent.connections() > 0);
    await node.create("queued", { containers: [{ name: "main", image: `${remote}:2` }] });
    await until("the second pull waits", async () =>
      (await node.eventsOf("queued")).some(({ reason }) => reason === "Pulling"),
    );
    for (const name of ["queued", "pulling"]) await node.delete(name);
    for (const name of ["queued", "pulling"]) await node.isGone(name);
    const failures = (await node.eventsOf("pulling")).filter(({ reason }) => reason === "Failed");
    assert.deepEqual(failures, [], "a pull that was cancelled is no failure");
  });

  await context.test("a postStart hook that never ends", async () => {
    const before = silent.connections();
    const postStart = { httpGet: { host: "127.0.0.1", port: silent.port, path: "/" } };
    await node.create("hooked", {
      containers: [{ name: "main", image, lifecycle: { postStart } }],
    });
    await until("the hook runs", () => silent.connections() > before);
    await node.delete("hooked");
    await node.isGone("hooked");
  });

  await context.test("a claim that doesn't exist", async () => {
    await node.create("claiming", {
      containers: [{ name: "main", image, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "none" } }],
    });
    await until("the kubelet has seen the Pod", async () => {
      return (await node.find("claiming"))?.status?.startTime !== undefined;
    });
    await node.delete("claiming");
    await node.isGone("claiming");
  });
});
