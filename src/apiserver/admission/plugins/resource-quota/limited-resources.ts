import type { ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { formatFieldErrors, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";

/** Resources that the configuration allows only with a quota. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of the names of counted resources. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[];
}

/** Reads a ResourceQuotaConfiguration; throws if it is invalid. */
export function readLimitedResources(configuration: unknown): readonly LimitedResource[] {
  const { limitedResources = [] } = (configuration ?? {}) as {
    limitedResources?: Partial<LimitedResource>[];
  };
  const path = fieldPath("limitedResources");
  const errors = limitedResources.flatMap(({ resource }, index) =>
    resource ? [] : [required(path.index(index).child("resource"))],
  );
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
  return limitedResources.map(
    ({ apiGroup = "", resource = "", matchContains = [], matchScopes = [] }) => ({
      apiGroup,
      resource,
      matchContains,
      matchScopes,
    }),
  );
}
