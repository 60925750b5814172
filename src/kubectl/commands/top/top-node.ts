/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/top/top_node.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { NodeMetrics } from "#/api/metrics/v1.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { quantityOf } from "#/machinery/values/quantity.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { metricsApi, requireSortBy, topFlags } from "./metrics-api.ts";
import {
  type Amounts,
  type Measured,
  measuredResources,
  sortedByUsage,
  unknownCells,
  usageCells,
  usageLine,
} from "./usage.ts";

const flags = {
  ...topFlags,
  "show-capacity": {
    type: "bool",
    help:
      "Print percentages of the Capacity of nodes, instead of their Allocatable (the " + "default)",
  },
} satisfies FlagSet;

type TopNodeFlags = Invocation<typeof flags>["flags"];

const usage = "node [NAME | -l label]";

/** `kubectl top node`. */
export const topNode = command({
  usage,
  aliases: ["nodes", "no"],
  flags,
  completes: { of: "names", type: "nodes", once: true },
  async run({ flags, args }, context) {
    if (args.length > 1) throw usageError(context, usage);
    const [name = ""] = args;
    requireSortBy(flags["sort-by"]);
    if (name !== "" && flags.selector !== "") {
      throw new CommandError("only one of NAME or --selector can be provided");
    }
    const labelSelector =
      flags.selector === "" ? undefined : parseSelector(flags.selector).toString();
    const metrics = await readMetrics(name, labelSelector, context);
    if (metrics.length === 0) throw new CommandError("metrics not available yet");
    const client = await context.cluster.client();
    const found =
      name === ""
        ? (await client.list(nodes, { labelSelector })).items
        : [await client.get(nodes, { name })];
    printNodes(metrics, found, flags, context);
  },
});

async function readMetrics(
  name: string,
  labelSelector: string | undefined,
  context: Context,
): Promise<readonly NodeMetrics[]> {
  const api = await metricsApi(context);
  const client = await context.cluster.client();
  if (name !== "") return [await client.get(api.nodes, { name })];
  return (await client.list(api.nodes, { labelSelector })).items;
}

function printNodes(
  metrics: readonly NodeMetrics[],
  found: readonly Node[],
  flags: TopNodeFlags,
  context: Context,
): void {
  const resources = measuredResources(flags["show-swap"]);
  const available = new Map(
    found.map((node) => [node.metadata?.name ?? "", availableOf(node, flags["show-capacity"])]),
  );
  const table = new TabWriter((text) => context.out.write(text));
  if (!flags["no-headers"]) table.write(usageLine(["NAME", ...resources.flatMap(columns)]));
  const name = ({ metadata }: NodeMetrics): string => metadata?.name ?? "";
  const usageOf = (each: NodeMetrics): Amounts | undefined => each.usage;
  for (const each of sortedByUsage(metrics, flags["sort-by"], { usage: usageOf, name })) {
    const whole = available.get(name(each));
    available.delete(name(each));
    const cells = resources.flatMap((resource) =>
      resource === "swap" && whole && whole["swap"] === undefined
        ? unknownCells
        : usageCells(resource, each.usage, whole),
    );
    table.write(usageLine([name(each), ...cells]));
  }
  for (const missing of available.keys()) {
    table.write(usageLine([missing, ...resources.flatMap(() => unknownCells)]));
  }
  table.flush();
}

function columns(resource: Measured): string[] {
  const title = resource.toUpperCase();
  return [`${title}(${resource === "cpu" ? "cores" : "bytes"})`, `${title}(%)`];
}

/** A node's capacity of each resource; swap is in another field than the others. */
function availableOf({ status = {} }: Node, capacity: boolean): Amounts {
  const amounts = (capacity ? status.capacity : status.allocatable) ?? {};
  const swap = status.nodeInfo?.swap?.capacity;
  return swap === undefined ? amounts : { ...amounts, swap: quantityOf(swap).toString() };
}
