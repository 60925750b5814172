/** Upstream: pkg/kubelet/volumemanager, pkg/kubelet/kubelet_volumes.go. */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Container, Pod, Volume } from "#/api/core/v1.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Device, Mount } from "../cri/container-messages.ts";
import type { Directories } from "../state/directories.ts";
import type { ContainerMountRequest, PodVolumes } from "../state/pod-services.ts";
import { containerDevices, containerMounts } from "./container-mounts.ts";
import type { Mounter } from "./mounter.ts";
import type { PodCertificates } from "./pod-certificates.ts";
import type { ReferencedObjects } from "./referenced-objects.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import { removeSubPaths } from "./sub-path.ts";
import { type MountedVolume, type VolumePlugin, VolumeSetUpError } from "./volume-plugin.ts";

export interface NodeVolumesOptions {
  readonly clock: Clock;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly plugins: readonly VolumePlugin[];
  readonly objects: ReferencedObjects;
  readonly tokens: ServiceAccountTokens;
  /** Like tokens, they are renewed from time to time. */
  readonly certificates?: Pick<PodCertificates, "nextRefresh" | "forget">;
  supportsRecursiveReadOnly(pod: Pod): boolean;
  /** Gives CSI volumes of a pod back to their drivers, before what is left is unmounted. */
  unpublishCsi(podUID: string): Promise<void>;
  /** Names of attached volumes that an earlier kubelet has left mounted, by pod. */
  attachedOnDisk(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** A volume that is mounted could not be brought up to date. */
  warn(pod: Pod, message: string): void;
}

interface PodEntry {
  pod: Pod;
  readonly volumes: Map<string, MountedVolume>;
  /** Work on one pod's volumes is done in turn. */
  turn: Promise<unknown>;
  refreshing: boolean;
}

const log = logger("volumes");
/** Tokens that run out are looked for so often. */
const tokenCheckMs = 30_000;

/** The volumes of this node's pods. */
export class NodeVolumes implements PodVolumes {
  readonly #options: NodeVolumesOptions;
  readonly #pods = new Map<string, PodEntry>();
  readonly #leftOver = new Map<string, readonly string[]>();

  constructor(options: NodeVolumesOptions) {
    this.#options = options;
  }

