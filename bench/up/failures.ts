import { existsSync } from "node:fs";
import { type Deployment, deployments } from "#/api/apps/v1.ts";
import { type Container, pods } from "#/api/core/v1.ts";
import { systemClock as clock } from "#/std/time/clock.ts";
import { type BenchCluster, image } from "./bench-cluster.ts";

const namespace = "default";
const name = "load";
const lookMs = 50;
const waitLimitMs = 120_000;

function loadOf(replicas: number): Deployment {
  const labels = { app: name };
  const containers: Container[] = [{ name: "main", image, imagePullPolicy: "Never" }];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers },
      },
    },
  };
}

/** Container ids of the Pods that are Ready, by name. */
async function readyContainers({ client }: BenchCluster): Promise<Map<string, string>> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${name}` });
  return new Map(
    items.flatMap(({ metadata, status }) => {
      const [container] = status?.containerStatuses ?? [];
      const id = container?.ready ? container.containerID : undefined;
      return id ? [[metadata?.name ?? "", id]] : [];
    }),
  );
}

async function untilReady(cluster: BenchCluster, count: number): Promise<Map<string, string>> {
  const deadline = clock.monotonicMs() + waitLimitMs;
  for (;;) {
    // While the server is stopped, the state is unknown.
    const found = await readyContainers(cluster).catch(() => new Map<string, string>());
    if (found.size === count) return found;
    if (clock.monotonicMs() > deadline) throw new Error(`${found.size} of ${count} Pods are Ready`);
    await clock.sleep(lookMs);
  }
}

/** Kills both processes while Pods are being added, and waits for all of them. */
export async function killUnderLoad(
  cluster: BenchCluster,
  count: number,
): Promise<{ readonly secondsToConverge: number; readonly containersKept: boolean }> {
  const half = Math.floor(count / 2);
  await cluster.client.create(deployments, loadOf(half));
  const before = await untilReady(cluster, half);
  const more = { spec: { replicas: count } };
  await cluster.client.patch(deployments, { namespace, name }, more, { type: "merge" });
  for (const program of ["server", "agent"]) process.kill(await cluster.pidOf(program), "SIGKILL");
  const began = clock.monotonicMs();
  const after = await untilReady(cluster, count);
  return {
    secondsToConverge: (clock.monotonicMs() - began) / 1000,
    containersKept: [...before].every(([pod, id]) => after.get(pod) === id),
  };
}

/** How long the agent takes to stop; its supervisor starts it again. */
export async function stopAgent(cluster: BenchCluster): Promise<number> {
  const pid = await cluster.pidOf("agent");
  const began = clock.monotonicMs();
  process.kill(pid, "SIGTERM");
  while (existsSync(`/proc/${pid}`)) {
    if (clock.monotonicMs() > began + waitLimitMs) throw new Error("the agent does not end");
    await clock.sleep(lookMs);
  }
  return (clock.monotonicMs() - began) / 1000;
}
