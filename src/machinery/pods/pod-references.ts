import type { Container, Pod, Volume } from "#/api/core/v1.ts";

/**
 * The objects that a pod refers to, as "resource/namespace/name". Upstream: pkg/api/v1/pod/util.go,
 * plugin/pkg/auth/authorizer/node/graph.go.
 */
export function podReferences(pod: Pod): Set<string> {
  const { name = "", namespace = "", annotations } = pod.metadata;
  const references = new Set([`pods/${namespace}/${name}`]);
  // The node itself creates mirror pods: they give no access to other objects.
  if (annotations?.["kubernetes.io/config.mirror"] !== undefined) return references;
  const add = (resource: string, target: string | undefined): void => {
    if (target) references.add(`${resource}/${namespace}/${target}`);
  };
  const { spec } = pod;
  add("serviceaccounts", spec.serviceAccountName);
  for (const secret of spec.imagePullSecrets ?? []) add("secrets", secret.name);
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  for (const container of containers) addEnvironment(container, add);
  for (const volume of spec.volumes ?? []) addVolume(volume, name, add);
  for (const claim of claimNames(pod)) add("resourceclaims", claim);
  return references;
}

type Add = (resource: string, target: string | undefined) => void;

function addEnvironment({ env = [], envFrom = [] }: Pick<Container, "env" | "envFrom">, add: Add) {
  for (const { secretRef, configMapRef } of envFrom) {
    add("secrets", secretRef?.name);
    add("configmaps", configMapRef?.name);
  }
  for (const { valueFrom } of env) {
    add("secrets", valueFrom?.secretKeyRef?.name);
    add("configmaps", valueFrom?.configMapKeyRef?.name);
  }
}

function addVolume(volume: Volume, pod: string, add: Add): void {
  add("secrets", volume.secret?.secretName);
  add("secrets", volume.azureFile?.secretName);
  add("secrets", volume.csi?.nodePublishSecretRef?.name);
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  for (const source of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos]) {
    add("secrets", source?.secretRef?.name);
  }
  add("configmaps", volume.configMap?.name);
  for (const source of volume.projected?.sources ?? []) {
    add("secrets", source.secret?.name);
    add("configmaps", source.configMap?.name);
  }
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral) add("persistentvolumeclaims", `${pod}-${volume.name}`);
}

function claimNames({ spec, status }: Pod): (string | undefined)[] {
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName]),
  );
  const named = (spec.resourceClaims ?? []).map(
    ({ name, resourceClaimName }) => resourceClaimName ?? made.get(name),
  );
  return [...named, status?.extendedResourceClaimStatus?.resourceClaimName];
}
