import type { Pod, Volume } from "#/api/core/v1.ts";

/** The name of the claim of a volume, also of an ephemeral one; undefined if it has none. */
export function claimOf({ metadata }: Pod, volume: Volume): string | undefined {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  return persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name}-${name}` : undefined);
}

/** The names of the claims that a Pod mounts, those of its ephemeral volumes included. */
export const claimNames = (pod: Pod): readonly string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? []);
