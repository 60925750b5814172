/** Upstream: pkg/kubelet/metrics/metrics.go, pkg/kubelet/prober/prober_manager.go. */
import { Registry } from "#/std/metrics/metrics.ts";
import type { ProbeTarget } from "../probes/run-probe.ts";
import type { PodAccess } from "../state/pod-access.ts";
import type { ProbeKind, ProbeResult } from "../state/pod-services.ts";

const resultLabels: Readonly<Record<ProbeResult, string>> = {
  Success: "successful",
  Failure: "failed",
  Unknown: "unknown",
};

/** The kubelet's metrics, for /metrics and /metrics/probes. */
export class KubeletMetrics {
  readonly registry = new Registry();
  readonly probes = new Registry();
  readonly #probeResults;
  readonly #probeDurations;

  constructor(nodeName: string) {
    const labels = ["probe_type", "container", "pod", "namespace"] as const;
    this.#probeResults = this.probes.counter({
      name: "prober_probe_total",
      help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
      stability: "BETA",
      labels: [...labels, "result", "pod_uid"] as const,
    });
    this.#probeDurations = this.probes.histogram({
      name: "prober_probe_duration_seconds",
      help: "Duration in seconds for a probe response.",
      stability: "ALPHA",
      labels,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    this.registry
      .gauge({
        name: "kubelet_node_name",
        help: "The node's name. The count is always 1.",
        stability: "ALPHA",
        labels: ["node"] as const,
      })
      .with({ node: nodeName })
      .set(1);
  }

  /** Counts running pods and containers whenever metrics are read. */
  followPods(pods: Pick<PodAccess, "allObserved">): void {
    const runningPods = this.registry.gauge({
      name: "kubelet_running_pods",
      help: "Number of pods that have a running pod sandbox",
      stability: "ALPHA",
    });
    const containers = this.registry.gauge({
      name: "kubelet_running_containers",
      help: "Number of containers currently running",
      stability: "ALPHA",
      labels: ["container_state"] as const,
    });
    this.registry.beforeExpose(() => {
      const observed = pods.allObserved();
      const ready = observed.filter(({ sandboxes }) => sandboxes.some((one) => one.ready));
      runningPods.set(ready.length);
      for (const state of ["created", "running", "exited", "unknown"] as const) {
        const count = observed
          .flatMap((pod) => pod.containers)
          .filter((container) => container.state === state).length;
        containers.with({ container_state: state }).set(count);
      }
    });
  }

  /** Counts a finished probe. */
  readonly observeProbe = (
    kind: ProbeKind,
    { pod, container }: ProbeTarget,
    result: ProbeResult,
    seconds: number,
  ): void => {
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    const labels = { probe_type: kind, container: container.name, pod: name, namespace };
    this.#probeResults.with({ ...labels, result: resultLabels[result], pod_uid: uid }).inc();
    if (result !== "Failure") this.#probeDurations.with(labels).observe(seconds);
  };

  /** Removes the counts of a probe that has ended for good: each Pod would add to them for ever. */
  readonly forgetProbe = (
    kind: ProbeKind,
    { pod, container }: Pick<ProbeTarget, "pod" | "container">,
  ): void => {
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    const labels = { probe_type: kind, container: container.name, pod: name, namespace };
    for (const result of Object.values(resultLabels)) {
      this.#probeResults.remove({ ...labels, result, pod_uid: uid });
    }
    this.#probeDurations.remove(labels);
  };
}
