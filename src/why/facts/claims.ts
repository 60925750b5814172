import type { Pod } from "#/api/core/v1.ts";

/** The names of the claims that a Pod mounts, those of its ephemeral volumes included. */
export const claimNames = ({ metadata, spec }: Pod): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
