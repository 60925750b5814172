import {
  configMaps,
  type Pod,
  pods,
  secrets,
  type Volume,
  type VolumeMount,
} from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import type { View } from "../../base/view.ts";
import { containersOf, isReady } from "../../facts/containers.ts";

/** A subPath that names no file of a ConfigMap or Secret: an empty directory is mounted in the place of the file. */
export const subPathKey = cause<Pod>({
  name: "sub-path-key-missing",
  layer: "volumes",
  of: [pods],
  find(pod, view) {
    if (isReady(pod) || !pod.spec.nodeName) return undefined;
    for (const container of containersOf(pod)) {
      for (const mount of container.spec.volumeMounts ?? []) {
        const source = sourceOf(pod, mount, view);
        if (!source || source.files.includes(mount.subPath ?? "")) continue;
        return {
          sentence: `${container.label} has the subPath "${mount.subPath}" of the ${source.kind} "${source.name}" at ${mount.mountPath}, which has no such key: it finds an empty directory there instead of a file`,
          evidence: [`its keys are: ${source.files.join(", ") || "none"}`],
          fix: [
            `kubectl describe ${source.kind.toLowerCase()} ${source.name}`,
            "# correct the subPath, or add the key",
          ],
        };
      }
    }
    return undefined;
  },
});

interface Source {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** The files of the volume: only names of keys are looked at. */
  readonly files: readonly string[];
}

/** The ConfigMap or Secret of a mount with a subPath; undefined for other volumes, and if it cannot be read. */
function sourceOf({ metadata, spec }: Pod, mount: VolumeMount, view: View): Source | undefined {
  if (!mount.subPath || mount.subPath.includes("/")) return undefined;
  const volume = (spec.volumes ?? []).find(({ name }) => name === mount.name);
  const { namespace } = metadata;
  const { configMap, secret } = volume ?? {};
  const name = configMap?.name ?? secret?.secretName;
  if (!volume || name === undefined) return undefined;
  const found = configMap
    ? view.get(configMaps, { namespace, name })
    : view.get(secrets, { namespace, name });
  if (!found) return undefined;
  const binary = "binaryData" in found ? found.binaryData : undefined;
  const keys = Object.keys({ ...found.data, ...binary });
  return { kind: configMap ? "ConfigMap" : "Secret", name, files: filesOf(volume, keys) };
}

const filesOf = ({ configMap, secret }: Volume, keys: readonly string[]): readonly string[] =>
  (configMap?.items ?? secret?.items)?.map(({ path = "" }) => path) ?? keys;
