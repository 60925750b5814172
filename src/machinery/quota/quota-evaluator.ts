import type { ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { quantityOf } from "../values/quantity.ts";
import type { ResourceList } from "../values/resource-list.ts";

/** The attributes of a request that quotas use. */
export interface QuotaRequest<T = unknown> {
  readonly operation: string;
  readonly subresource: string;
  readonly object: T;
  readonly oldObject: T | undefined;
}

/**
 * Computes the usage of quotas by objects of one resource. Pure. Upstream:
 * staging/src/k8s.io/apiserver/pkg/quota/v1/interfaces.go.
 */
export interface QuotaEvaluator<T = unknown> {
  /** The names in a quota that apply to this resource. */
  matchingResources(names: Iterable<string>): string[];
  /** The usage of one object. */
  usage(object: T): ResourceList;
  /** Whether such a request can change the usage. */
  handles(request: QuotaRequest<T>): boolean;
  /** Whether an object is in a scope; undefined if no object ever is. */
  matchesScope?(selector: ScopedResourceSelectorRequirement, object: T): boolean;
  /** The error if an object lacks required values; undefined if it can be counted. */
  findMissing?(required: readonly string[], object: T): string | undefined;
}

/** `count/deployments.apps`. */
export const objectCountName = (group: string, resource: string): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;

export const one = quantityOf(1);

/** Counts objects, under one name or several. */
export function objectCountEvaluator(names: readonly string[]): QuotaEvaluator {
  return {
    matchingResources: (limited) => [...limited].filter((name) => names.includes(name)).sort(),
    usage: () => new Map(names.map((name) => [name, one])),
    handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
  };
}
