import type { Resource } from "#/api/base/resource.ts";
import type { Journey } from "./step.ts";

const group = "journey.k8ts.dev";
const version = "v1";
const readable = ["get", "list", "watch"];

/** What is known of an object's way through the layers. */
export const journeys: Resource<Journey> = {
  group,
  version,
  kind: "Journey",
  name: "journeys",
  singular: "journey",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: readable,
  subresources: [],
};

/** The same for objects that are in no namespace. */
export const clusterJourneys: Resource<Journey> = {
  ...journeys,
  name: "clusterjourneys",
  singular: "clusterjourney",
  namespaced: false,
};

/** The last versions of an object. */
export const histories: Resource<unknown> = {
  ...journeys,
  kind: "History",
  name: "histories",
  singular: "history",
  verbs: ["get", "list"],
};

/** The same for objects that are in no namespace. */
export const clusterHistories: Resource<unknown> = {
  ...histories,
  name: "clusterhistories",
  singular: "clusterhistory",
  namespaced: false,
};

/** The place where components report steps. */
export const steps: Resource = {
  group,
  version,
  kind: "StepList",
  name: "steps",
  singular: "step",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create"],
  subresources: [],
};

/** The place where applications report spans: the path of OTLP over HTTP, below the group. */
export const traces: Resource = {
  ...steps,
  kind: "ExportTraceServiceRequest",
  name: "traces",
  singular: "trace",
};

export const journeyApiVersion = `${group}/${version}`;
