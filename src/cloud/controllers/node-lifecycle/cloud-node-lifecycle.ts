/** Upstream: staging/src/k8s.io/cloud-provider/controllers/nodelifecycle. */
import { type Node, nodes, type Taint } from "#/api/core/v1.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { sameTaint, withTaint } from "#/machinery/pods/taints.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { patchObject } from "../../base/patch-object.ts";
import { InstanceNotFoundError, type Instances } from "../../base/provider.ts";
import { lifecycleMetrics } from "./lifecycle-metrics.ts";

type Context = ControllerContext<CloudOptions>;
type Metrics = ReturnType<typeof lifecycleMetrics>;

const name = "cloud-node-lifecycle-controller";
const shutdownTaint: Taint = {
  key: "node.cloudprovider.kubernetes.io/shutdown",
  effect: "NoSchedule",
};

/** Deletes nodes whose instances were deleted, and taints those whose instances are shut down. */
export const cloudNodeLifecycleController: Controller<CloudOptions> = {
  name,
  async run(context) {
    const { instances } = context.options.provider;
    if (!instances) {
      context.log.info("skipped: cloud provider does not support instances");
      return;
    }
    const metrics = lifecycleMetrics(context.metrics);
    await monitor(instances, metrics).run(context);
  },
};

function monitor(instances: Instances, metrics: Metrics): Controller<CloudOptions> {
  return periodic<CloudOptions>({
    name,
    reads: [nodes],
    everyMs: ({ flags }) => flags["node-monitor-period"],
    async run(context) {
      const { informers, clock, options, log } = context;
      const startMs = clock.monotonicMs();
      await forEachParallel(
        informers.informer(nodes).store.list(),
        options.flags["concurrent-node-lifecycle-syncs"],
        (node) => check(node, instances, metrics, context),
        (error, { metadata }) =>
          log.error(error, "failed to check node in the cloud", { node: metadata.name }),
      );
      metrics.monitorSeconds.observe((clock.monotonicMs() - startMs) / 1000);
    },
  });
}

async function check(
  node: Node,
  instances: Instances,
  metrics: Metrics,
  context: Context,
): Promise<void> {
  const { client, signal } = context;
  const taints = node.spec?.taints ?? [];
  if (findCondition(node.status?.conditions, "Ready")?.status === "True") {
    const others = taints.filter((one) => !sameTaint(one, shutdownTaint));
    if (others.length < taints.length) await setTaints(node, others, client);
    return;
  }
  const exists = await counted("instance_exists", metrics, async () => {
    const found = await instances.exists(node, signal);
    return { found, result: found ? "success" : "instance_not_found" };
  });
  if (!exists) return await deleteNode(node, context);
  const isShutDown = await counted("instance_shutdown", metrics, async () => ({
    found: await instances.isShutDown(node, signal),
    result: "success",
  }));
  if (isShutDown) await setTaints(node, withTaint(taints, shutdownTaint), client);
}

async function setTaints(
  node: Node,
  taints: readonly Taint[],
  client: Context["client"],
): Promise<void> {
  const to = { ...node, spec: { ...node.spec, taints: [...taints] } };
  await patchObject(client, nodes, { from: node, to });
}

async function deleteNode(node: Node, { client, recorder, log }: Context): Promise<void> {
  const { name: of = "", uid } = node.metadata;
  log.v(2, "deleting node since it is no longer present in cloud provider", { node: of });
  const ref = { apiVersion: "v1", kind: nodes.kind, name: of, uid };
  const text = `Deleting node ${of} because it does not exist in the cloud provider`;
  recorder.event(ref, "Normal", "DeletingNode", text);
  try {
    await client.delete(nodes, { name: of });
  } catch (error) {
    const failure = `Failed deleting node ${of}: ${asError(error).message}`;
    recorder.event(ref, "Warning", "DeletingNodeFailed", failure);
    throw error;
  }
}

async function counted(
  operation: string,
  { calls }: Metrics,
  work: () => Promise<{ readonly found: boolean; readonly result: string }>,
): Promise<boolean> {
  try {
    const { found, result } = await work();
    calls.with({ operation, result }).inc();
    return found;
  } catch (error) {
    const isMissing = error instanceof InstanceNotFoundError;
    calls.with({ operation, result: isMissing ? "instance_not_found" : "error" }).inc();
    throw error;
  }
}
