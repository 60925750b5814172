import type { Resource } from "#/api/base/resource.ts";

/** The name of a resource in all its versions: its handle, or group and plural as in a request. */
export type ResourceName = Pick<Resource, "group" | "name">;
