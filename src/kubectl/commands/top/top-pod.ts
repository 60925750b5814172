/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/top/top_pod.go. */
import { type Pod, pods } from "#/api/core/v1.ts";
import type { PodMetrics } from "#/api/metrics/v1.ts";
import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { allNamespacesFlag, fieldSelectorFlag } from "../../command/shared-flags.ts";
import { metricsApi, requireSortBy, topFlags } from "./metrics-api.ts";
import { printPodUsage } from "./pod-usage.ts";

/** Age (ms) up to which a Pod may lack metrics. */
const metricsDelayMs = 2 * 60 * 1000;

const flags = {
  ...topFlags,
  ...fieldSelectorFlag,
  ...allNamespacesFlag(),
  containers: { type: "bool", help: "Show the use of each container of a Pod" },
  sum: { type: "bool", help: "Print the sum of all lines, too" },
} satisfies FlagSet;

type TopPodFlags = Invocation<typeof flags>["flags"];

const usage = "pod [NAME | -l label]";

/** `kubectl top pod`. */
export const topPod = command({
  usage,
  aliases: ["pods", "po"],
  flags,
  completes: { of: "names", type: "pods", once: true },
  async run({ flags, args }, context) {
    if (args.length > 1) throw usageError(context, usage);
    const [name = ""] = args;
    const { namespace } = await context.cluster.namespace();
    requireSortBy(flags["sort-by"]);
    if (name !== "" && (flags.selector !== "" || flags["field-selector"] !== "")) {
      throw new CommandError("only one of NAME or selector can be provided");
    }
    const search: Search = { ...selectorsOf(flags), name, namespace };
    const metrics = await findMetrics(search, flags["all-namespaces"], context);
    if (metrics.length === 0) {
      await explainAbsence(search, context);
      const place = flags["all-namespaces"] ? "" : ` in ${namespace} namespace.`;
      context.err.write(`No resources found${place}\n`);
      return;
    }
    printPodUsage(metrics, context.out, {
      containers: flags.containers,
      withNamespace: flags["all-namespaces"],
      noHeaders: flags["no-headers"],
      sortBy: flags["sort-by"],
      sum: flags.sum,
      withSwap: flags["show-swap"],
    });
  },
});

interface Search {
  readonly name: string;
  readonly namespace: string;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

function selectorsOf(flags: TopPodFlags): Pick<Search, "labelSelector" | "fieldSelector"> {
  const [labels, fields] = [flags.selector, flags["field-selector"]];
  return {
    labelSelector: labels === "" ? undefined : parseSelector(labels).toString(),
    fieldSelector: fields === "" ? undefined : parseFieldSelector(fields).toString(),
  };
}

async function findMetrics(
  search: Search,
  allNamespaces: boolean,
  context: Context,
): Promise<readonly PodMetrics[]> {
  const api = await metricsApi(context);
  const client = await context.cluster.client();
  const { name, labelSelector, fieldSelector } = search;
  const namespace = allNamespaces ? "" : search.namespace;
  if (name !== "") return [await client.get(api.pods, { name, namespace })];
  const { items } = await client.list(api.pods, { namespace, labelSelector });
  if (items.length === 0 || fieldSelector === undefined) return items;
  const selected = await client.list(pods, { namespace, labelSelector, fieldSelector });
  const keys = new Set(selected.items.map(keyOf));
  return items.filter((each) => keys.has(keyOf(each)));
}

function keyOf({ metadata }: Pick<Pod, "metadata">): string {
  return `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
}

/** Throws if there are Pods that have no metrics, or none yet. */
async function explainAbsence(
  { namespace, labelSelector, fieldSelector }: Search,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const { items } = await client.list(pods, { namespace, labelSelector, fieldSelector });
  for (const { metadata } of items) {
    const ageMs = context.clock.now() - parseTime(metadata?.creationTimestamp ?? "");
    if (ageMs <= metricsDelayMs) continue;
    throw new CommandError(
      `Metrics not available for pod ${keyOf({ metadata })}, age: ${formatDuration(ageMs)}`,
    );
  }
  if (items.length > 0) throw new CommandError("metrics not available yet");
}
