import { persistentVolumeClaims } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { findDefaultStorageClass } from "#/machinery/volumes/default-storage-class.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { listObjects } from "../base/find-object.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** A claim without a class gets the default. Upstream: plugin/pkg/admission/storage/storageclass/setdefault/admission.go. */
export const defaultStorageClass = admissionPlugin({
  name: "DefaultStorageClass",
  on: persistentVolumeClaims,
  operations: ["CREATE"],
  mutate({ object: { metadata, spec } }, { registry }) {
    if (!spec || spec.storageClassName !== undefined) return;
    if (metadata.annotations?.[classAnnotation] !== undefined) return;
    const chosen = findDefaultStorageClass(listObjects(registry, storageClasses));
    if (chosen) spec.storageClassName = chosen.metadata.name ?? "";
  },
});
