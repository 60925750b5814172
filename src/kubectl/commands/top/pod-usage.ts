/** Upstream: staging/src/k8s.io/kubectl/pkg/metricsutil/metrics_printer.go. */
import type { PodMetrics } from "#/api/metrics/v1.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import {
  type Amounts,
  type Measured,
  measuredResources,
  sortedByUsage,
  sumOf,
  usageCells,
  usageLine,
} from "./usage.ts";

interface PodUsageOptions {
  readonly containers: boolean;
  readonly withNamespace: boolean;
  readonly noHeaders: boolean;
  /** "cpu" or "memory"; "" to sort by name. */
  readonly sortBy: string;
  readonly sum: boolean;
  readonly withSwap: boolean;
}

/** Prints a table of the usage of Pods or their containers. */
export function printPodUsage(
  metrics: readonly PodMetrics[],
  out: { write(text: string): void },
  options: PodUsageOptions,
): void {
  const { containers, withNamespace, noHeaders } = options;
  const resources = measuredResources(options.withSwap);
  const table = new TabWriter((text) => out.write(text));
  const leading = [...(withNamespace ? ["NAMESPACE"] : []), ...(containers ? ["POD"] : [])];
  const columns = [
    "NAME",
    ...resources.map((each) => `${each.toUpperCase()}(${each === "cpu" ? "cores" : "bytes"})`),
  ];
  if (!noHeaders) table.write(usageLine([...leading, ...columns]));
  for (const pod of sortedPods(metrics, options)) {
    for (const cells of rowsOf(pod, resources, options)) table.write(usageLine(cells));
  }
  // Without headers, upstream doesn't count the leading columns.
  const width = columns.length + (noHeaders ? 0 : leading.length);
  if (options.sum) for (const line of sumLines(metrics, resources, width)) table.write(line);
  table.flush();
}

function sortedPods(
  metrics: readonly PodMetrics[],
  { sortBy, withNamespace }: PodUsageOptions,
): PodMetrics[] {
  return sortedByUsage(metrics, sortBy, {
    usage: podUsage,
    // The separator sorts before all characters of names.
    name: ({ metadata }) =>
      `${withNamespace ? (metadata?.namespace ?? "") : ""}\0${metadata?.name ?? ""}`,
  });
}

function podUsage({ containers = [] }: PodMetrics): Amounts {
  return sumOf(containers.map(({ usage }) => usage));
}

function* rowsOf(
  pod: PodMetrics,
  resources: readonly Measured[],
  { containers, withNamespace, sortBy }: PodUsageOptions,
): Generator<string[]> {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const place = withNamespace ? [namespace] : [];
  const cellsOf = (usage: Amounts | undefined): string[] =>
    resources.flatMap((resource) => usageCells(resource, usage, undefined));
  if (!containers) {
    yield [...place, name, ...cellsOf(podUsage(pod))];
    return;
  }
  const sorted = sortedByUsage(pod.containers ?? [], sortBy, {
    usage: (each): Amounts | undefined => each.usage,
    name: (each) => each.name ?? "",
  });
  for (const each of sorted) yield [...place, name, each.name ?? "", ...cellsOf(each.usage)];
}

/** A line below the columns of amounts, and the sums. */
function sumLines(
  metrics: readonly PodMetrics[],
  resources: readonly Measured[],
  width: number,
): string[] {
  const blank = (count: number): string[] => Array.from({ length: Math.max(0, count) }, () => "");
  const total = sumOf(metrics.map(podUsage));
  const sums = resources.flatMap((resource) => usageCells(resource, total, undefined));
  return [
    usageLine([...blank(width - 2), "________", "________"]),
    usageLine([...blank(width - 3), "", ...sums]),
  ];
}
