import type { ClusterSettings } from "../base/settings.ts";
import type { Feature, ListedObject } from "../parts/feature.ts";
import { parts } from "../parts/index.ts";
import type { FeatureStatus } from "./cluster-status.ts";

/** Features that no part of k8ts provides: users may add programs that do. */
const othersFeatures: readonly Feature[] = [
  // Nothing in the API shows an enforcer; k8ts has none of its own.
  { name: "network policy", resources: [], provider: () => undefined },
];

const features: readonly Feature[] = [
  ...parts.flatMap(({ feature }) => feature ?? []),
  ...othersFeatures,
];

/** The resources that show features, as kubectl names them. */
export const featureResources: readonly string[] = [
  ...new Set(features.flatMap(({ resources }) => resources)),
];

/** The features of the cluster that first-day manifests rely on. */
export const featuresOf = (
  objects: readonly ListedObject[],
  settings: ClusterSettings,
): FeatureStatus[] =>
  features.map(({ name, provider }) => ({ name, provider: provider(objects, settings) ?? null }));
