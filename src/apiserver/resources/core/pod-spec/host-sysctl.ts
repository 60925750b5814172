import type { PodSpec } from "#/api/core/v1.ts";

/**
 * Kernel parameters that belong to namespaces which a Pod may share with its host.
 *
 * Upstream: staging/src/k8s.io/component-helpers/node/util/sysctl/namespace.go.
 */

const ipcNames: ReadonlySet<string> = new Set([
  "kernel.sem",
  "kernel.shmall",
  "kernel.shmmax",
  "kernel.shmmni",
  "kernel.shm_rmid_forced",
  "kernel.shm",
  "kernel.msgmax",
  "kernel.msgmnb",
  "kernel.msgmni",
  "kernel.msg",
]);

/** The problem with a parameter that belongs to a namespace of the host; undefined if there is none. */
export function hostSysctlProblem(sysctl: string, spec: PodSpec): string | undefined {
  const namespace = namespaceOf(sysctl);
  if (spec.hostNetwork && namespace === "net") {
    return "may not be specified when 'hostNetwork' is true";
  }
  if (spec.hostIPC && namespace === "ipc") return "may not be specified when 'hostIPC' is true";
  return undefined;
}

/** Whether a Pod sets a parameter of a host namespace. */
export function hasHostSysctl(spec: PodSpec): boolean {
  const sysctls = spec.securityContext?.sysctls ?? [];
  return sysctls.some(({ name }) => hostSysctlProblem(name, spec) !== undefined);
}

function namespaceOf(sysctl: string): "net" | "ipc" | undefined {
  const [name = ""] = withDots(sysctl).split("*");
  if (name.startsWith("net.")) return "net";
  return ipcNames.has(name) || name.startsWith("fs.mqueue.") ? "ipc" : undefined;
}

/** If slashes are the separators, swaps dots and slashes. */
function withDots(sysctl: string): string {
  if (/[./]/.exec(sysctl)?.[0] !== "/") return sysctl;
  return sysctl.replace(/[./]/g, (separator) => (separator === "/" ? "." : "/"));
}
