import { isQualifiedName, type Problems } from "#/machinery/meta/names.ts";

/**
 * What names of resources mean.
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

/** Memory in pages of a size, which is part of the name. */
export const isHugePages = (name: string): boolean => name.startsWith(hugePages);

/** A resource of Kubernetes itself. */
export const isNativeResource = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/");

/** A resource that someone else has added to nodes. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false;
  return isQualifiedName(requestsPrefix + name).length === 0;
}

/** Requests may be smaller than limits. */
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !isHugePages(name);

/** A resource that is counted in whole units. */
export const isIntegerResource = (name: string): boolean =>
  whole.has(name) || isExtendedResource(name);

/** A resource without a domain that containers can ask for. */
export const isStandardContainerResource = (name: string): boolean =>
  ofContainers.has(name) || isHugePages(name);

/** A resource without a domain that means something anywhere. */
const isStandardResource = (name: string): boolean =>
  standard.has(name) || isHugePages(name) || name.startsWith(requestsPrefix + hugePages);

const notStandard: Problems = ["must be a standard resource type or fully qualified"];

/** What is wrong with the name of a resource. */
export function resourceNameProblems(name: string): Problems {
  if (standard.has(name)) return [];
  const problems = isQualifiedName(name);
  if (problems.length > 0 || name.includes("/") || isStandardResource(name)) return problems;
  return notStandard;
}
