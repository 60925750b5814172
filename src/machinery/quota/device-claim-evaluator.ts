import type { Pod } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import type { ResourceClaim } from "#/api/resource/v1.ts";
import { findControllerReference } from "../meta/owner-references.ts";
import { type Quantity, quantityOf } from "../values/quantity.ts";
import { addResources, type ResourceList, raiseResources } from "../values/resource-list.ts";
import { isExtendedQuotaName, podUsage } from "./pod-evaluator.ts";
import { objectCountName, one, type QuotaEvaluator } from "./quota-evaluator.ts";

/** What has to be looked up to count a claim for devices. */
export interface DeviceLookups {
  /** The extended resource that a device class also goes by. */
  extendedResourceOf(deviceClass: string): string | undefined;
  /** Whether an extended resource, without "requests.", stands for a device class. */
  isDeviceClass(extendedResource: string): boolean;
  findPod(namespace: string, name: string): Pod | undefined;
  /** The claims that were made for a pod's extended resources. */
  claimsOf(namespace: string, podUid: string): Iterable<ResourceClaim>;
  now(): number;
}

const countName = objectCountName("resource.k8s.io", "resourceclaims");
const perClass = ".deviceclass.resource.k8s.io/devices";
const implicitPrefix = "requests.deviceclass.resource.kubernetes.io/";
const requestsPrefix = "requests.";
const extendedAnnotation = "resource.kubernetes.io/extended-resource-claim";
/** A claim for all devices that there are counts as for the most it can get. */
const maxDevices = 32;

/** How claims for devices count. Upstream: pkg/quota/v1/evaluator/core/resource_claims.go. */
export function deviceClaimEvaluator(lookups: DeviceLookups): QuotaEvaluator<ResourceClaim> {
  return {
    matchingResources: (wanted) => [...wanted].filter((name) => concernsClaims(name, lookups)),
    handles: ({ operation, subresource }) =>
      subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
    usage(claim) {
      const usage = devicesOf(claim);
      addExtended(usage, usageOfOwner(claim, lookups), lookups);
      return usage;
    },
  };
}

function concernsClaims(name: string, lookups: DeviceLookups): boolean {
  if (name === countName || name.endsWith(perClass)) return true;
  if (name.startsWith(implicitPrefix)) {
    if (lookups.extendedResourceOf(name.slice(implicitPrefix.length))) return true;
  }
  return isExtendedQuotaName(name) && lookups.isDeviceClass(name.slice(requestsPrefix.length));
}

interface Wanted {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

function devicesOf({ spec }: ResourceClaim): ResourceList {
  const usage: ResourceList = new Map([[countName, one]]);
  for (const { firstAvailable = [], exactly } of spec.devices?.requests ?? []) {
    const most: ResourceList = new Map();
    const alternatives = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
    for (const wanted of alternatives) {
      raiseResources(most, new Map([[wanted.deviceClassName + perClass, countOf(wanted)]]));
    }
    addResources(usage, most);
  }
  return usage;
}

function countOf({ allocationMode, count = 0 }: Wanted): Quantity {
  if (allocationMode === "ExactCount") return quantityOf(count);
  return quantityOf(allocationMode === "All" ? maxDevices : 0);
}

/** Devices also count as extended resources, but for those that their pod is counted for already. */
function addExtended(usage: ResourceList, counted: ResourceList, lookups: DeviceLookups): void {
  for (const [name, quantity] of [...usage]) {
    if (!name.endsWith(perClass)) continue;
    const deviceClass = name.slice(0, -perClass.length);
    const extended = lookups.extendedResourceOf(deviceClass);
    const names = [implicitPrefix + deviceClass];
    if (extended) names.push(requestsPrefix + extended);
    for (const alias of names) {
      const other = counted.get(alias);
      const rest = other ? quantity.sub(other) : quantity;
      if (rest.sign > 0) usage.set(alias, rest);
    }
  }
}

/** Whether an owner is one of the objects that claims are made for. */
function isPod({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  return `${apiVersion}/${kind}` === `v1/${pods.kind}`;
}

/** What the pod takes for whose extended resources a claim was made, if that is really so. */
function usageOfOwner(claim: ResourceClaim, lookups: DeviceLookups): ResourceList {
  const none: ResourceList = new Map();
  const { namespace = "", name, annotations } = claim.metadata ?? {};
  if (annotations?.[extendedAnnotation] !== "true") return none;
  const owner = findControllerReference(claim);
  if (!owner || !isPod(owner)) return none;
  const pod = lookups.findPod(namespace, owner.name);
  if (!pod || pod.metadata?.uid !== owner.uid) return none;
  const claimed = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  if (claimed !== undefined && claimed !== name) return none;
  if (claimed === undefined && !isFirst(claim, lookups.claimsOf(namespace, owner.uid))) return none;
  return podUsage(pod, lookups.now());
}

/** Of several claims made for one pod, only the oldest counts as the pod's. */
function isFirst({ metadata }: ResourceClaim, others: Iterable<ResourceClaim>): boolean {
  const { creationTimestamp: created = "", name = "" } = metadata ?? {};
  for (const other of others) {
    const { creationTimestamp = "", name: otherName = "" } = other.metadata ?? {};
    if (creationTimestamp < created) return false;
    if (creationTimestamp === created && otherName < name) return false;
  }
  return true;
}
