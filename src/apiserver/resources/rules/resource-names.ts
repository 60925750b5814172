import { isQualifiedName, type Problems } from "#/machinery/meta/names.ts";

/**
 * Classification of resource names.
 *
 * Upstream: pkg/apis/core/helper/helpers.go, pkg/apis/core/validation/validation.go.
 */

const standard: ReadonlySet<string> = new Set([
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
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

const whole: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const ofContainers: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
const hugePages = "hugepages-";
const requestsPrefix = "requests.";

/** Huge pages; their size is part of the name. */
export const isHugePages = (name: string): boolean => name.startsWith(hugePages);

/** A native resource of Kubernetes. */
export const isNativeResource = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/");

/** A resource that was added to nodes by a third party. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false;
  return isQualifiedName(requestsPrefix + name).length === 0;
}

/** Whether requests may be smaller than limits. */
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !isHugePages(name);

/** A resource with whole units. */
export const isIntegerResource = (name: string): boolean =>
  whole.has(name) || isExtendedResource(name);

/** A resource without a domain that containers can request. */
export const isStandardContainerResource = (name: string): boolean =>
  ofContainers.has(name) || isHugePages(name);

/** A resource without a domain that is known anywhere. */
const isStandardResource = (name: string): boolean =>
  standard.has(name) || isHugePages(name) || name.startsWith(requestsPrefix + hugePages);

const notStandard: Problems = ["must be a standard resource type or fully qualified"];

/** Problems of a resource name. */
export function resourceNameProblems(name: string): Problems {
  if (standard.has(name)) return [];
  const problems = isQualifiedName(name);
  if (problems.length > 0 || name.includes("/") || isStandardResource(name)) return problems;
  return notStandard;
}
