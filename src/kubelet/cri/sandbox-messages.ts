/** Upstream: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto. */
import {
  type Decoded,
  type Encodable,
  map,
  message,
  nested,
  repeated,
} from "#/std/protobuf/protobuf.ts";
import { bool, enumeration, int32, string, uint32, uint64 } from "#/std/protobuf/protobuf-field.ts";
import { roundedInt64 } from "./rounded-int64.ts";

export const DNSConfig = message({
  servers: repeated(string(1)),
  searches: repeated(string(2)),
  options: repeated(string(3)),
});
export type DNSConfig = Encodable<typeof DNSConfig>;

export const PortMapping = message({
  protocol: enumeration(1, { TCP: 0, UDP: 1, SCTP: 2 }),
  containerPort: int32(2),
  hostPort: int32(3),
  hostIp: string(4),
});
export type PortMapping = Encodable<typeof PortMapping>;

export const IDMapping = message({
  hostId: uint32(1),
  containerId: uint32(2),
  length: uint32(3),
});
export type IDMapping = Encodable<typeof IDMapping>;

const namespaceModes = { POD: 0, CONTAINER: 1, NODE: 2, TARGET: 3 } as const;
export type NamespaceMode = keyof typeof namespaceModes;

const UserNamespace = message({
  mode: enumeration(1, namespaceModes),
  uids: repeated(nested(2, IDMapping)),
  gids: repeated(nested(3, IDMapping)),
});

export const NamespaceOption = message({
  network: enumeration(1, namespaceModes),
  pid: enumeration(2, namespaceModes),
  ipc: enumeration(3, namespaceModes),
  targetId: string(4),
  usernsOptions: nested(5, UserNamespace),
});
export type NamespaceOption = Encodable<typeof NamespaceOption>;

export const Int64Value = message({ value: roundedInt64(1) });
export const UInt64Value = message({ value: roundedInt64(1) });

export const SELinuxOption = message({
  user: string(1),
  role: string(2),
  type: string(3),
  level: string(4),
});

export const SecurityProfile = message({
  profileType: enumeration(1, { RuntimeDefault: 0, Unconfined: 1, Localhost: 2 }),
  localhostRef: string(2),
});
export type SecurityProfile = Encodable<typeof SecurityProfile>;

export const supplementalGroupsPolicies = { Merge: 0, Strict: 1 } as const;

const LinuxSandboxSecurityContext = message({
  namespaceOptions: nested(1, NamespaceOption),
  selinuxOptions: nested(2, SELinuxOption),
  runAsUser: nested(3, Int64Value),
  readonlyRootfs: bool(4),
  supplementalGroups: repeated(roundedInt64(5)),
  privileged: bool(6),
  seccompProfilePath: string(7),
  runAsGroup: nested(8, Int64Value),
  seccomp: nested(9, SecurityProfile),
  apparmor: nested(10, SecurityProfile),
  supplementalGroupsPolicy: enumeration(11, supplementalGroupsPolicies),
});

export const LinuxContainerResources = message({
  cpuPeriod: roundedInt64(1),
  cpuQuota: roundedInt64(2),
  cpuShares: roundedInt64(3),
  memoryLimitInBytes: roundedInt64(4),
  oomScoreAdj: roundedInt64(5),
  cpusetCpus: string(6),
  cpusetMems: string(7),
  hugepageLimits: repeated(nested(8, message({ pageSize: string(1), limit: uint64(2) }))),
  unified: map(9, string, string),
  memorySwapLimitInBytes: roundedInt64(10),
});
export type LinuxContainerResources = Encodable<typeof LinuxContainerResources>;

const LinuxPodSandboxConfig = message({
  cgroupParent: string(1),
  securityContext: nested(2, LinuxSandboxSecurityContext),
  sysctls: map(3, string, string),
  overhead: nested(4, LinuxContainerResources),
  resources: nested(5, LinuxContainerResources),
});

export const PodSandboxMetadata = message({
  name: string(1),
  uid: string(2),
  namespace: string(3),
  attempt: uint32(4),
});

export const PodSandboxConfig = message({
  metadata: nested(1, PodSandboxMetadata),
  hostname: string(2),
  logDirectory: string(3),
  dnsConfig: nested(4, DNSConfig),
  portMappings: repeated(nested(5, PortMapping)),
  labels: map(6, string, string),
  annotations: map(7, string, string),
  linux: nested(8, LinuxPodSandboxConfig),
});
export type PodSandboxConfig = Encodable<typeof PodSandboxConfig>;

const sandboxStates = { SANDBOX_READY: 0, SANDBOX_NOTREADY: 1 } as const;

const PodSandboxNetworkStatus = message({
  ip: string(1),
  additionalIps: repeated(nested(2, message({ ip: string(1) }))),
});

export const PodSandboxStatus = message({
  id: string(1),
  metadata: nested(2, PodSandboxMetadata),
  state: enumeration(3, sandboxStates),
  createdAt: roundedInt64(4),
  network: nested(5, PodSandboxNetworkStatus),
  linux: nested(
    6,
    message({ namespaces: nested(1, message({ options: nested(2, NamespaceOption) })) }),
  ),
  labels: map(7, string, string),
  annotations: map(8, string, string),
  runtimeHandler: string(9),
});
export type PodSandboxStatus = Decoded<typeof PodSandboxStatus>;

export const PodSandboxFilter = message({
  id: string(1),
  state: nested(2, message({ state: enumeration(1, sandboxStates) })),
  labelSelector: map(3, string, string),
});

export const PodSandbox = message({
  id: string(1),
  metadata: nested(2, PodSandboxMetadata),
  state: enumeration(3, sandboxStates),
  createdAt: roundedInt64(4),
  labels: map(5, string, string),
  annotations: map(6, string, string),
  runtimeHandler: string(7),
});
export type PodSandbox = Decoded<typeof PodSandbox>;
