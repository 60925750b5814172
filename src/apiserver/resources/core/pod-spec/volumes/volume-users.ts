import type { PodSpec } from "#/api/core/v1.ts";

/** Something with files that may belong to a user. */
interface OwnsFiles {
  user?: number;
  defaultUser?: number;
}

/** Every part of a pod's volumes that may name the user whom files belong to. Upstream: pkg/api/pod/util.go. */
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

/** Whether files of some volume belong to a given user. */
export function hasVolumeUsers(spec: PodSpec): boolean {
  return fileOwners(spec).some(
    ({ user, defaultUser }) => user !== undefined || defaultUser !== undefined,
  );
}

/** Forgets whom files of volumes belong to. */
export function clearVolumeUsers(spec: PodSpec): void {
  for (const owner of fileOwners(spec)) {
    delete owner.user;
    delete owner.defaultUser;
  }
}
