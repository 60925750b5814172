import type { PersistentVolume } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { nodeSelectorTermWarnings } from "../../rules/node-selector.ts";

const annotationWarnings: readonly (readonly [key: string, message: string])[] = [
  [
    "volume.beta.kubernetes.io/storage-class",
    'deprecated since v1.8; use "storageClassName" attribute instead',
  ],
  [
    "volume.beta.kubernetes.io/mount-options",
    'deprecated since v1.31; use "mountOptions" attribute instead',
  ],
];

const sourceWarnings = [
  ["cephfs", "cephfs: deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO: deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs: deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd: deprecated in v1.28, non-functional in v1.31+"],
] as const;

/** Warnings for a volume. Upstream: pkg/api/persistentvolume/util.go. */
export function persistentVolumeWarnings({ metadata, spec }: Decoded<PersistentVolume>): string[] {
  const annotations = metadata.annotations ?? {};
  const warnings = annotationWarnings
    .filter(([key]) => Object.hasOwn(annotations, key))
    .map(([key, message]) => `metadata.annotations[${key}]: ${message}`);
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    warnings.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  }
  const path = fieldPath("spec", "nodeAffinity", "required", "nodeSelectorTerms");
  spec.nodeAffinity?.required?.nodeSelectorTerms?.forEach((term, index) => {
    append(warnings, nodeSelectorTermWarnings(term, path.index(index)));
  });
  for (const [field, message] of sourceWarnings) {
    if (spec[field]) warnings.push(`spec.${message}`);
  }
  return warnings;
}
