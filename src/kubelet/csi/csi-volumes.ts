/** Upstream: pkg/volume/csi/{csi_mounter,csi_attacher,csi_util}.go. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PersistentVolume, Pod, Secret, Volume } from "#/api/core/v1.ts";
import { type CSIDriver, csiDrivers, volumeAttachments } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/status-error.ts";
import { logger } from "#/std/log.ts";
import type { Directories } from "../directories.ts";
import type { Mounter } from "../volumes/mounter.ts";
import type { PersistentRequest } from "../volumes/persistent-plugin.ts";
import type { TokenSubject } from "../volumes/service-account-tokens.ts";
import { ensureVolumeOwnership } from "../volumes/volume-ownership.ts";
import {
  type MountedVolume,
  type VolumePlugin,
  VolumeSetUpError,
} from "../volumes/volume-plugin.ts";
import type { CsiDriver, CsiDrivers } from "./csi-drivers.ts";
import type { CsiAccessMode, VolumeCapability } from "./csi-service.ts";

export interface CsiVolumesOptions {
  readonly client: Client;
  readonly drivers: CsiDrivers;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly nodeName: string;
  getSecret(namespace: string, name: string): Promise<Secret>;
  getToken(subject: TokenSubject): Promise<{ token: string; expirationTimestamp: string }>;
}

/** A volume of a driver, persistent or a pod's own. */
interface Wanted {
  readonly pod: Pod;
  readonly driver: string;
  readonly handle: string;
  /** Its name in paths: the persistent volume's, or the pod's volume's. */
  readonly specName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  readonly readOnly: boolean;
  readonly accessModes: readonly string[];
  readonly ephemeral: boolean;
  readonly stageSecret?: { namespace?: string; name?: string } | undefined;
  readonly publishSecret?: { namespace?: string; name?: string } | undefined;
}

/** What a later kubelet has to know to give a volume back; upstream's file. */
interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly volumeLifecycleMode: string;
  readonly specVolID: string;
  readonly nodeName: string;
  readonly attachmentID: string;
}

const log = logger("csi");
const dataFile = "vol_data.json";
const requestMs = 2 * 60_000;
const pluginDirectory = "kubernetes.io~csi";

/** Volumes of CSI drivers. */
export class CsiVolumes {
  readonly #options: CsiVolumesOptions;

  constructor(options: CsiVolumesOptions) {
    this.#options = options;
  }

  /** The plugin of volumes that a pod has for itself. */
  plugin(): VolumePlugin {
    return {
      handles: ({ csi }) => csi !== undefined,
      setUp: ({ pod, volume }) => this.#setUp(inlineVolume(pod, volume)),
    };
  }

  setUpPersistent({ pod, persistentVolume, readOnly }: PersistentRequest): Promise<MountedVolume> {
    return this.#setUp(persistent(pod, persistentVolume, readOnly));
  }

