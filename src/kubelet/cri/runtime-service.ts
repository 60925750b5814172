/** Upstream: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto. Messages are declared as far as they are used. */
import { serverStream, service, unary } from "#/std/grpc/grpc.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, bytes, enumeration, int32, string } from "#/std/protobuf/protobuf-field.ts";
import {
  Container,
  ContainerConfig,
  ContainerFilter,
  ContainerStatus,
} from "./container-messages.ts";
import { criDeadlineMs, defaultRequestMs } from "./deadlines.ts";
import { AuthConfig, Image, ImageSpec } from "./image-messages.ts";
import { roundedInt64 } from "./rounded-int64.ts";
import {
  LinuxContainerResources,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxStatus,
} from "./sandbox-messages.ts";
import {
  ContainerStats,
  FilesystemUsage,
  PodSandboxStats,
  PodSandboxStatsFilter,
  StatsFilter,
} from "./stats-messages.ts";

const Empty = message({});
const SandboxId = message({ podSandboxId: string(1) });
const ContainerId = message({ containerId: string(1) });
const Url = message({ url: string(1) });

const RuntimeHandler = message({
  name: string(1),
  features: nested(2, message({ recursiveReadOnlyMounts: bool(1), userNamespaces: bool(2) })),
});

const RuntimeCondition = message({
  type: string(1),
  status: bool(2),
  reason: string(3),
  message: string(4),
});

export const StatusResponse = message({
  status: nested(1, message({ conditions: repeated(nested(1, RuntimeCondition)) })),
  info: map(2, string, string),
  runtimeHandlers: repeated(nested(3, RuntimeHandler)),
  features: nested(
    4,
    message({
      supplementalGroupsPolicy: bool(1),
      userNamespacesHostNetwork: bool(2),
      mountOptions: bool(3),
    }),
  ),
});

const ContainerEvent = message({
  containerId: string(1),
  containerEventType: enumeration(2, {
    CONTAINER_CREATED_EVENT: 0,
    CONTAINER_STARTED_EVENT: 1,
    CONTAINER_STOPPED_EVENT: 2,
    CONTAINER_DELETED_EVENT: 3,
  }),
  createdAt: roundedInt64(3),
  podSandboxStatus: nested(4, PodSandboxStatus),
  containersStatuses: repeated(nested(5, ContainerStatus)),
});

const VersionResponse = message({
  version: string(1),
  runtimeName: string(2),
  runtimeVersion: string(3),
  runtimeApiVersion: string(4),
});

const PodSandboxStatusResponse = message({
  status: nested(1, PodSandboxStatus),
  info: map(2, string, string),
  containersStatuses: repeated(nested(3, ContainerStatus)),
  timestamp: roundedInt64(4),
});

const CreateContainerRequest = message({
  podSandboxId: string(1),
  config: nested(2, ContainerConfig),
  sandboxConfig: nested(3, PodSandboxConfig),
});

const UpdateContainerResourcesRequest = message({
  containerId: string(1),
  linux: nested(2, LinuxContainerResources),
});

const UpdatePodSandboxResourcesRequest = message({
  podSandboxId: string(1),
  overhead: nested(2, LinuxContainerResources),
  resources: nested(3, LinuxContainerResources),
});

const ExecRequest = message({
  containerId: string(1),
  cmd: repeated(string(2)),
  tty: bool(3),
  stdin: bool(4),
  stdout: bool(5),
  stderr: bool(6),
});

const AttachRequest = message({
  containerId: string(1),
  stdin: bool(2),
  tty: bool(3),
  stdout: bool(4),
  stderr: bool(5),
});

const ExecSyncRequest = message({
  containerId: string(1),
  cmd: repeated(string(2)),
  /** Seconds; 0 for none. */
  timeout: roundedInt64(3),
});
const ExecSyncResponse = message({ stdout: bytes(1), stderr: bytes(2), exitCode: int32(3) });

const CgroupDriver = enumeration(1, { SYSTEMD: 0, CGROUPFS: 1 });

