import type { ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { quantityOf } from "../values/quantity.ts";
import type { ResourceList } from "../values/resource-list.ts";

/** What a request wants to do to an object, as far as quotas ask. */
export interface QuotaRequest<T = unknown> {
  readonly operation: string;
  readonly subresource: string;
  readonly object: T;
  readonly oldObject: T | undefined;
}

/** How objects of one resource count towards quotas. Pure. Upstream: apiserver/pkg/quota/v1/interfaces.go. */
export interface QuotaEvaluator<T = unknown> {
  /** Which of the names that a quota limits concern this resource. */
  matchingResources(names: Iterable<string>): string[];
  /** What one object takes. */
  usage(object: T): ResourceList;
  /** Whether such a request can change what is taken. */
  handles(request: QuotaRequest<T>): boolean;
  /** Whether an object is in a scope; without this, no object is in any. */
  matchesScope?(selector: ScopedResourceSelectorRequirement, object: T): boolean;
  /** Why an object can't be counted; undefined if it can. */
  findMissing?(required: readonly string[], object: T): string | undefined;
}

/** `count/deployments.apps`. */
export const objectCountName = (group: string, resource: string): string =>
  group === "" ? `count/${resource}` : `count/${resource}.${group}`;

export const one = quantityOf(1);

/** Counts objects, under one name or several. */
export function objectCountEvaluator(names: readonly string[]): QuotaEvaluator {
  return {
    matchingResources: (wanted) => [...wanted].filter((name) => names.includes(name)).sort(),
    usage: () => new Map(names.map((name) => [name, one])),
    handles: ({ operation, subresource }) => subresource === "" && operation === "CREATE",
  };
}
