import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { createServer } from "node:net";
import { test } from "node:test";
import { namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { TestRuntime } from "#/testing/start-runtime.ts";
import { until } from "#/testing/until.ts";

/** Limit of a wait (ms): the kubelet counts a runtime as down after 30 s, and reports each 10 s. */
const limitMs = 120_000;

/** A fault of the runtime: it is made, reported by the kubelet with the message, and ended. */
interface Fault {
  readonly name: string;
  make(runtime: TestRuntime): Promise<AsyncDisposable | undefined>;
  end(runtime: TestRuntime): Promise<void>;
}

const socketOf = ({ endpoint }: TestRuntime): string => endpoint.replace("unix://", "");

const faults: readonly Fault[] = [
  {
    name: "hangs",
    async make(runtime) {
      runtime.signal("SIGSTOP");
      return undefined;
    },
    end: async (runtime) => runtime.signal("SIGCONT"),
  },
  {
    name: "is stopped",
    async make(runtime) {
      await runtime.stopPrograms();
      return undefined;
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "is killed",
    async make(runtime) {
      await runtime.stopPrograms("SIGKILL");
      return undefined;
    },
    end: (runtime) => runtime.startPrograms(),
  },
  {
    name: "answers garbage",
    async make(runtime) {
      await runtime.stopPrograms("SIGKILL");
      const socket = socketOf(runtime);
      await rename(socket, `${socket}.old`).catch(() => undefined);
      const server = createServer((peer) => {
        peer.on("error", () => undefined);
        peer.end("HTTP/1.1 200 OK\r\n\r\ngarbage", () => peer.destroy());
      });
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      return {
        async [Symbol.asyncDispose]() {
          server.close();
        },
      };
    },
    end: (runtime) => runtime.startPrograms(),
  },
];

const containerOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0];

for (const fault of faults) {
  test(`a runtime that ${fault.name} makes the node not ready; its Pods live, and it recovers`, async () => {
    await using runtime = await TestRuntime.start({ name: "containerd" });
    await using api = await startApiServer();
    const client = api.client();
    for (const name of ["default", "kube-node-lease"]) {
      await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
    }
    const kubelet = await startKubelet(runtime, () => api.client().transport);
    const find = (name: string) =>
      client.get(pods, { name, namespace: "default" }).catch(() => undefined);
    const create = (name: string) =>
      client.create(pods, {
        metadata: { name, namespace: "default" },
        spec: {
          nodeName: testNodeName,
          hostNetwork: true,
          dnsPolicy: "Default",
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          containers: [{ name: "main", image: runtime.image }],
        },
      });
    const running = (name: string) =>
      until(`${name} runs`, async () => {
        const pod = await find(name);
        return containerOf(pod)?.state?.running ? pod : undefined;
      });
    await create("kept");
    const before = containerOf(await running("kept"));
    {
      await using _made = await fault.make(runtime);
      await until(
        "the node reports that its runtime is down",
        async () => {
          const node = await client.get(nodes, { name: testNodeName });
          const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
          return (
            ready?.reason === "KubeletNotReady" &&
            /container runtime is down/.test(ready.message ?? "")
          );
        },
        { limitMs },
      );
    }
    await fault.end(runtime);
    await until(
      "the node reports that its runtime is back",
      async () => {
        const node = await client.get(nodes, { name: testNodeName });
        const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
        return !/container runtime is down/.test(ready?.message ?? "down");
      },
      { limitMs },
    );
    await create("later");
    await running("later");
    const after = containerOf(await find("kept"));
    assert.equal(after?.containerID, before?.containerID);
    assert.equal(after?.restartCount, 0);
    assert.deepEqual(after?.state?.running, before?.state?.running);
    await kubelet.stop();
  });
}
