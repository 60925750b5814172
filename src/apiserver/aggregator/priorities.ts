import type { APIService } from "#/api/apiregistration/v1.ts";
import { table } from "#/std/base/table.ts";
import { compareVersions } from "../discovery/version-order.ts";

/** The position of an API in discovery: higher is earlier. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/**
 * The priorities of built-in APIs: of the group, and of each version in it.
 * Upstream: cmd/kube-apiserver/app/aggregator.go, pkg/controlplane/apiserver/aggregator.go.
 */
const builtIn: Readonly<Record<string, readonly [number, Readonly<Record<string, number>>]>> =
  table({
    "": [18000, { v1: 1 }],
    apps: [17800, { v1: 15 }],
    "events.k8s.io": [17750, { v1: 15, v1beta1: 5 }],
    "authentication.k8s.io": [17700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
    "authorization.k8s.io": [17600, { v1: 15 }],
    autoscaling: [17500, { v1: 15, v2: 30, v2beta1: 9, v2beta2: 1 }],
    batch: [17400, { v1: 15, v1beta1: 9, v2alpha1: 9 }],
    "certificates.k8s.io": [17300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
    "networking.k8s.io": [17200, { v1: 15, v1beta1: 9 }],
    policy: [17100, { v1: 15, v1beta1: 9 }],
    "rbac.authorization.k8s.io": [17000, { v1: 15 }],
    "storage.k8s.io": [16800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
    "apiextensions.k8s.io": [16700, { v1: 15 }],
    "admissionregistration.k8s.io": [16700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
    "scheduling.k8s.io": [16600, { v1: 15, v1beta1: 9, v1alpha3: 3 }],
    "coordination.k8s.io": [16500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
    "node.k8s.io": [16300, { v1: 15, v1alpha1: 1, v1beta1: 9 }],
    "discovery.k8s.io": [16200, { v1: 15, v1beta1: 12 }],
    "resource.k8s.io": [16200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
    "flowcontrol.apiserver.k8s.io": [
      16100,
      { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 },
    ],
    "internal.apiserver.k8s.io": [16000, { v1alpha1: 9 }],
    "storagemigration.k8s.io": [15800, { v1: 15, v1beta1: 9 }],
    "lifecycle.k8s.io": [15700, { v1alpha1: 1 }],
  });

/** The priority of a built-in API; undefined for those that are never registered. */
export function builtInPriority(group: string, version: string): Priority | undefined {
  const [ofGroup, versions] = builtIn[group] ?? [];
  const ofVersion = versions?.[version];
  if (ofGroup === undefined || ofVersion === undefined) return undefined;
  return { group: ofGroup, version: ofVersion };
}

/** The priority of custom resources: the same for all versions, which sort by name. */
export const customPriority: Priority = { group: 1000, version: 100 };

/** The group of APIServices is not registered itself, and precedes all others. */
export const firstGroup = "apiregistration.k8s.io";

/** The priority in an APIService's spec. */
export function priorityOf({ spec }: APIService): Priority {
  return { group: spec.groupPriorityMinimum, version: spec.versionPriority };
}

/** Sorts versions of one group: by priority, then by version name. */
export function compareByPriority(
  a: { readonly version: string; readonly priority: Priority },
  b: { readonly version: string; readonly priority: Priority },
): number {
  return b.priority.version - a.priority.version || compareVersions(a.version, b.version);
}
