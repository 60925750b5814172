import type { PersistentVolume } from "#/api/core/v1.ts";

/**
 * The secrets that a kubelet needs for a volume, as "secrets/namespace/name"; the default namespace is the
 * claim's.
 *
 * Upstream: pkg/api/v1/persistentvolume/util.go.
 */
export function volumeSecrets({ spec }: PersistentVolume): string[] {
  const home = spec?.claimRef?.namespace ?? "";
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec ?? {};
  const references: { namespace?: string; name?: string }[] = [
    ...(azureFile
      ? [{ namespace: azureFile.secretNamespace ?? "", name: azureFile.secretName }]
      : []),
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].flatMap((source) =>
      source?.secretRef ? [source.secretRef] : [],
    ),
    ...[csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef].flatMap(
      (reference) => (reference ? [reference] : []),
    ),
  ];
  return references
    .filter(({ name }) => name)
    .map(({ namespace, name }) => `secrets/${namespace || home}/${name}`);
}