const runtimeService = service("runtime.v1.RuntimeService", {
  Version: unary(message({ version: string(1) }), VersionResponse),
  Status: unary(message({ verbose: bool(1) }), StatusResponse),
  RuntimeConfig: unary(
    Empty,
    message({ linux: nested(1, message({ cgroupDriver: CgroupDriver })) }),
  ),
  UpdateRuntimeConfig: unary(
    message({
      runtimeConfig: nested(
        1,
        message({ networkConfig: nested(1, message({ podCidr: string(1) })) }),
      ),
    }),
    Empty,
  ),
  RunPodSandbox: unary(
    message({ config: nested(1, PodSandboxConfig), runtimeHandler: string(2) }),
    SandboxId,
  ),
  StopPodSandbox: unary(SandboxId, Empty),
  RemovePodSandbox: unary(SandboxId, Empty),
  PodSandboxStatus: unary(
    message({ podSandboxId: string(1), verbose: bool(2) }),
    PodSandboxStatusResponse,
  ),
  ListPodSandbox: unary(
    message({ filter: nested(1, PodSandboxFilter) }),
    message({ items: repeated(nested(1, PodSandbox)) }),
  ),
  CreateContainer: unary(CreateContainerRequest, ContainerId),
  StartContainer: unary(ContainerId, Empty),
  StopContainer: unary(message({ containerId: string(1), timeout: roundedInt64(2) }), Empty),
  RemoveContainer: unary(ContainerId, Empty),
  ListContainers: unary(
    message({ filter: nested(1, ContainerFilter) }),
    message({ containers: repeated(nested(1, Container)) }),
  ),
  ContainerStatus: unary(
    message({ containerId: string(1), verbose: bool(2) }),
    message({ status: nested(1, ContainerStatus), info: map(2, string, string) }),
  ),
  UpdateContainerResources: unary(UpdateContainerResourcesRequest, Empty),
  UpdatePodSandboxResources: unary(UpdatePodSandboxResourcesRequest, Empty),
  ReopenContainerLog: unary(ContainerId, Empty),
  ExecSync: unary(ExecSyncRequest, ExecSyncResponse),
  Exec: unary(ExecRequest, Url),
  Attach: unary(AttachRequest, Url),
  PortForward: unary(message({ podSandboxId: string(1), port: repeated(int32(2)) }), Url),
  ContainerStats: unary(ContainerId, message({ stats: nested(1, ContainerStats) })),
  ListContainerStats: unary(
    message({ filter: nested(1, StatsFilter) }),
    message({ stats: repeated(nested(1, ContainerStats)) }),
  ),
  ListPodSandboxStats: unary(
    message({ filter: nested(1, PodSandboxStatsFilter) }),
    message({ stats: repeated(nested(1, PodSandboxStats)) }),
  ),
  CheckpointContainer: unary(
    message({ containerId: string(1), location: string(2), timeout: roundedInt64(3) }),
    Empty,
  ),
  GetContainerEvents: serverStream(Empty, ContainerEvent),
});

const imageService = service("runtime.v1.ImageService", {
  ListImages: unary(
    message({ filter: nested(1, message({ image: nested(1, ImageSpec) })) }),
    message({ images: repeated(nested(1, Image)) }),
  ),
  ImageStatus: unary(
    message({ image: nested(1, ImageSpec), verbose: bool(2) }),
    message({ image: nested(1, Image), info: map(2, string, string) }),
  ),
  PullImage: unary(
    message({
      image: nested(1, ImageSpec),
      auth: nested(2, AuthConfig),
      sandboxConfig: nested(3, PodSandboxConfig),
    }),
    message({ imageRef: string(1) }),
  ),
  RemoveImage: unary(message({ image: nested(1, ImageSpec) }), Empty),
  ImageFsInfo: unary(
    Empty,
    message({
      imageFilesystems: repeated(nested(1, FilesystemUsage)),
      containerFilesystems: repeated(nested(2, FilesystemUsage)),
    }),
  ),
});

export type RuntimeService = ServiceClient<typeof runtimeService>;
export type ImageService = ServiceClient<typeof imageService>;

/** The container runtime, reached over its socket. Calls throw GrpcError. */
export interface Cri extends Disposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** Limit of a message: statuses of a thousand containers fit, as with upstream's kubelet. */
const maxMessageBytes = 16 << 20;

/** Silence during a call before a ping (ms), for calls without a deadline. Go servers allow one each five minutes. */
const keepaliveMs = 6 * 60_000;

interface ConnectRuntimeOptions {
  /** The socket of the image service, if it is another one. */
  readonly imageEndpoint?: string;
  /** `runtimeRequestTimeout` (ms). */
  readonly requestMs?: number;
}

/** Opens no connection yet; it is opened on first use and again after a failure. */
export function connectRuntime(endpoint: string, options: ConnectRuntimeOptions = {}): Cri {
  const { imageEndpoint = endpoint, requestMs = defaultRequestMs } = options;
  const open = (address: string) =>
    openChannel({ address, maxReceiveBytes: maxMessageBytes, keepaliveMs });
  const runtimeChannel = open(endpoint);
  const imageChannel = imageEndpoint === endpoint ? runtimeChannel : open(imageEndpoint);
  const deadlines = {
    deadlineMs: (method: string, request: object) => criDeadlineMs(method, request, requestMs),
  };
  return {
    runtime: serviceClient(runtimeService, runtimeChannel, deadlines),
    images: serviceClient(imageService, imageChannel, deadlines),
    [Symbol.dispose]() {
      runtimeChannel.close();
      imageChannel.close();
    },
  };
}
