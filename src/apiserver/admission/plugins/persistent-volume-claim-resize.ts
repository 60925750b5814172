import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { storageClasses } from "#/api/storage/v1.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { findObject } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/**
 * Claims grow only if their class allows it.
 * Upstream: plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
 */
export const persistentVolumeClaimResize = admissionPlugin({
  name: "PersistentVolumeClaimResize",
  on: persistentVolumeClaims,
  operations: ["UPDATE"],
  validate(attributes, { registry }) {
    const { object, oldObject } = attributes;
    if (!oldObject || sizeOf(object).compare(sizeOf(oldObject)) <= 0) return;
    if (oldObject.status?.phase !== "Bound") {
      throw forbid(attributes, "Only bound persistent volume claims can be expanded");
    }
    const name = classOf(object);
    const allowed =
      name !== "" &&
      name === classOf(oldObject) &&
      findObject(registry, storageClasses, "", name)?.allowVolumeExpansion === true;
    if (allowed) return;
    throw forbid(
      attributes,
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  },
});

const sizeOf = ({ spec }: PersistentVolumeClaim) =>
  parseQuantity(String(spec?.resources?.requests?.["storage"] ?? "0"));

const classOf = ({ metadata, spec }: Decoded<PersistentVolumeClaim>): string =>
  metadata.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";
