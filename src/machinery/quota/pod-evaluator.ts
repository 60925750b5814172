import type {
  Container,
  Pod,
  PodAffinityTerm,
  ScopedResourceSelectorRequirement,
} from "#/api/core/v1.ts";
import { isQualifiedName } from "../meta/names.ts";
import { hasPodLevel, podLimits, podRequests } from "../pods/pod-resources.ts";
import { podQOSClass } from "../pods/qos.ts";
import { parseTime } from "../time/time.ts";
import { parseResourceList, type ResourceList } from "../values/resource-list.ts";
import { objectCountName, one, type QuotaEvaluator } from "./quota-evaluator.ts";
import { scopeSelector } from "./scopes.ts";

const countName = objectCountName("", "pods");
const requestsPrefix = "requests.";
/** Prefix of extended resources that name a device class. */
const deviceClassPrefix = "deviceclass.resource.kubernetes.io/";
const hugePages = "hugepages-";

const names = new Set([
  countName,
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
]);

/** If a quota limits one of these, every container must set it. */
const requiredPerContainer = [
  "cpu",
  "limits.cpu",
  "limits.memory",
  "memory",
  "requests.cpu",
  "requests.memory",
];

/** Evaluates pods. Upstream: pkg/quota/v1/evaluator/core/pods.go. */
export function podEvaluator(now: () => number): QuotaEvaluator<Pod> {
  return {
    matchingResources: (limited) => [...limited].filter(concernsPods).sort(),
    usage: (pod) => podUsage(pod, now()),
    matchesScope: matchesPodScope,
    findMissing,
    handles({ operation, subresource, object, oldObject }) {
      if (subresource === "resize") return operation === "UPDATE";
      if (subresource !== "") return false;
      if (operation !== "UPDATE") return operation === "CREATE";
      return oldObject !== undefined && isTerminating(oldObject) !== isTerminating(object);
    },
  };
}

/** Whether a name is a quota's name of an extended resource. */
export function isExtendedQuotaName(name: string): boolean {
  if (!name.startsWith(requestsPrefix)) return false;
  const native = !name.includes("/") || name.includes("kubernetes.io/");
  return !native || name.startsWith(requestsPrefix + deviceClassPrefix);
}

function concernsPods(name: string): boolean {
  if (names.has(name) || isExtendedQuotaName(name)) return true;
  return name.startsWith(hugePages) || name.startsWith(requestsPrefix + hugePages);
}

/** The usage of a pod at a time; a terminated pod counts only as an object. */
export function podUsage(pod: Pod, nowMs: number): ResourceList {
  const usage: ResourceList = new Map([[countName, one]]);
  if (hasEnded(pod, nowMs)) return usage;
  const requests = podRequests(pod, { useStatus: true });
  const limits = podLimits(pod, { useStatus: true });
  for (const [name, quantity] of quotaNames(requests, limits)) usage.set(name, quantity);
  return usage;
}

function hasEnded({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Requests and limits under their names in quotas. */
function quotaNames(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: ResourceList = new Map([["pods", one]]);
  for (const [name, quantity] of requests) {
    const known = name === "cpu" || name === "memory" || name === "ephemeral-storage";
    if (known || name.startsWith(hugePages)) {
      usage.set(name, quantity);
      usage.set(requestsPrefix + name, quantity);
    } else if (isExtended(name)) usage.set(requestsPrefix + name, quantity);
  }
  for (const name of ["cpu", "memory", "ephemeral-storage"]) {
    const quantity = limits.get(name);
    if (quantity) usage.set(`limits.${name}`, quantity);
  }
  return usage;
}

function isExtended(name: string): boolean {
  if (name.startsWith(deviceClassPrefix)) return true;
  const native = !name.includes("/") || name.includes("kubernetes.io/");
  if (native || name.startsWith(requestsPrefix)) return false;
  return isQualifiedName(requestsPrefix + name).length === 0;
}

function findMissing(required: readonly string[], pod: Pod): string | undefined {
  if (hasPodLevel(pod)) return undefined;
  const checked = requiredPerContainer.filter((name) => required.includes(name));
  const missing = new Map<string, Set<string>>();
  for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
    const said = namesOf(container);
    for (const name of checked) {
      if (said.has(name)) continue;
      missing.set(name, (missing.get(name) ?? new Set()).add(container.name));
    }
  }
  if (missing.size === 0) return undefined;
  const parts = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...containers].sort().join(",")}`);
  return `must specify ${parts.join("; ")}`;
}

const namesOf = ({ resources }: Container): ReadonlySet<string> =>
  new Set(
    quotaNames(parseResourceList(resources?.requests), parseResourceList(resources?.limits)).keys(),
  );

function matchesPodScope(selector: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  switch (selector.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return podQOSClass(pod) === "BestEffort";
    case "NotBestEffort":
      return podQOSClass(pod) !== "BestEffort";
    case "PriorityClass":
      return matchesPriorityClass(selector, pod.spec.priorityClassName);
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

const isTerminating = ({ spec }: Pod): boolean =>
  spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;

function matchesPriorityClass(
  selector: ScopedResourceSelectorRequirement,
  name: string | undefined,
): boolean {
  if (selector.operator === "Exists") return Boolean(name);
  return scopeSelector(selector).matches(name ? { [selector.scopeName]: name } : {});
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity): PodAffinityTerm[] => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined,
  );
}
