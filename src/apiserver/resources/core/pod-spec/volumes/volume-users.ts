import type { PodSpec } from "#/api/core/v1.ts";

/** A part with files that may have an owner. */
interface OwnsFiles {
  user?: number;
  defaultUser?: number;
}

/** Every part of a Pod's volumes that may name the owner of files. Upstream: pkg/api/pod/util.go. */
function* fileOwners({ volumes = [] }: PodSpec): Generator<OwnsFiles, void> {
  for (const { secret, configMap, downwardAPI, projected } of volumes) {
    for (const source of [secret, configMap, downwardAPI]) {
      if (source === undefined) continue;
      yield source;
      yield* source.items ?? [];
    }
    if (projected === undefined) continue;
    yield projected;
    for (const source of projected.sources ?? []) {
      yield* source.secret?.items ?? [];
      yield* source.configMap?.items ?? [];
      yield* source.downwardAPI?.items ?? [];
      if (source.serviceAccountToken) yield source.serviceAccountToken;
      if (source.clusterTrustBundle) yield source.clusterTrustBundle;
      if (source.podCertificate) yield source.podCertificate;
    }
  }
}

/** Whether a volume names an owner of its files. */
export function hasVolumeUsers(spec: PodSpec): boolean {
  return fileOwners(spec).some(
    ({ user, defaultUser }) => user !== undefined || defaultUser !== undefined,
  );
}

/** Drops the owners of files from volumes. */
export function clearVolumeUsers(spec: PodSpec): void {
  for (const owner of fileOwners(spec)) {
    delete owner.user;
    delete owner.defaultUser;
  }
}
