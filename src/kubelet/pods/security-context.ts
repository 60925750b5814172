/** Upstream: pkg/kubelet/kuberuntime/security_context.go, pkg/securitycontext/util.go. */
import { join } from "node:path";
import type { AppArmorProfile, Pod, SeccompProfile, SecurityContext } from "#/api/core/v1.ts";
import type { LinuxContainerSecurityContext } from "../cri/container-messages.ts";
import type { NamespaceMode, NamespaceOption, SecurityProfile } from "../cri/sandbox-messages.ts";
import { type AnyContainer, describePod } from "../state/pod-containers.ts";

/** The user of an image's configuration. */
export interface ImageUser {
  /** Undefined if the image has a user name instead of a uid. */
  readonly uid?: number | undefined;
  readonly username: string;
}

interface SecurityOptions {
  readonly seccompRoot: string;
  /** Containers without a seccomp profile get the runtime's. */
  readonly seccompDefault: boolean;
  /** Groups of volumes, in addition to those of the pod. */
  readonly extraGroups?: readonly number[];
  readonly usernsOptions?: NamespaceOption["usernsOptions"];
  /** The id of the container whose process namespace an ephemeral container shares. */
  readonly targetId?: string | undefined;
}

/** The container's settings, with the pod's where it has none. */
function effectiveSecurityContext(pod: Pod, container: AnyContainer): SecurityContext {
  const { runAsUser, runAsGroup, runAsNonRoot, seLinuxOptions } = pod.spec.securityContext ?? {};
  return {
    ...(seLinuxOptions && { seLinuxOptions }),
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(runAsNonRoot !== undefined && { runAsNonRoot }),
    ...container.securityContext,
  };
}

/** Throws upstream's message if a container with runAsNonRoot would, or might, run as root. */
export function verifyRunAsNonRoot(pod: Pod, container: AnyContainer, user: ImageUser): void {
  const { runAsNonRoot, runAsUser } = effectiveSecurityContext(pod, container);
  if (!runAsNonRoot) return;
  const where = `(pod: "${describePod(pod)}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (runAsUser !== 0) return;
    throw new Error(`container's runAsUser breaks non-root policy ${where}`);
  }
  if (user.uid === undefined && user.username !== "") {
    throw new Error(
      `container has runAsNonRoot and image has non-numeric user (${user.username}), cannot verify user is non-root ${where}`,
    );
  }
  if (user.uid === 0) {
    throw new Error(`container has runAsNonRoot and image will run as root ${where}`);
  }
  if ((user.uid ?? 1) > 2147483647) {
    throw new Error(
      `container has runAsNonRoot and image has an invalid user id (${user.uid}). (Must be 1-(2147483647)): must be between 0 and 2147483647, inclusive ${where}`,
    );
  }
}

/** The namespaces of a pod's containers. */
export function namespaceOptions(
  pod: Pod,
  userns?: NamespaceOption["usernsOptions"],
): NamespaceOption {
  const { hostIPC, hostNetwork, hostPID, shareProcessNamespace } = pod.spec;
  const pid: NamespaceMode = hostPID ? "NODE" : shareProcessNamespace ? "POD" : "CONTAINER";
  return {
    ipc: hostIPC ? "NODE" : "POD",
    network: hostNetwork ? "NODE" : "POD",
    pid,
    ...(userns && { usernsOptions: userns }),
  };
}

/** A container's security context in the runtime's form. */
export function linuxSecurityContext(
  pod: Pod,
  container: AnyContainer,
  user: ImageUser,
  options: SecurityOptions,
): LinuxContainerSecurityContext {
  const effective = effectiveSecurityContext(pod, container);
  const { runAsUser, runAsGroup, capabilities, seLinuxOptions } = effective;
  const unmasked = effective.procMount === "Unmasked";
  const namespaces = namespaceOptions(pod, options.usernsOptions);
  const shared =
    options.targetId !== undefined && namespaces.pid === "CONTAINER"
      ? { ...namespaces, pid: "TARGET" as const, targetId: options.targetId }
      : namespaces;
  const runAs = runAsUser ?? user.uid;
  return {
    ...(capabilities && {
      capabilities: {
        addCapabilities: capabilities.add ?? [],
        dropCapabilities: capabilities.drop ?? [],
      },
    }),
    privileged: effective.privileged ?? false,
    namespaceOptions: shared,
    ...(seLinuxOptions && { selinuxOptions: seLinuxOptions }),
    ...(runAs !== undefined && { runAsUser: { value: runAs } }),
    ...(runAsGroup !== undefined && { runAsGroup: { value: runAsGroup } }),
    runAsUsername: runAsUser === undefined ? user.username : "",
    readonlyRootfs: effective.readOnlyRootFilesystem ?? false,
    ...groupSettings(pod, options.extraGroups),
    noNewPrivs: effective.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : maskedPaths,
    readonlyPaths: unmasked ? [] : readonlyPaths,
    seccomp: seccompProfile(pod, container, options),
    ...apparmorProfile(pod, container),
  };
}

/** Supplemental groups of a pod's processes. */
export function groupSettings(pod: Pod, extraGroups: readonly number[] = []) {
  const {
    fsGroup,
    supplementalGroups = [],
    supplementalGroupsPolicy,
  } = pod.spec.securityContext ?? {};
  return {
    supplementalGroups: [
      ...(fsGroup === undefined ? [] : [fsGroup]),
      ...supplementalGroups,
      ...extraGroups,
    ],
    ...(supplementalGroupsPolicy && {
      supplementalGroupsPolicy: supplementalGroupsPolicy as "Merge" | "Strict",
    }),
  };
}

const maskedPaths = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];

const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

function seccompProfile(
  pod: Pod,
  container: AnyContainer,
  options: SecurityOptions,
): SecurityProfile {
  const profile: SeccompProfile | undefined =
    container.securityContext?.seccompProfile ?? pod.spec.securityContext?.seccompProfile;
  if (!profile) return { profileType: options.seccompDefault ? "RuntimeDefault" : "Unconfined" };
  if (profile.type === "RuntimeDefault") return { profileType: "RuntimeDefault" };
  if (profile.type !== "Localhost") return { profileType: "Unconfined" };
  if (!profile.localhostProfile) {
    throw new Error("localhostProfile must be set if seccompProfile type is Localhost.");
  }
  const localhostRef = join(options.seccompRoot, profile.localhostProfile);
  return { profileType: "Localhost", localhostRef };
}

function apparmorProfile(
  pod: Pod,
  container: AnyContainer,
): Pick<LinuxContainerSecurityContext, "apparmor" | "apparmorProfile"> {
  const profile: AppArmorProfile | undefined =
    container.securityContext?.appArmorProfile ?? pod.spec.securityContext?.appArmorProfile;
  switch (profile?.type) {
    case "RuntimeDefault":
      return { apparmor: { profileType: "RuntimeDefault" }, apparmorProfile: "runtime/default" };
    case "Unconfined":
      return { apparmor: { profileType: "Unconfined" }, apparmorProfile: "unconfined" };
    case "Localhost": {
      const name = profile.localhostProfile;
      if (name === undefined) throw new Error("missing localhost apparmor profile name");
      return {
        apparmor: { profileType: "Localhost", localhostRef: name },
        apparmorProfile: `localhost/${name}`,
      };
    }
    default:
      return {};
  }
}
