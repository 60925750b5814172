import type { Resource } from "#/api/base/resource.ts";

/** What names a resource in all its versions: its handle, or group and plural as a request has them. */
export type ResourceName = Pick<Resource, "group" | "name">;
