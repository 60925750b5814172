/**
 * How long a pod takes from its binding to its report as running, compared to the bare calls to the runtime,
 * on the same containerd (Debian's), one pod after another. Needs root.
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
/** Delay until the last pod is removed before the next one starts (ms). */
const quietMs = 300;

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startMs;
}

/** Creates a sandbox, and creates and starts a container, and no more. */
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

/** Binds a pod, and waits until the API server reports that it runs. */
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
// In turn, so that other load of the machine slows down both.
for (let index = 0; index < count + warmUps; index++) {
  bare.push(await bareCalls(cri, containerd, index));
  whole.push(await throughKubelet(client, containerd.image, index));
}
await kubelet.stop();
const [a, b] = [bare, whole].map((times) => median(times.slice(warmUps))) as [number, number];
process.stdout.write(
  `bare CRI calls ${a.toFixed(0)} ms, bound to Running ${b.toFixed(0)} ms, ratio ${(b / a).toFixed(2)}\n`,
);
