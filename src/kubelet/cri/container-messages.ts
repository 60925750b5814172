/** Upstream: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto. */
import {
  type Decoded,
  type Encodable,
  map,
  message,
  nested,
  repeated,
} from "#/std/protobuf/protobuf.ts";
import { bool, bytes, enumeration, int32, string, uint32 } from "#/std/protobuf/protobuf-field.ts";
import { ImageSpec } from "./image-messages.ts";
import { roundedInt64 } from "./rounded-int64.ts";
import {
  IDMapping,
  Int64Value,
  LinuxContainerResources,
  NamespaceOption,
  SELinuxOption,
  SecurityProfile,
  supplementalGroupsPolicies,
} from "./sandbox-messages.ts";
import { stopSignals } from "./stop-signals.ts";

const propagations = {
  PROPAGATION_PRIVATE: 0,
  PROPAGATION_HOST_TO_CONTAINER: 1,
  PROPAGATION_BIDIRECTIONAL: 2,
} as const;

export const Mount = message({
  containerPath: string(1),
  hostPath: string(2),
  readonly: bool(3),
  selinuxRelabel: bool(4),
  propagation: enumeration(5, propagations),
  uidMappings: repeated(nested(6, IDMapping)),
  gidMappings: repeated(nested(7, IDMapping)),
  recursiveReadOnly: bool(8),
  image: nested(9, ImageSpec),
  imageSubPath: string(10),
  mountOptions: repeated(string(11)),
});
export type Mount = Encodable<typeof Mount>;

const Capability = message({
  addCapabilities: repeated(string(1)),
  dropCapabilities: repeated(string(2)),
  addAmbientCapabilities: repeated(string(3)),
});

const LinuxContainerSecurityContext = message({
  capabilities: nested(1, Capability),
  privileged: bool(2),
  namespaceOptions: nested(3, NamespaceOption),
  selinuxOptions: nested(4, SELinuxOption),
  runAsUser: nested(5, Int64Value),
  runAsUsername: string(6),
  readonlyRootfs: bool(7),
  supplementalGroups: repeated(roundedInt64(8)),
  apparmorProfile: string(9),
  seccompProfilePath: string(10),
  noNewPrivs: bool(11),
  runAsGroup: nested(12, Int64Value),
  maskedPaths: repeated(string(13)),
  readonlyPaths: repeated(string(14)),
  seccomp: nested(15, SecurityProfile),
  apparmor: nested(16, SecurityProfile),
  supplementalGroupsPolicy: enumeration(17, supplementalGroupsPolicies),
});
export type LinuxContainerSecurityContext = Encodable<typeof LinuxContainerSecurityContext>;

const LinuxContainerConfig = message({
  resources: nested(1, LinuxContainerResources),
  securityContext: nested(2, LinuxContainerSecurityContext),
});

export const ContainerMetadata = message({ name: string(1), attempt: uint32(2) });

export const Device = message({
  containerPath: string(1),
  hostPath: string(2),
  permissions: string(3),
});
export type Device = Encodable<typeof Device>;

export const ContainerConfig = message({
  metadata: nested(1, ContainerMetadata),
  image: nested(2, ImageSpec),
  command: repeated(string(3)),
  args: repeated(string(4)),
  workingDir: string(5),
  envs: repeated(nested(6, message({ key: string(1), value: bytes(2) }))),
  mounts: repeated(nested(7, Mount)),
  devices: repeated(nested(8, Device)),
  labels: map(9, string, string),
  annotations: map(10, string, string),
  logPath: string(11),
  stdin: bool(12),
  stdinOnce: bool(13),
  tty: bool(14),
  linux: nested(15, LinuxContainerConfig),
  cdiDevices: repeated(nested(17, message({ name: string(1) }))),
  stopSignal: enumeration(18, stopSignals),
});
export type ContainerConfig = Encodable<typeof ContainerConfig>;

const containerStates = {
  CONTAINER_CREATED: 0,
  CONTAINER_RUNNING: 1,
  CONTAINER_EXITED: 2,
  CONTAINER_UNKNOWN: 3,
} as const;
export type ContainerState = keyof typeof containerStates;

export const ContainerFilter = message({
  id: string(1),
  state: nested(2, message({ state: enumeration(1, containerStates) })),
  podSandboxId: string(3),
  labelSelector: map(4, string, string),
});

/** A container in a list. */
export const Container = message({
  id: string(1),
  podSandboxId: string(2),
  metadata: nested(3, ContainerMetadata),
  image: nested(4, ImageSpec),
  imageRef: string(5),
  state: enumeration(6, containerStates),
  createdAt: roundedInt64(7),
  labels: map(8, string, string),
  annotations: map(9, string, string),
  imageId: string(10),
});
export type Container = Decoded<typeof Container>;

const ContainerUser = message({
  linux: nested(
    1,
    message({
      uid: roundedInt64(1),
      gid: roundedInt64(2),
      supplementalGroups: repeated(roundedInt64(3)),
    }),
  ),
});

export const ContainerStatus = message({
  id: string(1),
  metadata: nested(2, ContainerMetadata),
  state: enumeration(3, containerStates),
  createdAt: roundedInt64(4),
  startedAt: roundedInt64(5),
  finishedAt: roundedInt64(6),
  exitCode: int32(7),
  image: nested(8, ImageSpec),
  imageRef: string(9),
  reason: string(10),
  message: string(11),
  labels: map(12, string, string),
  annotations: map(13, string, string),
  mounts: repeated(nested(14, Mount)),
  logPath: string(15),
  resources: nested(16, message({ linux: nested(1, LinuxContainerResources) })),
  imageId: string(17),
  user: nested(18, ContainerUser),
  stopSignal: enumeration(19, stopSignals),
});
export type ContainerStatus = Decoded<typeof ContainerStatus>;
