/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/debug/profiles.go. */
import type { Container, Pod, PodSpec, SecurityContext } from "#/api/core/v1.ts";
import { CommandError } from "../../base/errors.ts";

/** The mode of debugging: an ephemeral container in a Pod, a copy of a Pod, or a Pod on a node. */
type DebugStyle = "ephemeral" | "copy" | "node";

/** The parts of the original that a copy of a Pod keeps. */
export interface Kept {
  readonly labels: boolean;
  readonly annotations: boolean;
  readonly liveness: boolean;
  readonly readiness: boolean;
  readonly startup: boolean;
  readonly initContainers: boolean;
}

/** A Pod under construction, with its debugging container. */
interface Debugger {
  readonly pod: Pod;
  readonly container: string;
  readonly style: DebugStyle;
  readonly kept: Kept;
}

/** Applies a profile to a Pod and its debugging container. */
export type Profile = (debugging: Debugger) => void;

const profiles: Readonly<Record<string, Profile>> = {
  legacy: (debugging) => {
    const { pod, style } = debugging;
    if (style === "node") {
      mountHost(debugging);
      useHostNamespaces(pod);
    }
    if (style === "copy" && pod.metadata) delete pod.metadata.labels;
  },
  general: (debugging) => {
    const { pod, style } = debugging;
    if (style === "node") {
      mountHost(debugging);
      clearSecurity(debugging);
      useHostNamespaces(pod);
      return;
    }
    if (style === "copy") strip(debugging);
    addCapabilities(debugging, ["SYS_PTRACE"]);
    if (style === "copy") shareProcesses(pod);
  },
  baseline: (debugging) => {
    clearSecurity(debugging);
    stripCopy(debugging);
  },
  restricted: (debugging) => {
    clearSecurity(debugging);
    secure(debugging, {
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
      allowPrivilegeEscalation: false,
      seccompProfile: { type: "RuntimeDefault" },
    });
    stripCopy(debugging);
  },
  netadmin: (debugging) => {
    addCapabilities(debugging, ["NET_ADMIN", "NET_RAW"]);
    if (debugging.style === "node") useHostNamespaces(debugging.pod);
    stripCopy(debugging);
  },
  sysadmin: (debugging) => {
    secure(debugging, { privileged: true });
    if (debugging.style === "node") {
      useHostNamespaces(debugging.pod);
      mountHost(debugging);
    }
    stripCopy(debugging);
  },
};

/** The profile of a name. */
export function profileOf(name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw new CommandError(`unknown profile: ${name}`);
  return profile;
}

function specOf(pod: Pod): PodSpec {
  pod.spec ??= { containers: [] };
  return pod.spec;
}

/** The container of a name; init containers are searched first. */
function findContainer({
  pod,
  container,
}: Debugger): Pick<Container, "securityContext"> | undefined {
  const { initContainers = [], containers, ephemeralContainers = [] } = specOf(pod);
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  return all.find(({ name }) => name === container);
}

function clearSecurity(debugging: Debugger): void {
  const container = findContainer(debugging);
  if (container) delete container.securityContext;
}

function secure(debugging: Debugger, context: SecurityContext): void {
  const container = findContainer(debugging);
  if (container) container.securityContext = { ...container.securityContext, ...context };
}

function addCapabilities(debugging: Debugger, added: readonly string[]): void {
  const { capabilities } = findContainer(debugging)?.securityContext ?? {};
  const add = [...(capabilities?.add ?? []), ...added];
  secure(debugging, { capabilities: { ...capabilities, add } });
}

function mountHost({ pod, container }: Debugger): void {
  const name = "host-root";
  const spec = specOf(pod);
  spec.volumes = [...(spec.volumes ?? []), { name, hostPath: { path: "/" } }];
  const found = spec.containers.find((each) => each.name === container);
  if (!found) return;
  found.volumeMounts = [...(found.volumeMounts ?? []), { name, mountPath: "/host" }];
}

function useHostNamespaces(pod: Pod): void {
  Object.assign(specOf(pod), { hostNetwork: true, hostPID: true, hostIPC: true });
}

function shareProcesses(pod: Pod): void {
  specOf(pod).shareProcessNamespace ??= true;
}

function stripCopy(debugging: Debugger): void {
  if (debugging.style !== "copy") return;
  strip(debugging);
  shareProcesses(debugging.pod);
}

/** Removes labels and other parts by which controllers would take the copy for the original. */
function strip({ pod, kept }: Debugger): void {
  const spec = specOf(pod);
  if (!kept.labels) delete pod.metadata?.labels;
  if (!kept.annotations) delete pod.metadata?.annotations;
  for (const container of spec.containers) {
    if (!kept.liveness) delete container.livenessProbe;
    if (!kept.readiness) delete container.readinessProbe;
    if (!kept.startup) delete container.startupProbe;
  }
  if (!kept.initContainers) delete spec.initContainers;
}
