import type { LifecycleHandler, Probe } from "#/api/core/v1.ts";
import {
  type Check,
  type CheckPod,
  containersOf,
  named,
  plural,
  quoted,
  settersOf,
  unlessOwnUsers,
} from "./check.ts";
import { appArmorProfile, seccompAnnotations, seccompProfile } from "./profile-checks.ts";

/** The standard "baseline". Upstream: staging/src/k8s.io/pod-security-admission/policy/check_*.go. */

const defaultCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const capabilities: CheckPod = (spec) => {
  const names: string[] = [];
  const added = new Set<string>();
  for (const { name, securityContext } of containersOf(spec)) {
    const bad = (securityContext?.capabilities?.add ?? []).filter(
      (capability) => !defaultCapabilities.has(capability),
    );
    if (bad.length > 0) names.push(name);
    for (const capability of bad) added.add(capability);
  }
  if (names.length === 0) return undefined;
  return {
    reason: "non-default capabilities",
    detail: `${named(names)} must not include ${quoted([...added].sort())} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: CheckPod = ({ hostNetwork, hostPID, hostIPC }) => {
  const shared = Object.entries({ hostNetwork, hostPID, hostIPC })
    .filter(([, value]) => value)
    .map(([field]) => `${field}=true`);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.join(", ") };
};

const hostPathVolumes: CheckPod = ({ volumes = [] }) => {
  const names = volumes.filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const noun = plural("volume", "volumes", names.length);
  return { reason: "hostPath volumes", detail: `${noun} ${quoted(names)}` };
};

const hostPorts: CheckPod = (spec) => {
  const names: string[] = [];
  const used = new Set<string>();
  for (const { name, ports = [] } of containersOf(spec)) {
    const bad = ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
    if (bad.length > 0) names.push(name);
    for (const port of bad) used.add(port);
  }
  if (names.length === 0) return undefined;
  const verb = plural("uses", "use", names.length);
  const noun = plural("hostPort", "hostPorts", used.size);
  return {
    reason: "hostPort",
    detail: `${named(names)} ${verb} ${noun} ${[...used].sort().join(", ")}`,
  };
};

const hostsOf = (handler: Probe | LifecycleHandler | undefined): string[] =>
  [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => (host ? [host] : []));

const hostProbes: CheckPod = (spec) => {
  const names = new Set<string>();
  const hosts = new Set<string>();
  for (const container of containersOf(spec)) {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
    const handlers = [lifecycle?.postStart, lifecycle?.preStop];
    const bad = [livenessProbe, readinessProbe, startupProbe, ...handlers].flatMap(hostsOf);
    if (bad.length > 0) names.add(container.name);
    for (const host of bad) hosts.add(host);
  }
  if (names.size === 0) return undefined;
  const verb = plural("uses", "use", names.size);
  const noun = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.size);
  return {
    reason: "probe or lifecycle host",
    detail: `${named([...names].sort())} ${verb} ${noun} ${quoted([...hosts].sort())}`,
  };
};

const privileged: CheckPod = (spec) => {
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.privileged)
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${named(names)} must not set securityContext.privileged=true`,
  };
};

/** Containers have the default /proc mount. */
export const procMount: CheckPod = (spec) => {
  const names: string[] = [];
  const types = new Set<string>();
  for (const { name, securityContext } of containersOf(spec)) {
    const type = securityContext?.procMount;
    if (type === undefined || type === "Default") continue;
    names.push(name);
    types.add(type);
  }
  if (names.length === 0) return undefined;
  return {
    reason: "procMount",
    detail: `${named(names)} must not set securityContext.procMount to ${quoted([...types].sort())}`,
  };
};

/** SELinux types that are allowed, by the version that added them. */
const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

const seLinuxOptions =
  (allowed: readonly string[]): CheckPod =>
  (spec) => {
    const types = new Set<string>();
    let user = false;
    let role = false;
    const isBad = (options: { type?: string; user?: string; role?: string } = {}): boolean => {
      const badType = !allowed.includes(options.type ?? "");
      if (badType) types.add(options.type ?? "");
      user ||= Boolean(options.user);
      role ||= Boolean(options.role);
      return badType || Boolean(options.user) || Boolean(options.role);
    };
    const pod = isBad(spec.securityContext?.seLinuxOptions);
    const names = containersOf(spec)
      .filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions))
      .map(({ name }) => name);
    if (!pod && names.length === 0) return undefined;
    const list = quoted([...types].sort());
    const bad = types.size > 0 ? [`${plural("type", "types", types.size)} ${list}`] : [];
    if (user) bad.push("user may not be set");
    if (role) bad.push("role may not be set");
    const setters = settersOf(pod, names);
    return {
      reason: "seLinuxOptions",
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${bad.join("; ")}`,
    };
  };

/** Sysctls that affect only the pod itself, by the minor version that added them. */
const safeSysctls: readonly (readonly [number, readonly string[]])[] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [
    29,
    [
      "net.ipv4.tcp_keepalive_time",
      "net.ipv4.tcp_fin_timeout",
      "net.ipv4.tcp_keepalive_intvl",
      "net.ipv4.tcp_keepalive_probes",
    ],
  ],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
  [37, ["net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_notsent_lowat"]],
];

const sysctls = (minor: number): CheckPod => {
  const safe = new Set(safeSysctls.flatMap(([since, names]) => (since <= minor ? names : [])));
  return ({ securityContext }) => {
    const bad = (securityContext?.sysctls ?? [])
      .map(({ name }) => name)
      .filter((name) => !safe.has(name));
    if (bad.length === 0) return undefined;
    return { reason: "forbidden sysctls", detail: bad.join(", ") };
  };
};

const windowsHostProcess: CheckPod = (spec) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const names = containersOf(spec)
    .filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess)
    .map(({ name }) => name);
  if (!pod && names.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${settersOf(pod, names)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const always = (check: CheckPod) => [{ since: 0, check }];

/** All baseline checks, in the order in which violations are reported. */
export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", versions: always(appArmorProfile) },
  { id: "capabilities_baseline", level: "baseline", versions: always(capabilities) },
  { id: "hostNamespaces", level: "baseline", versions: always(hostNamespaces) },
  { id: "hostPathVolumes", level: "baseline", versions: always(hostPathVolumes) },
  { id: "hostPorts", level: "baseline", versions: always(hostPorts) },
  {
    id: "hostProbesAndHostLifecycle",
    level: "baseline",
    versions: [{ since: 34, check: hostProbes }],
  },
  { id: "privileged", level: "baseline", versions: always(privileged) },
  {
    id: "procMount",
    level: "baseline",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: unlessOwnUsers(procMount) },
    ],
  },
  {
    id: "seLinuxOptions",
    level: "baseline",
    versions: [
      { since: 0, check: seLinuxOptions(seLinuxTypes) },
      { since: 31, check: seLinuxOptions([...seLinuxTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfile },
    ],
  },
  {
    id: "sysctls",
    level: "baseline",
    versions: safeSysctls.map(([since]) => ({ since, check: sysctls(since) })),
  },
  { id: "windowsHostProcess", level: "baseline", versions: always(windowsHostProcess) },
];
