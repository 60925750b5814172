import type { Pod } from "#/api/core/v1.ts";
import { type Labels, SelectorError } from "#/machinery/meta/labels.ts";
import { hasPodLevel, podRequests } from "#/machinery/pods/pod-resources.ts";
import { milliQuantity, type Quantity, quantityOf } from "#/machinery/values/quantity.ts";
import {
  type AffinityTerm,
  compileTerms,
  compileWeightedTerms,
  type WeightedAffinityTerm,
} from "./affinity-term.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { internLabels } from "./label-sets.ts";
import { type Resources, toResources } from "./resources.ts";

/** A pod with what scheduling asks of it again and again, worked out once. Never changes. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Shared with all pods that have the same. */
  readonly labels: Labels;
  readonly priority: number;
  readonly terminating: boolean;
  readonly requests: Resources;
  /** What scores count: containers that ask for nothing count as if they asked for a little. */
  readonly nonZeroMilliCPU: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly affinity: PodAffinityTerms;
}

/** The terms of a pod towards other pods; problem says why they make no sense. */
interface PodAffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
  readonly problem?: string;
}

const noTerms: PodAffinityTerms = {
  required: [],
  requiredAnti: [],
  preferred: [],
  preferredAnti: [],
};

/** What a container that names no request counts for in scores: 0.1 core and 200 MiB. */
const defaultRequests: ReadonlyMap<string, Quantity> = new Map([
  ["cpu", milliQuantity(100)],
  ["memory", quantityOf(200 * 1024 * 1024)],
]);

/** Namespace and name, as logs and maps have them. */
export const podKey = ({ metadata }: Pick<Pod, "metadata">): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/**
 * Works out what scheduling needs to know of a pod.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/types.go.
 */
export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const list = podRequests(pod, { useStatus: true, usePodLevelStatus: true });
  const requests = toResources(list);
  const nonZero = nonZeroRequests(pod, list);
  const namespace = metadata.namespace ?? "";
  return {
    pod,
    uid: metadata.uid ?? "",
    namespace,
    name: metadata.name ?? "",
    labels: internLabels(metadata.labels),
    priority: spec.priority ?? 0,
    terminating: metadata.deletionTimestamp !== undefined,
    requests,
    nonZeroMilliCPU: nonZero.milliCPU,
    nonZeroMemory: nonZero.memory,
    hostPorts: hostPortsOf(pod),
    affinity: affinityTermsOf(pod, namespace),
  };
}

/** Whether a pod has a say on where it is towards other pods. */
export function hasAffinity({ affinity }: PodInfo): boolean {
  const { required, requiredAnti, preferred, preferredAnti } = affinity;
  return required.length + requiredAnti.length + preferred.length + preferredAnti.length > 0;
}

function nonZeroRequests(pod: Pod, requests: ReadonlyMap<string, Quantity>): Resources {
  const missing = new Map(defaultRequests);
  if (hasPodLevel(pod, ["requests"])) {
    for (const name of defaultRequests.keys()) {
      if (requests.get(name)?.isZero === false) missing.delete(name);
    }
  }
  const options = { useStatus: true, usePodLevelStatus: true, missingRequests: missing };
  return toResources(podRequests(pod, options));
}

function affinityTermsOf({ spec: { affinity } }: Pod, namespace: string): PodAffinityTerms {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms;
  const problems: string[] = [];
  const attempt = <Term>(name: string, compile: () => readonly Term[]): readonly Term[] => {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      problems.push(`${name}: ${error.message}`);
      return [];
    }
  };
  const terms = {
    required: attempt("requiredAffinityTerms", () =>
      compileTerms(namespace, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    ),
    requiredAnti: attempt("requiredAntiAffinityTerms", () =>
      compileTerms(namespace, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    ),
    preferred: attempt("preferredAffinityTerms", () =>
      compileWeightedTerms(namespace, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    ),
    preferredAnti: attempt("preferredAntiAffinityTerms", () =>
      compileWeightedTerms(
        namespace,
        podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
      ),
    ),
  };
  return problems.length === 0 ? terms : { ...terms, problem: aggregate(problems) };
}

const aggregate = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
