/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/top/top.go. */
import { nodes, pods } from "#/api/metrics/v1.ts";
import { nodes as betaNodes, pods as betaPods } from "#/api/metrics/v1beta1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { selectorFlag } from "../../command/shared-flags.ts";

const versions = { v1: { nodes, pods }, v1beta1: { nodes: betaNodes, pods: betaPods } };

/** Flags of both commands. */
export const topFlags = {
  ...selectorFlag,
  "sort-by": {
    type: "string",
    help: "Sort by this column, the highest value first: 'cpu' or 'memory'",
  },
  "no-headers": { type: "bool", help: "Print the table without its first line" },
  "use-protocol-buffers": {
    type: "bool",
    default: true,
    help:
      "Accepted for scripts that use it. Metrics are read in the encoding that the server " +
      "sends",
  },
  "show-swap": { type: "bool", help: "Show the use of swap, too" },
} satisfies FlagSet;

/** Rejects invalid sort keys. */
export function requireSortBy(sortBy: string): void {
  if (sortBy === "" || sortBy === "cpu" || sortBy === "memory") return;
  throw new CommandError("--sort-by accepts only cpu or memory");
}

/** The resources of the metrics API, in the server's preferred version of those that kubectl supports. */
export async function metricsApi(context: Context): Promise<(typeof versions)["v1"]> {
  const groups = await (await context.cluster.discovery()).ask();
  const offered = groups.find(({ group }) => group === nodes.group)?.versions ?? [];
  const known = offered.find(({ version, stale }) => !stale && Object.hasOwn(versions, version));
  if (!known) throw new CommandError("Metrics API not available");
  return versions[known.version as keyof typeof versions];
}
