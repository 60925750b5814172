import type { Resource } from "../base/resource.ts";
import type { Event } from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const events: Resource<Event> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  name: "events",
  singular: "event",
  namespaced: true,
  shortNames: ["ev"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
