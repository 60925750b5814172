/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (generateContainerConfig). */
import type { Pod } from "#/api/core/v1.ts";
import type {
  ContainerConfig,
  Device,
  LinuxContainerSecurityContext,
  Mount,
} from "../cri/container-messages.ts";
import type { LinuxContainerResources } from "../cri/sandbox-messages.ts";
import { stopSignals } from "../cri/stop-signals.ts";
import { expandWords } from "../environment/expand-variables.ts";
import { containerAnnotations, containerLabels } from "../state/container-labels.ts";
import type { AnyContainer } from "../state/pod-containers.ts";
import type { EnvironmentVariable } from "../state/pod-services.ts";

interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: AnyContainer;
  /** The runtime's reference of the image. */
  readonly imageRef: string;
  readonly restartCount: number;
  readonly variables: readonly EnvironmentVariable[];
  readonly mounts: readonly Mount[];
  readonly devices?: readonly Device[];
  readonly securityContext: LinuxContainerSecurityContext;
  readonly resources: LinuxContainerResources;
}

/** The configuration of a container for the runtime. */
export function containerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, variables, restartCount } = input;
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? "" },
    command: expandWords(container.command, variables),
    args: expandWords(container.args, variables),
    workingDir: container.workingDir ?? "",
    envs: variables.map(({ name, value }) => ({ key: name, value: Buffer.from(value) })),
    mounts: mapIds(input),
    devices: [...(input.devices ?? [])],
    labels: containerLabels(pod, container),
    annotations: containerAnnotations(pod, container, restartCount),
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: { resources: input.resources, securityContext: input.securityContext },
    stopSignal: stopSignalOf(container),
  };
}

/** Relative to the pod's log directory. */
function containerLogPath(containerName: string, restartCount: number): string {
  return `${containerName}/${restartCount}.log`;
}

function stopSignalOf({ lifecycle }: AnyContainer): keyof typeof stopSignals {
  const signal = lifecycle?.stopSignal;
  return signal !== undefined && signal in stopSignals
    ? (signal as keyof typeof stopSignals)
    : "RUNTIME_DEFAULT";
}

/** In a user namespace, volumes are mounted with the ids that processes inside have. */
function mapIds({ mounts, securityContext }: ContainerConfigInput): readonly Mount[] {
  const mapping = securityContext.namespaceOptions?.usernsOptions;
  if (!mapping?.uids?.length) return mounts;
  const { uids, gids = [] } = mapping;
  return mounts.map((mount) => ({ ...mount, uidMappings: uids, gidMappings: gids }));
}
