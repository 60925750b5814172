import type { Resource } from "#/api/base/resource.ts";
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { volumeAttributesClasses } from "#/api/storage/v1.ts";
import { table } from "#/std/base/table.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

const finalizers: Readonly<Record<string, string>> = table({
  persistentvolumes: "kubernetes.io/pv-protection",
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  volumeattributesclasses: "kubernetes.io/vac-protection",
});

/**
 * Adds finalizers to volumes, claims and classes, so that they stay while in use.
 * Upstream: plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
 */
export const storageObjectInUseProtection = admissionPlugin<ApiObject>({
  name: "StorageObjectInUseProtection",
  on: [persistentVolumes, persistentVolumeClaims, volumeAttributesClasses] as Resource<ApiObject>[],
  operations: ["CREATE"],
  mutate({ object: { metadata }, resource }) {
    const finalizer = finalizers[resource.name] ?? "";
    if (metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
});
