/** Upstream: k8s.io/component-base/metrics/api/v1/validation.go, k8s.io/component-base/metrics/opts.go. */
import { readFileSync } from "node:fs";
import { FlagError } from "./flags.ts";
import { goQuote } from "./go-quote.ts";
import { parseYaml } from "./yaml.ts";

/** What of a component's metrics is shown. */
export interface MetricRules {
  /** Names of those that aren't. */
  readonly disabled: ReadonlySet<string>;
  /** By `metric,label`, the values that are shown as they are. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The flags that every component has for its metrics. */
export interface MetricFlags {
  readonly "allow-metric-labels": Readonly<Record<string, string>>;
  readonly "allow-metric-labels-manifest": string;
  readonly "disabled-metrics": readonly string[];
  readonly "show-hidden-metrics-for-version": string;
}

/** The version before this one: metrics that were deprecated in it can be shown once more. We have none of these. */
const previousVersion = "1.36";

/** Reads the flags. Throws FlagError. */
export function metricRules(flags: MetricFlags): MetricRules {
  const hidden = flags["show-hidden-metrics-for-version"];
  if (hidden !== "" && hidden !== previousVersion) {
    throw new FlagError(
      `metrics.showHiddenMetricsForVersion: Invalid value: ${goQuote(hidden)}: must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`,
    );
  }
  const given = flags["allow-metric-labels"];
  const lists = { ...manifest(flags["allow-metric-labels-manifest"]), ...given };
  for (const key of Object.keys(lists)) {
    if (/^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/.test(key)) continue;
    throw new FlagError(
      `metrics.allowListMapping: Invalid value: ${JSON.stringify(given)}: must have keys with format \`metricName,labelName\` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"`,
    );
  }
  return {
    disabled: new Set(flags["disabled-metrics"]),
    allowed: new Map(
      Object.entries(lists).map(([key, values]) => [key, new Set(values.split(","))]),
    ),
  };
}

function manifest(file: string): Record<string, string> {
  if (file === "") return {};
  try {
    return parseYaml(readFileSync(file, "utf8")) as Record<string, string>;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isMissing ? `open ${file}: no such file or directory` : (error as Error).message;
    throw new FlagError(
      `metrics.allowListMappingManifest: Invalid value: ${goQuote(file)}: failed to read allow list manifest: ${reason}`,
    );
  }
}
