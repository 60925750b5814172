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

/** A pod with the values that scheduling needs often, computed once. Immutable. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Shared by all pods with equal labels. */
  readonly labels: Labels;
  readonly priority: number;
  readonly terminating: boolean;
  readonly requests: Resources;
  /** Requests for scores: containers without requests count with a default. */
  readonly nonZeroMilliCPU: number;
  readonly nonZeroMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly affinity: PodAffinityTerms;
}

/** Affinity and anti-affinity terms of a pod; `problem` is the error if they are invalid. */
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

/** Default request of a container in scores: 0.1 core and 200 MiB. */
const defaultRequests: ReadonlyMap<string, Quantity> = new Map([
  ["cpu", milliQuantity(100)],
  ["memory", quantityOf(200 * 1024 * 1024)],
]);

/** "namespace/name", for logs and maps. */
export const podKey = ({ metadata }: Pick<Pod, "metadata">): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/**
 * Computes the values that scheduling needs of a pod.
 *
 * Upstream: pkg/scheduler/framework/types.go.
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

/** True if a pod has affinity or anti-affinity terms. */
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