  /** Finds what is still mounted, before anything is said of it. */
  async adopt(): Promise<void> {
    for (const [uid, names] of await this.#options.attachedOnDisk()) this.#leftOver.set(uid, names);
  }

  /** Follows API objects and tokens until the signal aborts. */
  run(signal: AbortSignal): void {
    const { objects, clock, tokens, certificates } = this.#options;
    const following = objects.subscribe((uids) => {
      for (const uid of uids) this.refresh(uid);
    });
    const timer = clock.every(
      tokenCheckMs,
      () => {
        for (const uid of this.#pods.keys()) {
          const due = [tokens.nextRefresh(uid), certificates?.nextRefresh(uid)];
          if (due.some((time) => time !== undefined && time <= clock.now())) this.refresh(uid);
        }
      },
      { keepAlive: false },
    );
    signal.addEventListener("abort", () => {
      following[Symbol.dispose]();
      timer.cancel();
    });
  }

  mount(pod: Pod, signal?: AbortSignal): Promise<void> {
    const uid = pod.metadata.uid ?? "";
    const entry = this.#pods.get(uid) ?? {
      pod,
      volumes: new Map(),
      turn: Promise.resolve(),
      refreshing: false,
    };
    entry.pod = pod;
    this.#pods.set(uid, entry);
    this.#options.objects.register(pod);
    return inTurn(entry, () => this.#setUp(entry, usedVolumes(pod), signal));
  }

  async containerMounts(request: ContainerMountRequest): Promise<readonly Mount[]> {
    const { mounter, directories, supportsRecursiveReadOnly } = this.#options;
    const { pod } = request;
    const uid = pod.metadata.uid ?? "";
    return containerMounts(request, {
      mounter,
      volumes: this.#pods.get(uid)?.volumes ?? new Map(),
      subPathDirectory: join(directories.pod(uid), "volume-subpaths"),
      supportsRecursiveReadOnly: supportsRecursiveReadOnly(pod),
    });
  }

  containerDevices(pod: Pod, container: Container): readonly Device[] {
    return containerDevices(
      container,
      this.#pods.get(pod.metadata.uid ?? "")?.volumes ?? new Map(),
    );
  }

  /** Brings all volumes up to date that show trust bundles. */
  refreshTrustBundles(): void {
    for (const [uid, { pod }] of this.#pods) {
      const shows = pod.spec.volumes?.some(({ projected }) =>
        projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
      );
      if (shows) this.refresh(uid);
    }
  }

  /** Where a volume of a pod is; undefined if it isn't mounted. */
  find(podUID: string, volume: string): MountedVolume | undefined {
    return this.#pods.get(podUID)?.volumes.get(volume);
  }

  async unmount(podUID: string): Promise<void> {
    const { objects, tokens, mounter, directories } = this.#options;
    const entry = this.#pods.get(podUID);
    const turn = entry?.turn.catch(() => undefined);
    this.#pods.delete(podUID);
    objects.unregister(podUID);
    tokens.forget(podUID);
    this.#options.certificates?.forget(podUID);
    await turn;
    const directory = directories.pod(podUID);
    await removeSubPaths(mounter, join(directory, "volume-subpaths"));
    await this.#options.unpublishCsi(podUID);
    for (const mountPoint of await mounter.below(directory)) await mounter.unmount(mountPoint);
    const left = await mounter.below(directory);
    if (left.length > 0) throw new Error(`${left.join(", ")} can't be unmounted`);
    await rm(directory, { recursive: true, force: true });
    this.#leftOver.delete(podUID);
  }

  async podsOnDisk(): Promise<readonly string[]> {
    const { pods } = this.#options.directories;
    await mkdir(pods, { recursive: true, mode: 0o750 });
    const entries = await readdir(pods, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** Names of attached volumes, for the node's status. */
  volumesInUse(): readonly string[] {
    const names = [...this.#pods.values()].flatMap(({ volumes }) =>
      [...volumes.values()].flatMap(({ uniqueName }) => uniqueName ?? []),
    );
    return [...new Set([...names, ...[...this.#leftOver.values()].flat()])].sort();
  }

  async #setUp(entry: PodEntry, volumes: readonly Volume[], signal?: AbortSignal): Promise<void> {
    await settleAll(
      volumes.map(async (volume) => {
        const held = entry.volumes.get(volume.name);
        if (held !== undefined && !held.follows) return;
        const mounted = await this.#setUpOne(entry.pod, volume, signal);
        entry.volumes.set(volume.name, mounted);
      }),
    );
  }

  async #setUpOne(pod: Pod, volume: Volume, signal?: AbortSignal): Promise<MountedVolume> {
    const plugin = this.#options.plugins.find((one) => one.handles(volume));
    try {
      if (plugin === undefined) throw new Error("no volume plugin matched");
      return await plugin.setUp({ pod, volume, signal });
    } catch (error) {
      if (error instanceof VolumeSetUpError) throw error;
      const { message } = error as Error;
      throw new VolumeSetUpError(
        `MountVolume.SetUp failed for volume "${volume.name}" : ${message}`,
        { cause: error },
      );
    }
  }

  /** Brings volumes that are mounted up to date; changes that come meanwhile are seen by the same turn or the next. */
  refresh(podUID: string): void {
    const entry = this.#pods.get(podUID);
    if (entry === undefined || entry.refreshing) return;
    entry.refreshing = true;
    const follow = async () => {
      entry.refreshing = false;
      const followed = usedVolumes(entry.pod).filter(
        ({ name }) => entry.volumes.get(name)?.follows === true,
      );
      if (this.#pods.get(podUID) === entry) await this.#setUp(entry, followed);
    };
    inTurn(entry, follow).catch((error: Error) => {
      log.error(error, "Updating a volume failed", { pod: entry.pod.metadata.name });
      this.#options.warn(entry.pod, error.message);
    });
  }
}

function inTurn(entry: PodEntry, work: () => Promise<void>): Promise<void> {
  const mine = entry.turn.catch(() => undefined).then(work);
  entry.turn = mine;
  return mine;
}

/** The volumes of a pod that some container uses; others are never set up. */
export function usedVolumes({ spec }: Pod): Volume[] {
  const used = new Set<string>();
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  for (const container of [...initContainers, ...containers, ...ephemeralContainers]) {
    for (const { name } of container.volumeMounts ?? []) used.add(name);
    for (const { name } of container.volumeDevices ?? []) used.add(name);
    for (const { valueFrom } of container.env ?? []) {
      if (valueFrom?.fileKeyRef) used.add(valueFrom.fileKeyRef.volumeName);
    }
  }
  return (spec.volumes ?? []).filter(({ name }) => used.has(name));
}
