/** Upstream: pkg/kubelet/util/manager/watch_based_manager.go. */
import type { Pod } from "#/api/core/v1.ts";

/** Names of the objects that a pod refers to in its own namespace. */
export function podReferences({ spec }: Pod): {
  configMaps: ReadonlySet<string>;
  secrets: ReadonlySet<string>;
} {
  const maps = new Set<string | undefined>();
  const keys = new Set<string | undefined>();
  for (const volume of spec.volumes ?? []) {
    if (volume.configMap) maps.add(volume.configMap.name);
    if (volume.secret) keys.add(volume.secret.secretName);
    if (volume.csi?.nodePublishSecretRef) keys.add(volume.csi.nodePublishSecretRef.name);
    for (const source of volume.projected?.sources ?? []) {
      if (source.configMap) maps.add(source.configMap.name);
      if (source.secret) keys.add(source.secret.name);
    }
  }
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  for (const container of [...initContainers, ...containers, ...ephemeralContainers]) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      if (configMapRef) maps.add(configMapRef.name);
      if (secretRef) keys.add(secretRef.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.configMapKeyRef) maps.add(valueFrom.configMapKeyRef.name);
      if (valueFrom?.secretKeyRef) keys.add(valueFrom.secretKeyRef.name);
    }
  }
  for (const { name } of spec.imagePullSecrets ?? []) keys.add(name);
  return { configMaps: named(maps), secrets: named(keys) };
}

function named(names: ReadonlySet<string | undefined>): ReadonlySet<string> {
  return new Set([...names].filter((name) => name !== undefined && name !== "") as string[]);
}
