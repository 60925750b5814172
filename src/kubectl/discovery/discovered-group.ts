import type { Resource } from "#/api/base/resource.ts";
import type * as client from "#/client/discovery/discovered-group.ts";
import type { Unstructured } from "../base/unstructured.ts";

/** A resource as the server describes it. */
export type Mapping = Resource<Unstructured>;

/** A group of resources; its preferred version is the first. */
export type DiscoveredGroup = client.DiscoveredGroup<Unstructured>;
