import { crc32 } from "node:zlib";
import type { Container, Pod, PodSpec, ProjectedVolumeSource } from "#/api/core/v1.ts";
import { safeEncode } from "#/machinery/meta/generate-name.ts";

const volumePrefix = "kube-api-access-";
const suffixLength = 5;
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour and seven seconds: a lifetime that marks tokens as extended ones. */
const expirationSeconds = 3607;

/** Mounts the service account's token in every container without a mount at its path. */
export function mountToken({ spec }: Pod): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? volumePrefix + suffixFor(spec);
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    mounted = mount(container, name) || mounted;
  }
  if (existing || !mounted) return;
  spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenSource() }];
}

/** Not random: Pods of one template shall have one spec. No other volume has the prefix. */
function suffixFor({ serviceAccountName = "", volumes = [] }: PodSpec): string {
  const text = [serviceAccountName, ...volumes.map(({ name }) => name)].join("/");
  return safeEncode(String(crc32(text)).padStart(suffixLength, "0").slice(-suffixLength));
}

function mount(container: Container, name: string): boolean {
  const mounts = container.volumeMounts ?? [];
  if (mounts.some((mount) => mount.mountPath === mountPath)) return false;
  container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
  return true;
}

function tokenSource(): ProjectedVolumeSource {
  const namespaceFile = {
    path: "namespace",
    fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
  };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [namespaceFile] } },
    ],
    defaultMode: 0o644,
  };
}
