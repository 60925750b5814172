import { type Container, nodes, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { type Cri, connectRuntime } from "#/kubelet/cri/runtime-service.ts";
import { systemClock as clock } from "#/std/time/clock.ts";
import { type BenchCluster, image } from "./bench-cluster.ts";

const namespace = "default";
/** Delay for the kernel to remove a Pod's resources, before the next one starts (ms). */
const quietMs = 300;
const lookMs = 50;

/** A Pod of the benchmark's image. */
export function benchPod(name: string, spec: Partial<PodSpec> = {}): Pod {
  const containers: Container[] = [{ name: "main", image, imagePullPolicy: "Never" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
  };
}

/** Waits until a Pod matches a condition. */
export async function untilPod(
  client: Client,
  name: string,
  holds: (pod: Pod) => boolean,
): Promise<void> {
  const options = { namespace, fieldSelector: `metadata.name=${name}` };
  for await (const { object } of client.watch(pods, options)) if (holds(object)) return;
  throw new Error(`the watch of pod ${name} ended`);
}

const hasCondition = ({ status }: Pod, type: string): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === "True") ?? false;

/** A Pod that is Ready, and one that has resolved a name. */
export async function firstPod({ client }: BenchCluster): Promise<void> {
  const script = "until nslookup kubernetes.default.svc.cluster.local; do sleep 0.05; done";
  const lookup = benchPod("lookup", {
    restartPolicy: "Never",
    containers: [
      { name: "main", image, imagePullPolicy: "Never", command: ["/bin/sh", "-c", script] },
    ],
  });
  const done = Promise.all([
    untilPod(client, "web", (pod) => hasCondition(pod, "Ready")),
    untilPod(client, "lookup", ({ status }) => status?.phase === "Succeeded"),
  ]);
  await client.create(pods, benchPod("web"));
  await client.create(pods, lookup);
  await done;
  await client.delete(pods, { namespace, name: "lookup" });
}

/** One Pod through the kubelet, from its binding on, and the same by bare calls to the runtime. */
export async function podStart(
  cluster: BenchCluster,
  index: number,
): Promise<{ readonly bareMs: number; readonly wholeMs: number }> {
  const { client, runtimeEndpoint, folder } = cluster;
  using cri = connectRuntime(runtimeEndpoint);
  const bareMs = await bareCalls(cri, folder, `bare-${index}`);
  const [node] = (await client.list(nodes)).items;
  const name = `pod-${index}`;
  const running = untilPod(client, name, ({ status }) => status?.phase === "Running");
  // The watch has its connection by then, too.
  await clock.sleep(quietMs);
  const began = clock.monotonicMs();
  await client.create(pods, benchPod(name, { nodeName: node?.metadata?.name ?? "" }));
  await running;
  const wholeMs = clock.monotonicMs() - began;
  await client.delete(pods, { namespace, name });
  await untilStopped(cri, name);
  await clock.sleep(quietMs);
  return { bareMs, wholeMs };
}

/** Waits until all processes of a Pod have ended: they have two seconds after it is removed from the API. */
async function untilStopped({ runtime }: Cri, name: string): Promise<void> {
  const filter = { labelSelector: { "io.kubernetes.pod.name": name } };
  for (;;) {
    const { items } = await runtime.ListPodSandbox({ filter });
    if (items.every(({ state }) => state !== "SANDBOX_READY")) return;
    await clock.sleep(lookMs);
  }
}

/** Creates a sandbox with a network, and creates and starts a container, and no more. */
async function bareCalls({ runtime }: Cri, folder: string, name: string): Promise<number> {
  const sandboxConfig = {
    metadata: { name, uid: name, namespace: "bench" },
    hostname: name,
    logDirectory: `${folder}/log/pods/${name}`,
    linux: {
      securityContext: {
        namespaceOptions: { network: "POD", pid: "CONTAINER" },
        // Every kubelet sets it for a sandbox.
        seccomp: { profileType: "RuntimeDefault" },
      },
    },
  } as const;
  // The kubelet has its connection, too.
  await runtime.Version({});
  const began = clock.monotonicMs();
  const { podSandboxId } = await runtime.RunPodSandbox({ config: sandboxConfig });
  const config = { metadata: { name: "main" }, image: { image }, logPath: "0.log", linux: {} };
  await runtime.StartContainer(
    await runtime.CreateContainer({ podSandboxId, config, sandboxConfig }),
  );
  const bareMs = clock.monotonicMs() - began;
  await runtime.StopPodSandbox({ podSandboxId });
  await runtime.RemovePodSandbox({ podSandboxId });
  return bareMs;
}
