/**
 * How long a pod takes from being bound to being reported as running, beside the bare calls to the runtime that it
 * takes, on the same containerd (Debian's), one pod after another. Needs root.
 *
 *     node bench/kubelet.ts [PODS]
 */
import { join } from "node:path";
import { namespaces, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { type Cri, connectRuntime } from "#/kubelet/cri/runtime-service.ts";
import { configureLogging } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { startContainerd, type TestContainerd } from "#/testing/start-containerd.ts";
import { startKubelet, testNodeName } from "#/testing/start-kubelet.ts";

const count = Number(process.argv[2] ?? 20);
const warmUps = 3;
/** For the last pod to go before the next one comes. */
const quietMs = 300;

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startMs;
}

/** A sandbox, a container made and started, and no more. */
async function bareCalls(
  { runtime }: Cri,
  { image, directory }: TestContainerd,
  index: number,
): Promise<number> {
  const sandboxConfig = {
    metadata: { name: `bare-${index}`, uid: `bare-${index}`, namespace: "bench" },
    logDirectory: join(directory, "bare"),
    linux: { securityContext: { namespaceOptions: { network: "NODE", pid: "CONTAINER" } } },
  } as const;
  let podSandboxId = "";
  const ms = await timed(async () => {
    ({ podSandboxId } = await runtime.RunPodSandbox({ config: sandboxConfig }));
    const config = { metadata: { name: "main" }, image: { image }, logPath: "0.log", linux: {} };
    const made = await runtime.CreateContainer({ podSandboxId, config, sandboxConfig });
    await runtime.StartContainer(made);
  });
  await runtime.StopPodSandbox({ podSandboxId });
  await runtime.RemovePodSandbox({ podSandboxId });
  return ms;
}

/** A bound pod, until the API server says that it runs. */
async function throughKubelet(client: Client, image: string, index: number): Promise<number> {
  const ref = { name: `pod-${index}`, namespace: "default" };
  const ms = await timed(async () => {
    const running = untilRunning(client, ref.name);
    await client.create(pods, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: ref,
      spec: {
        nodeName: testNodeName,
        hostNetwork: true,
        dnsPolicy: "Default",
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [{ name: "main", image }],
      },
    });
    await running;
  });
  await client.delete(pods, ref);
  await systemClock.sleep(quietMs);
  return ms;
}

async function untilRunning(client: Client, name: string): Promise<void> {
  const options = { namespace: "default", fieldSelector: `metadata.name=${name}` };
  for await (const { object } of client.watch(pods, options)) {
    if (object.status?.phase === "Running") return;
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

configureLogging({ write: () => undefined });
await using containerd = await startContainerd();
await using api = await startApiServer();
const client = api.client();
for (const name of ["default", "kube-node-lease"]) {
  await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
}
const kubelet = await startKubelet(containerd, () => api.client().transport);
await systemClock.sleep(1_500);
using cri = connectRuntime(containerd.endpoint);
const bare: number[] = [];
const whole: number[] = [];
// In turn, so that whatever else the machine does slows down both.
for (let index = 0; index < count + warmUps; index++) {
  bare.push(await bareCalls(cri, containerd, index));
  whole.push(await throughKubelet(client, containerd.image, index));
}
await kubelet.stop();
const [a, b] = [bare, whole].map((times) => median(times.slice(warmUps))) as [number, number];
process.stdout.write(
  `bare CRI calls ${a.toFixed(0)} ms, bound to Running ${b.toFixed(0)} ms, ratio ${(b / a).toFixed(2)}\n`,
);
