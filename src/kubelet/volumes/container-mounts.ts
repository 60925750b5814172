/** Upstream: pkg/kubelet/kubelet_pods.go. */
import { join } from "node:path";
import type { Container, VolumeMount } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Device, Mount } from "../cri/container-messages.ts";
import { expandSubPath } from "../environment/expand-variables.ts";
import { runFileTask } from "../files/run-file-task.ts";
import type { ContainerMountRequest } from "../state/pod-services.ts";
import { checkSubPath } from "./sub-path.ts";
import type { MountedVolume } from "./volume-plugin.ts";

const log = logger("container-mounts");

interface ContainerMountContext {
  readonly mounter: Mounter;
  readonly volumes: ReadonlyMap<string, MountedVolume>;
  /** POD/volume-subpaths. */
  readonly subPathDirectory: string;
  readonly supportsRecursiveReadOnly: boolean;
}

/** The mounts of a container's volumeMounts, in the runtime's form. */
export async function containerMounts(
  request: ContainerMountRequest,
  context: ContainerMountContext,
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const [at, mount] of (request.container.volumeMounts ?? []).entries()) {
    mounts.push(await containerMount(mount, at, request, context));
  }
  return mounts;
}

/** The devices of a container's volumeDevices, in the runtime's form. */
export function containerDevices(
  { name, volumeDevices = [] }: Container,
  volumes: ReadonlyMap<string, MountedVolume>,
): Device[] {
  return volumeDevices.map(({ name: volumeName, devicePath }) => {
    if (!devicePath.startsWith("/")) {
      throw new Error(`error DevicePath \`${devicePath}\` must be an absolute path`);
    }
    const volume = volumes.get(volumeName);
    if (volume?.device !== true) {
      throw new Error(
        `cannot find volume ${goQuote(volumeName)} to pass into container ${goQuote(name)}`,
      );
    }
    const permissions = volume.readOnly ? "r" : "mrw";
    return { containerPath: devicePath, hostPath: volume.path, permissions };
  });
}

async function containerMount(
  mount: VolumeMount,
  at: number,
  request: ContainerMountRequest,
  context: ContainerMountContext,
): Promise<Mount> {
  const { container, images } = request;
  const volume = context.volumes.get(mount.name);
  if (volume === undefined || volume.device) {
    throw new Error(
      `cannot find volume ${goQuote(mount.name)} to mount into container ${goQuote(container.name)}`,
    );
  }
  const subPath = subPathOf(mount, request);
  if (subPath !== "") checkSubPath(subPath);
  const image = images.get(mount.name);
  const shared = {
    containerPath: mount.mountPath.startsWith("/") ? mount.mountPath : `/${mount.mountPath}`,
    readonly: (mount.readOnly ?? false) || volume.readOnly,
    recursiveReadOnly: isRecursiveReadOnly(mount, context.supportsRecursiveReadOnly),
    propagation: propagations[mount.mountPropagation ?? "None"] ?? "PROPAGATION_PRIVATE",
    ...(mount.bindMountOptions?.length && { mountOptions: mount.bindMountOptions }),
  } as const;
  if (image !== undefined) {
    return { ...shared, image, imageSubPath: subPath };
  }
  if (subPath === "") return { ...shared, hostPath: volume.path };
  const target = join(context.subPathDirectory, mount.name, container.name, String(at));
  const hostPath = await subPathMount(mount, request, { ...context, volume, subPath, target });
  return { ...shared, hostPath };
}

const propagations = {
  None: "PROPAGATION_PRIVATE",
  HostToContainer: "PROPAGATION_HOST_TO_CONTAINER",
  Bidirectional: "PROPAGATION_BIDIRECTIONAL",
} as const;

function subPathOf({ subPath = "", subPathExpr }: VolumeMount, request: ContainerMountRequest) {
  if (!subPathExpr) return subPath;
  const variables = Object.entries(request.environment).map(([name, value]) => ({ name, value }));
  return expandSubPath(subPathExpr, variables);
}

interface SubPathContext extends ContainerMountContext {
  readonly volume: MountedVolume;
  readonly subPath: string;
  readonly target: string;
}

/** Users see these messages: they do not contain the node's paths. */
async function subPathMount(
  mount: VolumeMount,
  { container }: ContainerMountRequest,
  { mounter, volume, subPath, target }: SubPathContext,
): Promise<string> {
  const of = `volumeMount ${goQuote(mount.name)} of container ${goQuote(container.name)}`;
  const request = { volume: volume.path, subPath };
  try {
    await runFileTask("makeSubPath", request, volume.path);
  } catch (cause) {
    log.error(cause, "Failed to create subPath directory", { container: container.name });
    throw new Error(`failed to create subPath directory for ${of}`, { cause });
  }
  try {
    const isMounted = await mounter.isMountPoint(target);
    await runFileTask("mountSubPath", { ...request, target, isMounted }, volume.path);
    return target;
  } catch (cause) {
    log.error(cause, "Failed to prepare subPath", { container: container.name });
    throw new Error(`failed to prepare subPath for ${of}`, { cause });
  }
}

function isRecursiveReadOnly(mount: VolumeMount, supported: boolean): boolean {
  const { recursiveReadOnly = "Disabled", readOnly = false, mountPropagation = "None" } = mount;
  if (recursiveReadOnly === "Disabled") return false;
  const refuse = (why: string) =>
    new Error(
      `failed to resolve recursive read-only mode: volume ${goQuote(mount.name)} requested recursive read-only mode, but it is ${why}`,
    );
  if (!readOnly) throw refuse("not read-only");
  if (mountPropagation !== "None") {
    throw refuse(`not compatible with propagation ${goQuote(mountPropagation)}`);
  }
  if (recursiveReadOnly === "Enabled" && !supported) throw refuse("not supported by the runtime");
  return supported;
}