  async #setUp(wanted: Wanted): Promise<MountedVolume> {
    const { drivers, directories, nodeName, mounter } = this.#options;
    const driver = drivers.get(wanted.driver);
    const object = await this.#driverObject(wanted.driver);
    const podUID = wanted.pod.metadata.uid ?? "";
    const directory = directories.volume(podUID, "kubernetes.io/csi", wanted.specName);
    const target = join(directory, "mount");
    const attaches = !wanted.ephemeral && object?.spec.attachRequired !== false;
    const mounted: MountedVolume = {
      path: target,
      readOnly: wanted.readOnly,
      follows: object?.spec.requiresRepublish === true,
      specName: wanted.specName,
      ...(attaches && { uniqueName: uniqueName(wanted.driver, wanted.handle) }),
    };
    if (!mounted.follows && (await mounter.isMountPoint(target))) return mounted;
    const attachmentID = attachmentName(wanted, nodeName);
    const publishContext = attaches ? await this.#attached(attachmentID, wanted) : {};
    const stagingTargetPath = await this.#stage(driver, wanted, publishContext);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await saveData(directory, {
      ...dataOf(wanted, nodeName),
      attachmentID: attaches ? attachmentID : "",
    });
    await driver.node.NodePublishVolume(
      {
        volumeId: wanted.handle,
        publishContext,
        stagingTargetPath,
        targetPath: target,
        volumeCapability: capability(wanted, driver),
        readonly: wanted.readOnly,
        secrets: await this.#secrets(wanted.publishSecret),
        volumeContext: await this.#context(wanted, object),
      },
      { timeoutMs: requestMs },
    );
    await this.#own(target, wanted, driver, object);
    return mounted;
  }

  async #driverObject(name: string): Promise<CSIDriver | undefined> {
    try {
      return await this.#options.client.get(csiDrivers, { name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** What attaching the volume gave; throws as long as it isn't attached. */
  async #attached(name: string, wanted: Wanted): Promise<Record<string, string>> {
    const notYet = (why: string) =>
      new VolumeSetUpError(
        `MountVolume.WaitForAttach failed for volume "${wanted.specName}" : ${why}`,
      );
    try {
      const { status } = await this.#options.client.get(volumeAttachments, { name });
      if (status?.attached) return status.attachmentMetadata ?? {};
      throw notYet(status?.attachError?.message ?? `volume attachment ${name} is not attached yet`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw notYet(`volume attachment ${name} not found`);
    }
  }

  /** Stages a volume if its driver does that; where it is staged, or "". */
  async #stage(
    driver: CsiDriver,
    wanted: Wanted,
    publishContext: Record<string, string>,
  ): Promise<string> {
    if (wanted.ephemeral || !driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) return "";
    const base = this.#stagingDirectory(wanted.driver, wanted.handle);
    const path = join(base, "globalmount");
    await mkdir(path, { recursive: true, mode: 0o750 });
    await saveData(base, dataOf(wanted, this.#options.nodeName));
    await driver.node.NodeStageVolume(
      {
        volumeId: wanted.handle,
        publishContext,
        stagingTargetPath: path,
        volumeCapability: capability(wanted, driver),
        secrets: await this.#secrets(wanted.stageSecret),
        volumeContext: { ...wanted.attributes },
      },
      { timeoutMs: requestMs },
    );
    return path;
  }

  #stagingDirectory(driver: string, handle: string): string {
    const hash = createHash("sha256").update(handle).digest("hex");
    return join(this.#options.directories.plugins, "kubernetes.io/csi", driver, hash);
  }

  async #secrets(ref: Wanted["publishSecret"]): Promise<Record<string, string>> {
    if (!ref?.name) return {};
    const { data = {} } = await this.#options.getSecret(ref.namespace ?? "", ref.name);
    return Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
    );
  }

  async #context(wanted: Wanted, object: CSIDriver | undefined): Promise<Record<string, string>> {
    const context = { ...wanted.attributes };
    const { name = "", namespace = "", uid = "" } = wanted.pod.metadata;
    const serviceAccount = wanted.pod.spec.serviceAccountName ?? "";
    if (object?.spec.podInfoOnMount) {
      Object.assign(context, {
        "csi.storage.k8s.io/pod.name": name,
        "csi.storage.k8s.io/pod.namespace": namespace,
        "csi.storage.k8s.io/pod.uid": uid,
        "csi.storage.k8s.io/serviceAccount.name": serviceAccount,
        "csi.storage.k8s.io/ephemeral": String(wanted.ephemeral),
      });
    }
    const tokens: Record<string, unknown> = {};
    for (const { audience, expirationSeconds } of object?.spec.tokenRequests ?? []) {
      const subject = { namespace, serviceAccount, podName: name, podUID: uid };
      tokens[audience] = await this.#options.getToken({ ...subject, audience, expirationSeconds });
    }
    if (Object.keys(tokens).length > 0) {
      context["csi.storage.k8s.io/serviceAccount.tokens"] = JSON.stringify(tokens);
    }
    return context;
  }

  async #own(target: string, wanted: Wanted, driver: CsiDriver, object: CSIDriver | undefined) {
    const { fsGroup, fsGroupChangePolicy } = wanted.pod.spec.securityContext ?? {};
    if (fsGroup === undefined || driver.capabilities.has("VOLUME_MOUNT_GROUP")) return;
    const policy = object?.spec.fsGroupPolicy ?? "ReadWriteOnceWithFSType";
    const single = wanted.accessModes.some((mode) => mode.startsWith("ReadWriteOnce"));
    const applies =
      policy === "File" ||
      (policy === "ReadWriteOnceWithFSType" && wanted.fsType !== "" && single && !wanted.readOnly);
    if (!applies) return;
    const onRootMismatch = fsGroupChangePolicy === "OnRootMismatch";
    await ensureVolumeOwnership(target, { fsGroup, readOnly: wanted.readOnly, onRootMismatch });
  }

  /** Names of the attached volumes that pods have on disk, by pod: what an earlier kubelet has left. */
  async attachedOnDisk(): Promise<Map<string, readonly string[]>> {
    const { pods } = this.#options.directories;
    const attached = new Map<string, readonly string[]>();
    for (const uid of await readdir(pods).catch(() => [])) {
      const base = join(pods, uid, "volumes", pluginDirectory);
      const names: string[] = [];
      for (const name of await readdir(base).catch(() => [])) {
        const data = await loadData(join(base, name));
        if (data?.attachmentID) names.push(uniqueName(data.driverName, data.volumeHandle));
      }
      if (names.length > 0) attached.set(uid, names);
    }
    return attached;
  }

  /** Gives all volumes of a pod back to their drivers. */
  async tearDown(podUID: string): Promise<void> {
    const { directories, drivers } = this.#options;
    const base = join(directories.pod(podUID), "volumes", pluginDirectory);
    for (const name of await readdir(base).catch(() => [])) {
      const directory = join(base, name);
      const data = await loadData(directory);
      if (data === undefined) continue;
      const { driverName, volumeHandle } = data;
      const driver = drivers.get(driverName);
      const targetPath = join(directory, "mount");
      await driver.node.NodeUnpublishVolume(
        { volumeId: volumeHandle, targetPath },
        { timeoutMs: requestMs },
      );
      await rm(directory, { recursive: true, force: true });
      await this.#unstage(driver, data, podUID);
    }
  }

  /** Unstages a volume that no other pod of this node uses. */
  async #unstage(driver: CsiDriver, data: VolumeData, podUID: string): Promise<void> {
    if (!driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) return;
    if (data.volumeLifecycleMode === "Ephemeral" || (await this.#usedElsewhere(data, podUID)))
      return;
    const base = this.#stagingDirectory(data.driverName, data.volumeHandle);
    const stagingTargetPath = join(base, "globalmount");
    const request = { volumeId: data.volumeHandle, stagingTargetPath };
    await driver.node.NodeUnstageVolume(request, { timeoutMs: requestMs });
    await rm(base, { recursive: true, force: true });
    log.v(2, "CSI volume unstaged", { volume: data.volumeHandle });
  }

  /** Whether another pod has the volume on disk. */
  async #usedElsewhere({ driverName, volumeHandle }: VolumeData, podUID: string): Promise<boolean> {
    const { pods } = this.#options.directories;
    for (const uid of await readdir(pods)) {
      if (uid === podUID) continue;
      const base = join(pods, uid, "volumes", pluginDirectory);
      for (const name of await readdir(base).catch(() => [])) {
        const data = await loadData(join(base, name));
        if (data?.driverName === driverName && data.volumeHandle === volumeHandle) return true;
      }
    }
    return false;
  }
}

