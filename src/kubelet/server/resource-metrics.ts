/** Upstream: pkg/kubelet/metrics/collectors/resource_metrics.go. */
import { parseTime } from "#/machinery/time/time.ts";
import type { CpuStats, MemoryStats, PodSummary, Summary } from "../stats/stats-summary.ts";

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  readonly timeMs?: number;
}

/** The text of /metrics/resource. */
export function resourceMetrics({ node, pods }: Summary): string {
  const containers = pods.flatMap(({ podRef, containers }) =>
    containers.map((container) => ({
      labels: { container: container.name, namespace: podRef.namespace, pod: podRef.name },
      container,
    })),
  );
  const podLabels = ({ podRef }: PodSummary) => ({ namespace: podRef.namespace, pod: podRef.name });
  return [
    family(
      "container_cpu_usage_seconds_total",
      "[STABLE] Cumulative cpu time consumed by the container in core-seconds",
      "counter",
      containers.map(({ labels, container }) => cpuSample(labels, container.cpu)),
    ),
    family(
      "container_memory_working_set_bytes",
      "[STABLE] Current working set of the container in bytes",
      "gauge",
      containers.map(({ labels, container }) => memorySample(labels, container.memory)),
    ),
    family(
      "container_start_time_seconds",
      "[STABLE] Start time of the container since unix epoch in seconds",
      "gauge",
      containers.map(({ labels, container }) => ({
        labels,
        value: parseTime(container.startTime) / 1000,
      })),
    ),
    family(
      "node_cpu_usage_seconds_total",
      "[STABLE] Cumulative cpu time consumed by the node in core-seconds",
      "counter",
      [cpuSample({}, node.cpu)],
    ),
    family(
      "node_memory_working_set_bytes",
      "[STABLE] Current working set of the node in bytes",
      "gauge",
      [memorySample({}, node.memory)],
    ),
    family(
      "pod_cpu_usage_seconds_total",
      "[STABLE] Cumulative cpu time consumed by the pod in core-seconds",
      "counter",
      pods.flatMap((pod) => (pod.cpu ? [cpuSample(podLabels(pod), pod.cpu)] : [])),
    ),
    family(
      "pod_memory_working_set_bytes",
      "[STABLE] Current working set of the pod in bytes",
      "gauge",
      pods.flatMap((pod) => (pod.memory ? [memorySample(podLabels(pod), pod.memory)] : [])),
    ),
    family(
      "resource_scrape_error",
      "[STABLE] 1 if there was an error while getting container metrics, 0 otherwise",
      "gauge",
      [{ labels: {}, value: 0 }],
    ),
  ].join("");
}

/** The text of /metrics/cadvisor: the metrics of containers that dashboards use. */
export function cadvisorMetrics(
  { pods }: Summary,
  machine: { readonly cores: number; readonly memoryBytes: number },
): string {
  const containers = pods.flatMap(({ podRef, containers }) =>
    containers.map((container) => ({
      labels: {
        container: container.name,
        id: "",
        image: "",
        name: "",
        namespace: podRef.namespace,
        pod: podRef.name,
      },
      container,
    })),
  );
  const memory = (name: string, help: string, pick: (stats: MemoryStats) => number) =>
    family(
      name,
      help,
      "gauge",
      containers.map(({ labels, container }) => ({ labels, value: pick(container.memory) })),
    );
  return [
    family(
      "container_cpu_usage_seconds_total",
      "Cumulative cpu time consumed in seconds.",
      "counter",
      containers.map(({ labels, container }) => ({
        labels: { ...labels, cpu: "total" },
        value: container.cpu.usageCoreNanoSeconds / 1e9,
      })),
    ),
    memory("container_memory_rss", "Size of RSS in bytes.", ({ rssBytes }) => rssBytes),
    memory(
      "container_memory_usage_bytes",
      "Current memory usage in bytes, including all memory regardless of when it was accessed",
      ({ usageBytes }) => usageBytes,
    ),
    memory(
      "container_memory_working_set_bytes",
      "Current working set in bytes.",
      ({ workingSetBytes }) => workingSetBytes,
    ),
    family("machine_cpu_cores", "Number of logical CPU cores.", "gauge", [
      { labels: {}, value: machine.cores },
    ]),
    family("machine_memory_bytes", "Amount of memory installed on the machine.", "gauge", [
      { labels: {}, value: machine.memoryBytes },
    ]),
  ].join("");
}

function cpuSample(labels: Labels, { usageCoreNanoSeconds, time }: CpuStats): Sample {
  return { labels, value: usageCoreNanoSeconds / 1e9, timeMs: parseTime(time) };
}

function memorySample(labels: Labels, { workingSetBytes, time }: MemoryStats): Sample {
  return { labels, value: workingSetBytes, timeMs: parseTime(time) };
}

function family(name: string, help: string, type: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(({ labels, value, timeMs }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
    const shown = pairs.length > 0 ? `{${pairs.join(",")}}` : "";
    return `${name}${shown} ${value}${timeMs === undefined ? "" : ` ${timeMs}`}`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
}
