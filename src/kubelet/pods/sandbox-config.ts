/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_sandbox.go. */
import type { ContainerPort, Pod } from "#/api/core/v1.ts";
import type {
  DNSConfig,
  NamespaceOption,
  PodSandboxConfig,
  PortMapping,
} from "../cri/sandbox-messages.ts";
import { podLabels } from "../state/container-labels.ts";
import type { Directories } from "../state/directories.ts";
import { isHostNetwork } from "../state/pod-containers.ts";
import type { SandboxResources } from "../state/pod-services.ts";
import { groupSettings, namespaceOptions } from "./security-context.ts";

interface SandboxConfigInput {
  readonly pod: Pod;
  readonly attempt: number;
  readonly directories: Directories;
  readonly dnsConfig: DNSConfig | undefined;
  /** Unused for host network. */
  readonly hostname: string;
  readonly cgroupParent: string;
  readonly resources: SandboxResources;
  readonly usernsOptions?: NamespaceOption["usernsOptions"];
}

/** The configuration of a pod as a whole for the runtime. */
export function sandboxConfig(input: SandboxConfigInput): PodSandboxConfig {
  const { pod, attempt, directories, dnsConfig, hostname } = input;
  const { name = "", namespace = "", uid = "", annotations = {} } = pod.metadata;
  return {
    metadata: { name, namespace, uid, attempt },
    labels: podLabels(pod),
    annotations,
    ...(dnsConfig && { dnsConfig }),
    ...(!isHostNetwork(pod) && { hostname }),
    logDirectory: directories.podLog(pod),
    portMappings: pod.spec.containers.flatMap(({ ports = [] }) => portMappings(ports)),
    linux: linuxConfig(input),
  };
}

function linuxConfig({ pod, cgroupParent, resources, usernsOptions }: SandboxConfigInput) {
  const { runAsUser, runAsGroup, seLinuxOptions, sysctls = [] } = pod.spec.securityContext ?? {};
  return {
    cgroupParent,
    sysctls: Object.fromEntries(sysctls.map(({ name, value }) => [dotted(name), value])),
    securityContext: {
      privileged: hasPrivileged(pod),
      seccomp: { profileType: "RuntimeDefault" as const },
      namespaceOptions: namespaceOptions(pod, usernsOptions),
      ...(runAsUser !== undefined && { runAsUser: { value: runAsUser } }),
      ...(runAsGroup !== undefined && { runAsGroup: { value: runAsGroup } }),
      ...groupSettings(pod),
      ...(seLinuxOptions && { selinuxOptions: seLinuxOptions }),
    },
    ...resources,
  };
}

function hasPrivileged({ spec }: Pod): boolean {
  const all = [...(spec.initContainers ?? []), ...spec.containers];
  return all.some(({ securityContext }) => securityContext?.privileged === true);
}

/** `net/ipv4/ip_forward` and `net.ipv4.ip_forward` mean the same; the runtime needs the dots. */
function dotted(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== "/") return name;
  return name.replace(/[./]/g, (character) => (character === "/" ? "." : "/"));
}

/** A duplicate port counts once. */
function portMappings(ports: readonly ContainerPort[]): PortMapping[] {
  const seen = new Set<string>();
  return ports.flatMap((port) => {
    const { name, containerPort, hostPort = 0, hostIP = "", protocol = "TCP" } = port;
    const family = hostIP === "" ? "any" : hostIP.includes(":") ? "v6" : "v4";
    const key = name || `${family}-${protocol}-${hostIP}:${containerPort}:${hostPort}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ protocol, containerPort, hostPort, hostIp: hostIP }];
  });
}