/** As a node's status lists it. */
function uniqueName(driver: string, handle: string): string {
  return `kubernetes.io/csi/${driver}^${handle}`;
}

function attachmentName({ handle, driver }: Wanted, nodeName: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${nodeName}`).digest("hex")}`;
}

function inlineVolume(pod: Pod, { name, csi }: Volume): Wanted {
  const uid = pod.metadata.uid ?? "";
  const namespace = pod.metadata.namespace ?? "";
  const secret = csi?.nodePublishSecretRef?.name;
  return {
    pod,
    driver: csi?.driver ?? "",
    handle: `csi-${createHash("sha256").update(`${uid}${name}`).digest("hex")}`,
    specName: name,
    attributes: csi?.volumeAttributes ?? {},
    fsType: csi?.fsType ?? "",
    mountOptions: [],
    readOnly: csi?.readOnly ?? false,
    accessModes: ["ReadWriteOnce"],
    ephemeral: true,
    ...(secret && { publishSecret: { namespace, name: secret } }),
  };
}

function persistent(pod: Pod, { metadata, spec }: PersistentVolume, readOnly: boolean): Wanted {
  const { csi } = spec;
  return {
    pod,
    driver: csi?.driver ?? "",
    handle: csi?.volumeHandle ?? "",
    specName: metadata.name ?? "",
    attributes: csi?.volumeAttributes ?? {},
    fsType: csi?.fsType ?? "",
    mountOptions: spec.mountOptions ?? [],
    readOnly: readOnly || (csi?.readOnly ?? false),
    accessModes: spec.accessModes ?? [],
    ephemeral: false,
    stageSecret: csi?.nodeStageSecretRef,
    publishSecret: csi?.nodePublishSecretRef,
  };
}

const modes: Readonly<Record<string, CsiAccessMode>> = {
  ReadWriteOnce: "SINGLE_NODE_WRITER",
  ReadOnlyMany: "MULTI_NODE_READER_ONLY",
  ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
  ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
};

function capability(wanted: Wanted, driver: CsiDriver): VolumeCapability {
  const { fsGroup } = wanted.pod.spec.securityContext ?? {};
  const mountGroup = driver.capabilities.has("VOLUME_MOUNT_GROUP") ? fsGroup : undefined;
  const mode = accessMode(wanted.accessModes, driver.capabilities.has("SINGLE_NODE_MULTI_WRITER"));
  return {
    mount: {
      fsType: wanted.fsType,
      mountFlags: [...wanted.mountOptions],
      ...(mountGroup !== undefined && { volumeMountGroup: String(mountGroup) }),
    },
    accessMode: { mode },
  };
}

/** The widest of a volume's modes, in the words that the driver knows. */
export function accessMode(names: readonly string[], singleNodeModes: boolean): CsiAccessMode {
  const widest = ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod"].find(
    (one) => names.includes(one),
  );
  if (widest === "ReadWriteOnce" && singleNodeModes) return "SINGLE_NODE_MULTI_WRITER";
  if (widest === "ReadWriteOncePod" && !singleNodeModes) return "SINGLE_NODE_WRITER";
  return modes[widest ?? ""] ?? "UNKNOWN";
}

function dataOf(wanted: Wanted, nodeName: string): VolumeData {
  return {
    driverName: wanted.driver,
    volumeHandle: wanted.handle,
    volumeLifecycleMode: wanted.ephemeral ? "Ephemeral" : "Persistent",
    specVolID: wanted.specName,
    nodeName,
    attachmentID: wanted.ephemeral ? "" : attachmentName(wanted, nodeName),
  };
}

async function saveData(directory: string, data: VolumeData): Promise<void> {
  await writeFile(join(directory, dataFile), `${JSON.stringify(data)}\n`);
}

async function loadData(directory: string): Promise<VolumeData | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, dataFile), "utf8"));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
