/**
 * Upstream: staging/src/k8s.io/component-base/metrics/api/v1/config.go,
 * staging/src/k8s.io/component-base/metrics/opts.go.
 */
import { readFileSync } from "node:fs";
import { openFailure } from "../files/file-errors.ts";
import { FlagError } from "../flags/flags.ts";
import { goQuote } from "../go/go-quote.ts";
import { yaml } from "../text/yaml.ts";

/** Which metrics of a component are exposed. */
export interface MetricRules {
  /** Names of hidden metrics. */
  readonly disabled: ReadonlySet<string>;
  /** By `metric,label`, the values that are exposed unchanged. */
  readonly allowed: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The flags that every component has for its metrics. */
export interface MetricFlags {
  readonly "allow-metric-labels": Readonly<Record<string, string>>;
  readonly "allow-metric-labels-manifest": string;
  readonly "disabled-metrics": readonly string[];
  readonly "show-hidden-metrics-for-version": string;
}

/** The previous version: metrics deprecated in it can be shown again. We have none of these. */
const previousVersion = "1.36";

const metricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const labelName = "[a-zA-Z_][a-zA-Z0-9_]*";
const isListKey = (key: string): boolean => new RegExp(`^${metricName},${labelName}$`).test(key);
const isMetricName = (name: string): boolean => new RegExp(`^${metricName}$`).test(name);

/** Parses the flags. Throws FlagError. */
export function metricRules(flags: MetricFlags): MetricRules {
  const hidden = flags["show-hidden-metrics-for-version"];
  if (hidden !== "" && hidden !== previousVersion) {
    const why = `must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`;
    throw refused("metrics.showHiddenMetricsForVersion", hidden, why);
  }
  const disabled = flags["disabled-metrics"];
  const misnamed = disabled.find((name) => !isMetricName(name));
  if (misnamed !== undefined) {
    const why = `must be fully qualified metric names matching "^${metricName}$", got ${goQuote(misnamed)}`;
    throw refused("metrics.disabledMetrics", disabled, why);
  }
  return {
    disabled: new Set(disabled),
    allowed: new Map(
      Object.entries(allowLists(flags)).map(([key, values]) => [key, new Set(values.split(","))]),
    ),
  };
}

function allowLists(flags: MetricFlags): Readonly<Record<string, string>> {
  const given = flags["allow-metric-labels"];
  const file = flags["allow-metric-labels-manifest"];
  const path = "metrics.allowListMapping";
  checkKeys(path, given);
  if (file === "") return given;
  const lists = readManifest(file, (why) => refused(`${path}Manifest`, file, why));
  if (Object.keys(given).length === 0) return lists;
  const both = { allowListMapping: given, allowListMappingManifest: file };
  const why = "cannot specify both allowListMapping and allowListMappingManifest";
  throw refused("metrics", both, why);
}

function checkKeys(path: string, lists: Readonly<Record<string, string>>): void {
  if (Object.keys(lists).every(isListKey)) return;
  const why = `must have keys with format \`metricName,labelName\` where metricName matches "${metricName}" and labelName matches "${labelName}"`;
  throw refused(path, lists, why);
}

const refused = (path: string, value: unknown, why: string): FlagError =>
  new FlagError(`${path}: Invalid value: ${JSON.stringify(value)}: ${why}`);

function readManifest(
  file: string,
  refuse: (why: string) => FlagError,
): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw refuse(`failed to read allow list manifest: ${openFailure(file, error)}`);
  }
  const lists = parseManifest(text, refuse);
  try {
    checkKeys("metrics.allowListMappingManifest", lists);
  } catch (error) {
    throw refuse(`invalid allow list mapping in manifest: [${(error as Error).message}]`);
  }
  return lists;
}

/** A mapping of text to text, or to other scalars, such as numbers. */
function parseManifest(
  text: string,
  refuse: (why: string) => FlagError,
): Readonly<Record<string, string>> {
  const wrong = (why: string): FlagError =>
    refuse(`failed to parse allow list manifest: yaml: ${why}`);
  const kind = (value: unknown): string => (Array.isArray(value) ? "!!seq" : "!!map");
  let found: unknown;
  try {
    found = yaml().parse(text, { schema: "failsafe" }) ?? {};
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (typeof found !== "object" || Array.isArray(found)) {
    const shown = typeof found === "string" ? `!!str \`${found}\`` : kind(found);
    throw wrong(`unmarshal errors: cannot unmarshal ${shown} into map[string]string`);
  }
  const lists = found as Record<string, string>;
  const other: unknown = Object.values(lists).find((value) => typeof value !== "string");
  if (other === undefined) return lists;
  throw wrong(`unmarshal errors: cannot unmarshal ${kind(other)} into string`);
}
