/** Upstream: pkg/volume/{emptydir,hostpath,configmap,secret,downwardapi,projected,nfs,image}. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, Volume } from "#/api/core/v1.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Directories } from "../state/directories.ts";
import { orOptional } from "../state/or-optional.ts";
import { type FileProjection, writeAtomically } from "./atomic-writer.ts";
import { ensureEmptyDir } from "./empty-dir.ts";
import { ensureHostPath } from "./host-path.ts";
import type { Mounter } from "./mounter.ts";
import { nestedMountPaths } from "./nested-mounts.ts";
import { configMapPayload, downwardPayload, secretPayload } from "./payloads.ts";
import { projectedPayload, type VolumeSources } from "./projected-payload.ts";
import { ensureVolumeOwnership } from "./volume-ownership.ts";
import type { MountedVolume, VolumePlugin, VolumeRequest } from "./volume-plugin.ts";

export interface LocalPluginsOptions {
  readonly mounter: Mounter;
  readonly directories: Directories;
  readonly clock: Clock;
  readonly sources: VolumeSources;
  /** How much memory pods may use together, which volumes in memory may not exceed. */
  allocatableMemoryBytes(): number;
}

/** The plugins that need nothing but this machine and the API server. */
export function localPlugins(options: LocalPluginsOptions): VolumePlugin[] {
  return [
    {
      handles: ({ emptyDir }) => emptyDir !== undefined,
      setUp: (request) => setUpEmptyDir(request, options),
    },
    {
      handles: ({ hostPath }) => hostPath !== undefined,
      async setUp({ volume }) {
        const path = volume.hostPath ? await ensureHostPath(volume.hostPath) : "";
        return { path, readOnly: false, follows: false };
      },
    },
    {
      handles: ({ image }) => image !== undefined,
      setUp: async () => ({ path: "", readOnly: true, follows: false }),
    },
    {
      handles: ({ nfs }) => nfs !== undefined,
      setUp: ({ pod, volume }) => setUpNfs(pod, volume, options),
    },
    {
      handles: (volume) => fileKind(volume) !== undefined,
      setUp: (request) => setUpFiles(request, options),
    },
  ];
}

async function setUpEmptyDir({ pod, volume }: VolumeRequest, options: LocalPluginsOptions) {
  const { directories, mounter } = options;
  const directory = directories.volume(podUID(pod), "kubernetes.io/empty-dir", volume.name);
  await ensureEmptyDir(volume.emptyDir ?? {}, {
    mounter,
    pod,
    directory,
    allocatableMemoryBytes: options.allocatableMemoryBytes(),
  });
  const fsGroup = pod.spec.securityContext?.fsGroup;
  if (fsGroup !== undefined) await ensureVolumeOwnership(directory, { fsGroup, readOnly: false });
  return { path: directory, readOnly: false, follows: false };
}

async function setUpNfs(pod: Pod, volume: Volume, options: LocalPluginsOptions) {
  const { directories, mounter } = options;
  const { server = "", path = "", readOnly = false } = volume.nfs ?? {};
  const target = directories.volume(podUID(pod), "kubernetes.io/nfs", volume.name);
  const mounted: MountedVolume = { path: target, readOnly, follows: false };
  await mkdir(target, { recursive: true, mode: 0o750 });
  if (await mounter.isMountPoint(target)) return mounted;
  const source = `${server.includes(":") ? `[${server}]` : server}:${path}`;
  await mounter.mount({ source, target, type: "nfs", options: readOnly ? ["ro"] : [] });
  return mounted;
}

interface FileKind {
  readonly plugin: string;
  /** Whether the files are kept in memory. */
  readonly inMemory: boolean;
  payload(request: VolumeRequest, sources: VolumeSources): Promise<Map<string, FileProjection>>;
}

const defaultMode = 0o644;

/** How the files of a volume are made that shows API objects; undefined for others. */
function fileKind({
  configMap,
  secret,
  downwardAPI,
  projected,
  name,
}: Volume): FileKind | undefined {
  if (configMap) {
    return {
      plugin: "kubernetes.io/configmap",
      inMemory: false,
      async payload({ pod }, sources) {
        const namespace = pod.metadata.namespace ?? "";
        const map = await orOptional(
          sources.getConfigMap(namespace, configMap.name ?? ""),
          configMap.optional,
        );
        return configMapPayload(map, { defaultMode, ...configMap });
      },
    };
  }
  if (secret) {
    return {
      plugin: "kubernetes.io/secret",
      inMemory: true,
      async payload({ pod }, sources) {
        const namespace = pod.metadata.namespace ?? "";
        const found = await orOptional(
          sources.getSecret(namespace, secret.secretName ?? ""),
          secret.optional,
        );
        return secretPayload(found, { defaultMode, ...secret });
      },
    };
  }
  if (downwardAPI) {
    return {
      plugin: "kubernetes.io/downward-api",
      inMemory: true,
      payload: async ({ pod }, sources) =>
        downwardPayload(downwardAPI.items ?? [], pod, sources.facts(pod), {
          defaultMode,
          ...downwardAPI,
        }),
    };
  }
  return projected
    ? {
        plugin: "kubernetes.io/projected",
        inMemory: true,
        payload: ({ pod }, sources) => projectedPayload(projected, pod, name, sources),
      }
    : undefined;
}

async function setUpFiles(
  request: VolumeRequest,
  options: LocalPluginsOptions,
): Promise<MountedVolume> {
  const { pod, volume } = request;
  const kind = fileKind(volume);
  if (kind === undefined) throw new Error(`no volume plugin matched name: ${volume.name}`);
  const directory = options.directories.volume(podUID(pod), kind.plugin, volume.name);
  const { mounter } = options;
  // While the API server is asked, the place for what it says is made.
  const [payload] = await settleAll([
    kind.payload(request, options.sources),
    ensureEmptyDir(kind.inMemory ? { medium: "Memory" } : {}, {
      mounter,
      pod,
      directory,
      allocatableMemoryBytes: options.allocatableMemoryBytes(),
    }),
  ] as const);
  for (const nested of nestedMountPaths(pod, volume.name)) {
    await mkdir(join(directory, nested), { recursive: true, mode: 0o755 });
  }
  const fsGroup = pod.spec.securityContext?.fsGroup;
  await writeAtomically(directory, payload, {
    nowMs: options.clock.now(),
    ...(fsGroup !== undefined && {
      setPermissions: () => ensureVolumeOwnership(directory, { fsGroup, readOnly: true }),
    }),
  });
  return { path: directory, readOnly: true, follows: true };
}

function podUID({ metadata }: Pod): string {
  return metadata.uid ?? "";
}
