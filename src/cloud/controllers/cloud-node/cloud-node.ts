/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import { patchObject } from "../../base/patch-object.ts";
import type { InstanceMetadata, Instances } from "../../base/provider.ts";
import { cloudNodeMetrics } from "./cloud-node-metrics.ts";
import { planAddresses } from "./node-addresses.ts";
import { awaitsCloud, planInitializedNode, planLabelPairs } from "./plan-node.ts";

type Context = ControllerContext<CloudOptions>;
type Metrics = ReturnType<typeof cloudNodeMetrics>;

const name = "cloud-node-controller";
/** Limit of attempts to write a node that others write too, and the delay (ms) between them; upstream's. */
const maxAttempts = 20;
const conflictMs = 50;

/** Describes new nodes with what the cloud knows, and keeps their addresses and labels. */
export const cloudNodeController: Controller<CloudOptions> = {
  name,
  async run(context) {
    const { instances } = context.options.provider;
    if (!instances) {
      context.log.info("skipped: cloud provider does not support instances");
      return;
    }
    const metrics = cloudNodeMetrics(context.metrics);
    await Promise.all([
      initializer(instances, metrics).run(context),
      addressKeeper(instances).run(context),
    ]);
  },
};

function initializer(instances: Instances, metrics: Metrics): Controller<CloudOptions> {
  return controller<Node, CloudOptions>({
    name,
    for: nodes,
    queue: "Nodes",
    workers: ({ flags }) => flags["concurrent-node-syncs"],
    predicate: (now) => now !== undefined,
    async reconcile(node, context) {
      if (awaitsCloud(node)) await initialize(node, instances, metrics, context);
      else await keepLabelPairs(node, context);
    },
  });
}

async function keepLabelPairs(node: Node, { client }: Context): Promise<void> {
  const labels = planLabelPairs(node);
  if (Object.keys(labels).length === 0) return;
  const { name: of = "" } = node.metadata;
  await client.patch(nodes, { name: of }, { metadata: { labels } }, { type: "strategic" });
}

async function initialize(
  node: Node,
  instances: Instances,
  metrics: Metrics,
  context: Context,
): Promise<void> {
  const { recorder, log, clock } = context;
  const { name: of = "", creationTimestamp } = node.metadata;
  const ageSeconds = () => (clock.now() - parseTime(creationTimestamp ?? "")) / 1000;
  log.info("initializing node with cloud provider", { node: of });
  const found = await metadataOf(node, instances, context);
  const written = await writeInitialized(node, found, context);
  metrics.taintRemovalSeconds.observe(ageSeconds());
  await writeAddresses(written, found, context);
  recorder.event(node, "Normal", "Synced", "Node synced successfully");
  metrics.initialSyncSeconds.observe(ageSeconds());
}

async function metadataOf(
  node: Node,
  instances: Instances,
  { signal }: Context,
): Promise<InstanceMetadata> {
  const { name: of = "" } = node.metadata;
  try {
    const found = await instances.metadata(node, signal);
    if (found.providerId === "" && !node.spec?.providerID) {
      throw new Error(`cloud provider does not set node provider ID for node ${of}`);
    }
    return found;
  } catch (error) {
    const text = `failed to get instance metadata for node ${of}: ${asError(error).message}`;
    throw new Error(text, { cause: error });
  }
}

/** Kubelets write their Nodes often: conflicts are retried on the current state. */
async function writeInitialized(
  node: Node,
  found: InstanceMetadata,
  { client, informers, clock, signal }: Context,
): Promise<Node> {
  const { name: of = "" } = node.metadata;
  for (let attempt = 1; ; attempt++) {
    const current = informers.informer(nodes).store.getByKey(of) ?? node;
    try {
      return await client.update(nodes, planInitializedNode(current, found));
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      await clock.sleep(conflictMs, signal);
    }
  }
}

async function writeAddresses(
  node: Node,
  found: InstanceMetadata,
  { client, log }: Context,
): Promise<void> {
  try {
    const addresses = planAddresses(node, found.addresses);
    if (!addresses) return;
    const to = { ...node, status: { ...node.status, addresses: [...addresses] } };
    await patchObject(client, nodes, { from: node, to }, { subresource: "status" });
  } catch (error) {
    log.error(error, "failed to update node addresses", { node: node.metadata.name });
  }
}

/** Asks the cloud for the addresses of all nodes at an interval. */
function addressKeeper(instances: Instances): Controller<CloudOptions> {
  return periodic<CloudOptions>({
    name,
    reads: [nodes],
    everyMs: ({ flags }) => flags["node-status-update-frequency"],
    async run(context) {
      const { informers, log, options, signal } = context;
      const { flags } = options;
      const limit = flags["concurrent-node-status-updates"] || flags["concurrent-node-syncs"];
      const known = informers.informer(nodes).store.list();
      const work = async (node: Node): Promise<void> => {
        if (awaitsCloud(node)) return;
        await writeAddresses(node, await instances.metadata(node, signal), context);
      };
      await forEachParallel(known, limit, work, (error, { metadata }) =>
        log.error(error, "failed to get instance metadata for node addresses", {
          node: metadata.name,
        }),
      );
    },
  });
}
