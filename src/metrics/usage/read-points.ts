/** Upstream: sigs.k8s.io/metrics-server, pkg/scraper/client/resource/decode.go. */
import type { NodePoints, Point } from "./point.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timeMs: number | undefined;
}

/** A point whose samples are still being read. */
interface Draft {
  startMs: number;
  timeMs: number;
  cpuNanos: number;
  memoryBytes: number;
}

/** How the samples of a metric change a draft. */
const changes: Readonly<Record<string, (draft: Draft, value: number, timeMs: number) => void>> = {
  cpu_usage_seconds_total: (draft, value, timeMs) => {
    draft.cpuNanos = Math.trunc(value * 1e9);
    draft.timeMs = timeMs;
  },
  memory_working_set_bytes: (draft, value, timeMs) => {
    draft.memoryBytes = Math.trunc(value);
    draft.timeMs = timeMs;
  },
  start_time_seconds: (draft, value) => {
    draft.startMs = value * 1000;
  },
};

/**
 * Reads a kubelet's /metrics/resource; samples without a time are of the time of the request. Throws if the text is
 * malformed.
 */
export function readPoints(text: string, requestMs: number): NodePoints {
  const node = newDraft();
  const pods = new Map<string, Map<string, Draft>>();
  for (const line of text.split("\n")) {
    const isNode = line.startsWith("node_");
    if (!isNode && !line.startsWith("container_")) continue;
    const { name, labels, value, timeMs = requestMs } = readSample(line);
    const change = changes[name.slice(name.indexOf("_") + 1)];
    if (!change || !Number.isFinite(value) || value < 0) continue;
    change(isNode ? node : draftOf(pods, labels), value, timeMs);
  }
  return {
    node: isWhole(node) ? node : undefined,
    pods: new Map([...pods].filter(([, containers]) => [...containers.values()].every(isWhole))),
  };
}

const newDraft = (): Draft => ({ startMs: -Infinity, timeMs: 0, cpuNanos: 0, memoryBytes: 0 });

function draftOf(pods: Map<string, Map<string, Draft>>, labels: Sample["labels"]): Draft {
  const key = `${labels["namespace"] ?? ""}/${labels["pod"] ?? ""}`;
  const containers = pods.get(key) ?? new Map<string, Draft>();
  pods.set(key, containers);
  const container = labels["container"] ?? "";
  const draft = containers.get(container) ?? newDraft();
  containers.set(container, draft);
  return draft;
}

/** A Pod with a container of which a part is missing has no metrics: a sum would be too low. */
const isWhole = ({ cpuNanos, memoryBytes }: Point): boolean => cpuNanos > 0 && memoryBytes > 0;

const sampleSyntax =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)(?:\s+(-?\d+))?\s*$/;
const labelSyntax = /([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

/** Reads a line of Prometheus' text format. */
function readSample(line: string): Sample {
  const [, name, labels = "", value = "", time] = sampleSyntax.exec(line) ?? [];
  const number = Number(value.replace(/^([+-]?)Inf$/, "$1Infinity"));
  if (name === undefined || (Number.isNaN(number) && value !== "NaN")) {
    throw new Error(`failed parsing metrics: invalid line ${JSON.stringify(line.slice(0, 200))}`);
  }
  const pairs = [...labels.matchAll(labelSyntax)].map(([, key = "", text = ""]) => [
    key,
    text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character)),
  ]);
  return {
    name,
    labels: Object.fromEntries(pairs),
    value: number,
    timeMs: time === undefined ? undefined : Number(time),
  };
}
