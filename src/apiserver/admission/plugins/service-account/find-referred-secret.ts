import type { Container, PodSpec, Volume } from "#/api/core/v1.ts";
import { allContainers } from "../../../resources/core/pod-spec/base/visit-containers.ts";

/** The name of a Secret that the pod refers to directly. Upstream: pkg/api/pod/util.go. */
export function findReferredSecret(spec: PodSpec): string | undefined {
  for (const { name } of spec.imagePullSecrets ?? []) if (name) return name;
  for (const container of allContainers(spec)) {
    const name = secretOfContainer(container);
    if (name) return name;
  }
  for (const volume of spec.volumes ?? []) {
    const name = secretOfVolume(volume);
    if (name) return name;
  }
  return undefined;
}

/** The name of a ConfigMap that the pod refers to directly. */
export function findReferredConfigMap(spec: PodSpec): string | undefined {
  for (const container of allContainers(spec)) {
    for (const { configMapRef } of container.envFrom ?? []) {
      if (configMapRef?.name) return configMapRef.name;
    }
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.configMapKeyRef?.name) return valueFrom.configMapKeyRef.name;
    }
  }
  for (const { projected, configMap } of spec.volumes ?? []) {
    const source = projected?.sources?.find((source) => source.configMap?.name);
    if (source?.configMap?.name) return source.configMap.name;
    if (configMap?.name) return configMap.name;
  }
  return undefined;
}

function secretOfContainer({ envFrom = [], env = [] }: Container): string | undefined {
  const from = envFrom.find(({ secretRef }) => secretRef?.name)?.secretRef?.name;
  return (
    from ??
    env.find(({ valueFrom }) => valueFrom?.secretKeyRef?.name)?.valueFrom?.secretKeyRef?.name
  );
}

function secretOfVolume(volume: Volume): string | undefined {
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  const referring = [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos];
  return (
    volume.azureFile?.secretName ||
    volume.secret?.secretName ||
    volume.csi?.nodePublishSecretRef?.name ||
    volume.projected?.sources?.find(({ secret }) => secret?.name)?.secret?.name ||
    referring.find((source) => source?.secretRef?.name)?.secretRef?.name
  );
}
