import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { events, namespaces, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import { Descriptor } from "#/kubelet/files/descriptor.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { containerdProblem, startContainerd } from "#/testing/start-containerd.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";
import { until } from "#/testing/until.ts";
import { hungMount, hungMountProblem } from "./hung-mount.ts";

const skip = containerdProblem() ?? hungMountProblem() ?? false;
/** More than Node has threads for files. */
const many = 6;

test("hostile Pods stop neither their kubelet nor its other Pods", { skip }, async () => {
  await using containerd = await startContainerd();
  await using api = await startApiServer();
  const client = api.client();
  for (const name of ["default", "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
  }
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
  const remove = (name: string) => client.delete(pods, { name, namespace: "default" });
  const find = (name: string) =>
    client.get(pods, { name, namespace: "default" }).catch(() => undefined);
  const untilPod = (name: string, matches: (pod: Pod | undefined) => boolean) =>
    until(`Pod ${name} matches`, async () => matches(await find(name)));
  const isRunning = (pod: Pod | undefined) => pod?.status?.phase === "Running";
  const isGone = (pod: Pod | undefined) => pod === undefined;
  const messageOf = (pod: Pod | undefined) =>
    pod?.status?.containerStatuses?.[0]?.state?.waiting?.message ?? "";
  const podFolder = ({ metadata }: Pod) =>
    join(containerd.directory, "kubelet", "pods", metadata.uid ?? "");
  const kubelet = await startKubelet(containerd, () => api.client().transport);
  const fileKeyRef = { volumeName: "v", path: "env", key: "A" };
  const emptyDir = [{ name: "v", emptyDir: {} }];

  // Pipes in place of env files.
  const readers = Array.from({ length: many }, (_, index) => `pipe-${index}`);
  for (const name of readers) {
    const pod = await create(name, {
      volumes: emptyDir,
      containers: [
        { name: "main", image: containerd.image, env: [{ name: "A", valueFrom: { fileKeyRef } }] },
      ],
    });
    const folder = join(podFolder(pod), "volumes/kubernetes.io~empty-dir/v");
    await until("the volume is there", () => existsSync(folder));
    execFileSync("mkfifo", [join(folder, "env")]);
  }
  for (const name of readers) {
    await untilPod(name, (pod) => messageOf(pod).includes("not a regular file"));
  }
  // Mounts that hang.
  using hung = new DisposableStack();
  for (let index = 0; index < many; index++) {
    const path = join(containerd.directory, `hung-${index}`);
    hung.use(hungMount(path));
    await create(`hung-${index}`, {
      volumes: [{ name: "v", hostPath: { path, type: "Directory" } }],
      containers: [
        {
          name: "main",
          image: containerd.image,
          volumeMounts: [{ name: "v", mountPath: "/v", subPath: "x" }],
        },
      ],
    });
  }
  // Their harmless twins run.
  const twin = await create("twin", {
    volumes: emptyDir,
    securityContext: { fsGroup: 1234 },
    containers: [
      {
        name: "main",
        image: containerd.image,
        volumeMounts: [{ name: "v", mountPath: "/v", subPath: "x/y" }],
        resources: { limits: { "ephemeral-storage": "5Mi" } },
      },
    ],
  });
  await untilPod("twin", isRunning);
  for (const name of readers) await remove(name);
  for (const name of readers) await untilPod(name, isGone);

  // A tree that is deeper than the limit of paths.
  const volume = join(podFolder(twin), "volumes/kubernetes.io~empty-dir/v");
  let here = Descriptor.open(volume);
  for (let level = 0; level < 50; level++) {
    const next = here.makeDirectory("d".repeat(250), 0o755);
    here[Symbol.dispose]();
    here = next;
  }
  here[Symbol.dispose]();
  await create("hosts", {
    containers: [
      {
        name: "main",
        image: containerd.image,
        resources: { limits: { "ephemeral-storage": "5Mi" } },
      },
    ],
  });
  await untilPod("hosts", isRunning);
  const hosts = join(podFolder((await find("hosts")) as Pod), "etc-hosts");
  truncateSync(hosts);
  writeFileSync(hosts, Buffer.alloc(10 << 20, "x"));
  await untilPod("hosts", (pod) => pod?.status?.reason === "Evicted");
  assert.equal(isRunning(await find("twin")), true);
  await remove("twin");
  await untilPod("twin", isGone);
  assert.equal(existsSync(podFolder(twin)), false);

  await until("a mount that hangs is reported", async () => {
    const { items } = await client.list(events);
    return items.some(
      ({ reason, message = "" }) =>
        reason === "FailedMount" && message.includes("does not respond"),
    );
  });
  hung.dispose();
  for (let index = 0; index < many; index++) await remove(`hung-${index}`);
  for (let index = 0; index < many; index++) await untilPod(`hung-${index}`, isGone);
  await kubelet.stop();
});
