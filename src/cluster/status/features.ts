import type { ClusterSettings } from "../base/settings.ts";
import type { Feature, ListedObject } from "../parts/feature.ts";
import { parts } from "../parts/index.ts";
import type { FeatureStatus } from "./cluster-status.ts";

const features: readonly Feature[] = parts.flatMap(({ feature }) => feature ?? []);

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
