import { persistentVolumeClaims } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { admissionPlugin } from "../admission-plugin.ts";
import { listObjects } from "../find-object.ts";
import { newestDefault } from "./newest-default.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** A claim without a class gets the default. Upstream: plugin/pkg/admission/storage/storageclass/setdefault/admission.go. */
export const defaultStorageClass = admissionPlugin({
  name: "DefaultStorageClass",
  on: persistentVolumeClaims,
  operations: ["CREATE"],
  mutate({ object: { metadata, spec } }, { registry }) {
    if (!spec || spec.storageClassName !== undefined) return;
    if (metadata.annotations?.[classAnnotation] !== undefined) return;
    const chosen = newestDefault(listObjects(registry, storageClasses), defaultAnnotations);
    if (chosen) spec.storageClassName = chosen.metadata.name ?? "";
  },
});
