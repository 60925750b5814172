/** Upstream: pkg/kubelet/volumemanager, pkg/kubelet/kubelet_volumes.go. */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Container, Pod, Volume } from "#/api/core/v1.ts";
import { orAborted } from "#/std/async/aborted.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Device, Mount } from "../cri/container-messages.ts";
import { removeTree } from "../files/remove-tree.ts";
import type { Directories } from "../state/directories.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { ContainerMountRequest, PodVolumes } from "../state/pod-services.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
import { containerDevices, containerMounts } from "./container-mounts.ts";
import type { PodCertificates } from "./pod-certificates.ts";
import type { ReferencedObjects } from "./referenced-objects.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import { removeSubPaths } from "./sub-path.ts";
import type { TrustBundles } from "./trust-bundles.ts";
import {
  type MountedVolume,
  pluginOfVolume,
  type VolumePlugin,
  VolumeSetUpError,
} from "./volume-plugin.ts";

interface NodeVolumesOptions {
  readonly clock: Clock;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly plugins: readonly VolumePlugin[];
  readonly events: PodEvents;
  readonly inUse: Pick<VolumesInUse, "add" | "remove">;
  readonly objects: Pick<ReferencedObjects, "register" | "unregister" | "subscribe">;
  readonly bundles: Pick<TrustBundles, "subscribe">;
  readonly tokens: Pick<ServiceAccountTokens, "nextRefresh" | "forget">;
  readonly certificates: Pick<PodCertificates, "nextRefresh" | "forget" | "subscribe">;
  supportsRecursiveReadOnly(): boolean;
}

interface PodEntry {
  pod: Pod;
  readonly volumes: Map<string, MountedVolume>;
  /** Queue of the work on one pod's volumes: one task at a time. */
  turn: Promise<unknown>;
  refreshing: boolean;
}

const log = logger("volumes");
/** How often tokens and certificates are checked for their time of renewal (ms). */
const credentialCheckMs = 30_000;

/** The volumes of this node's pods. */
export class NodeVolumes implements PodVolumes {
  readonly #options: NodeVolumesOptions;
  readonly #pods = new Map<string, PodEntry>();
  /** Device and inode of the kubelet's folder, as it was first seen. */
  #folder: string | undefined;

  constructor(options: NodeVolumesOptions) {
    this.#options = options;
  }

  /** Finds the volumes that are still mounted, before any is reported. */
  async adopt(): Promise<void> {
    for (const plugin of this.#options.plugins) {
      const attached = (await plugin.attachedOnDisk?.()) ?? new Map();
      for (const [uid, names] of attached) {
        for (const name of names) this.#options.inUse.add(uid, name);
      }
    }
  }

  /** Updates volumes whose API objects or credentials change, until the signal aborts. */
  run(signal: AbortSignal): void {
    const { objects, bundles, certificates, clock } = this.#options;
    const following = new DisposableStack();
    following.use(
      objects.subscribe((uids) => {
        for (const uid of uids) this.refresh(uid);
      }),
    );
    following.use(bundles.subscribe(() => this.#refreshTrustBundles()));
    following.use(certificates.subscribe((uid) => this.refresh(uid)));
    const timer = clock.every(credentialCheckMs, () => this.#refreshCredentials(), {
      keepAlive: false,
    });
    following.defer(() => timer.cancel());
    signal.addEventListener("abort", () => following.dispose());
  }

  /** Rejects at once when the signal aborts; unmount() waits for the calls that are still running. */
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
    const settingUp = inTurn(entry, () => this.#setUp(entry, usedVolumes(pod), signal));
    return signal ? orAborted(settingUp, signal) : settingUp;
  }

  async containerMounts(request: ContainerMountRequest): Promise<readonly Mount[]> {
    const { mounter, directories, supportsRecursiveReadOnly } = this.#options;
    const { pod } = request;
    const uid = pod.metadata.uid ?? "";
    return containerMounts(request, {
      mounter,
      volumes: this.#pods.get(uid)?.volumes ?? new Map(),
      subPathDirectory: join(directories.pod(uid), "volume-subpaths"),
      supportsRecursiveReadOnly: supportsRecursiveReadOnly(),
    });
  }

  containerDevices(pod: Pod, container: Container): readonly Device[] {
    return containerDevices(
      container,
      this.#pods.get(pod.metadata.uid ?? "")?.volumes ?? new Map(),
    );
  }

  #refreshCredentials(): void {
    const { clock, tokens, certificates } = this.#options;
    for (const uid of this.#pods.keys()) {
      const due = [tokens.nextRefresh(uid), certificates.nextRefresh(uid)];
      if (due.some((time) => time !== undefined && time <= clock.now())) this.refresh(uid);
    }
  }

  /** Updates all volumes that contain trust bundles. */
  #refreshTrustBundles(): void {
    for (const [uid, { pod }] of this.#pods) {
      const shows = pod.spec.volumes?.some(({ projected }) =>
        projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
      );
      if (shows) this.refresh(uid);
    }
  }

  /** Path of a pod's volume; undefined if it isn't mounted. */
  find(podUID: string, volume: string): MountedVolume | undefined {
    return this.#pods.get(podUID)?.volumes.get(volume);
  }

  async unmount(podUID: string): Promise<void> {
    const { objects, tokens, certificates, mounter, directories, plugins } = this.#options;
    const entry = this.#pods.get(podUID);
    const turn = entry?.turn.catch(() => undefined);
    this.#pods.delete(podUID);
    objects.unregister(podUID);
    tokens.forget(podUID);
    certificates.forget(podUID);
    await turn;
    const directory = directories.pod(podUID);
    await removeSubPaths(mounter, join(directory, "volume-subpaths"));
    for (const plugin of plugins) await plugin.tearDown?.(podUID);
    for (const mountPoint of await mounter.below(directory)) await mounter.unmount(mountPoint);
    const left = await mounter.below(directory);
    if (left.length > 0) throw new Error(`${left.join(", ")} can't be unmounted`);
    await removeTree(directory);
    this.#options.inUse.remove(podUID);
  }

  /** Rejects if the kubelet's folder is no longer the one it was: the Pods that are there now may be those of another kubelet. */
  async podsOnDisk(): Promise<readonly string[]> {
    const { pods, root } = this.#options.directories;
    await mkdir(pods, { recursive: true, mode: 0o750 });
    const { dev, ino } = await stat(root);
    this.#folder ??= `${dev} ${ino}`;
    if (this.#folder !== `${dev} ${ino}`) throw new Error(`${root} is another folder than before`);
    const entries = await readdir(pods, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
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
    const plugin = pluginOfVolume(this.#options.plugins, volume);
    try {
      if (!plugin?.setUp) throw new Error("no volume plugin matched");
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

  /** Updates mounted volumes; a change that arrives meanwhile is handled by the same run or the next. */
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
      const { pod } = entry;
      const { message } = error;
      log.error(error, "failed to update a volume", { pod: pod.metadata.name });
      this.#options.events.record(pod, { type: "Warning", reason: "FailedMount", message });
    });
  }
}

function inTurn(entry: PodEntry, work: () => Promise<void>): Promise<void> {
  const mine = entry.turn.catch(() => undefined).then(work);
  entry.turn = mine;
  return mine;
}

/** The volumes of a pod that some container uses; others are never set up. */
function usedVolumes({ spec }: Pod): Volume[] {
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
