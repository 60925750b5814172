import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { events, namespaces, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { containerdProblem, startContainerd } from "#/testing/start-containerd.ts";
import { manifestsOf, startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { until } from "#/testing/until.ts";

const skip = containerdProblem() ?? false;

/** The Pod, or its absence, once it matches the condition. */
async function untilPod(
  client: Client,
  name: string,
  matches: (pod: Pod | undefined) => boolean,
): Promise<Pod | undefined> {
  let pod: Pod | undefined;
  await until(`Pod ${name} matches`, async () => {
    pod = await client.get(pods, { name, namespace: "default" }).catch(() => undefined);
    return matches(pod);
  });
  return pod;
}

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === "Running";
const containerID = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.containerID;

test("a kubelet runs pods, keeps them over a restart, and removes those that are deleted", {
  skip,
}, async () => {
  await using containerd = await startContainerd();
  await using api = await startApiServer();
  const client = api.client();
  for (const name of ["default", "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
  }
  const connect = () => api.client().transport;
  const create = (name: string, spec: Partial<PodSpec> = {}) =>
    client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default" },
      spec: {
        nodeName: testNodeName,
        hostNetwork: true,
        dnsPolicy: "Default",
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: "main", image: containerd.image }],
        ...spec,
      },
    });
  const first = await startKubelet(containerd, connect);
  await create("kept");
  await create("deleted");
  await create("broken", {
    containers: [{ name: "main", image: containerd.image, command: ["/nothing"] }],
  });
  await writeFile(
    join(manifestsOf(containerd), "static.json"),
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "static" },
      spec: { hostNetwork: true, containers: [{ name: "main", image: containerd.image }] },
    }),
  );
  const kept = await untilPod(client, "kept", isRunning);
  assert.deepEqual(kept?.status?.podIPs, [{ ip: "127.0.0.1" }]);
  await untilPod(client, "deleted", isRunning);
  await untilPod(client, "static-node-1", isRunning);
  await untilPod(client, "broken", (pod) => {
    const reason = pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    return reason === "RunContainerError" || reason === "CrashLoopBackOff";
  });
  await client.delete(pods, { name: "broken", namespace: "default" });
  await untilPod(client, "broken", (pod) => pod === undefined);
  await first.stop();

  await client.delete(pods, { name: "deleted", namespace: "default" }, { gracePeriodSeconds: 0 });
  const resolvConf = join(containerd.directory, "resolv.conf");
  const domains = Array.from({ length: 40 }, (_, index) => `d${index}.example`);
  await writeFile(resolvConf, `nameserver 127.0.0.1\nsearch ${domains.join(" ")}\n`);
  const second = await startKubelet(containerd, connect, { resolvConf });
  await until("the node has an Event about its resolv.conf", async () => {
    const { items } = await client.list(events);
    return items.some(
      ({ reason, involvedObject }) =>
        reason === "CheckLimitsForResolvConf" && involvedObject.kind === "Node",
    );
  });
  await client.delete(
    pods,
    { name: "static-node-1", namespace: "default" },
    { gracePeriodSeconds: 0 },
  );
  await untilPod(client, "static-node-1", isRunning);
  const after = await untilPod(client, "kept", isRunning);
  assert.equal(containerID(after), containerID(kept));
  await client.delete(pods, { name: "kept", namespace: "default" });
  await untilPod(client, "kept", (pod) => pod === undefined);
  await second.stop();
});
