import type { Declaration } from "../../registry/strategy.ts";
import { customResourceDefinition } from "./custom-resource-definition.ts";

/**
 * Where definitions are in the store: in an etcd as upstream has them, which may read it before or after; in the embedded store
 * where every version has had them, so that an upgrade can be undone.
 */
export const definitionPlaces = {
  shared: "apiextensions.k8s.io/customresourcedefinitions",
  embedded: "customresourcedefinitions",
} as const;

export const apiextensionsResources = (isShared: boolean): readonly Declaration[] => [
  { ...customResourceDefinition, ...(isShared ? { storageName: definitionPlaces.shared } : {}) },
];
