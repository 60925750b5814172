/** Upstream: pkg/kubelet/sysctl, staging/src/k8s.io/component-helpers/node/util/sysctl. Pure. */
import type { Pod } from "#/api/core/v1.ts";
import type { Admission } from "../../state/pod-services.ts";

/** Sysctls that pods may set without a permission: they are namespaced, and have no effect on others. */
const safeSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
  "net.ipv4.tcp_slow_start_after_idle",
  "net.ipv4.tcp_notsent_lowat",
];

/** Whether the sysctls that a pod sets are allowed here: the safe ones and the operator's patterns (`net.*`). */
export function admitSysctls({ spec }: Pod, allowedUnsafe: readonly string[]): Admission {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemWith(dotted(name), spec, allowedUnsafe);
    if (problem === undefined) continue;
    const message = `forbidden sysctl: ${problem}`;
    return { admitted: false, reason: "SysctlForbidden", message };
  }
  return { admitted: true };
}

function problemWith(
  sysctl: string,
  spec: Pod["spec"],
  allowedUnsafe: readonly string[],
): string | undefined {
  const patterns = [...safeSysctls, ...allowedUnsafe.map(dotted)];
  const allowed = patterns.some((pattern) =>
    pattern.endsWith("*") ? sysctl.startsWith(pattern.slice(0, -1)) : sysctl === pattern,
  );
  if (!allowed) return `"${sysctl}" not allowlisted`;
  const namespace = namespaceOf(sysctl);
  const shared =
    (namespace === "ipc" && spec.hostIPC) ||
    (namespace === "net" && spec.hostNetwork) ||
    (namespace === "user" && spec.hostUsers !== false);
  return shared ? `"${sysctl}" not allowed with host ${namespace} enabled` : undefined;
}

function namespaceOf(sysctl: string): string {
  if (sysctl.startsWith("net.")) return "net";
  if (sysctl.startsWith("user.")) return "user";
  return /^(kernel\.(sem|shm|msg)|fs\.mqueue\.)/.test(sysctl) ? "ipc" : "unknown";
}

/** `net/ipv4/tcp_rmem` means `net.ipv4.tcp_rmem`. */
function dotted(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replace(/[./]/g, (character) => (character === "/" ? "." : "/"));
}
