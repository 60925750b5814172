import type { TestedRuntime } from "./runtime.contract.ts";

/** Debian's containerd. */
export const containerd1: TestedRuntime = {
  name: "containerd",
  lacks: {
    RuntimeConfig: /^GrpcError: UNIMPLEMENTED: unknown method RuntimeConfig/,
    events: /^GrpcError: UNIMPLEMENTED: method GetContainerEvents not implemented/,
    checkpoint: /^GrpcError: UNIMPLEMENTED: method CheckpointContainer not implemented/,
    "image volumes": /failed to mkdir/,
    "user namespaces": /no user namespaces/,
  },
};

/** The runtimes by the names of `run.ts`, without their folders. */
export const testedRuntimes: Readonly<Record<string, TestedRuntime>> = {
  containerd1,
  containerd2: {
    name: "containerd",
    // Debian's runc can't map the ids of mounts.
    lacks: {
      checkpoint: /criu binary not found|criu failed/,
      "user namespaces": /no user namespaces/,
    },
  },
  // Built without the tags seccomp and apparmor, which need libraries; on a machine where criu is missing or has no rights.
  crio: {
    name: "crio",
    lacks: {
      "exec timeout": /Missing expected rejection/,
      checkpoint: /checkpoint\/restore support not available|criu failed/,
      "user namespaces": /no user namespaces/,
      seccomp: /Expected values to be strictly equal|Missing expected rejection/,
      AppArmor: /Missing expected rejection/,
      "streams end without a reset": /the stream was reset \(status 5\)/,
    },
  },
  docker: {
    name: "docker",
    lacks: {
      "sandboxes stop containers": /CONTAINER_RUNNING/,
      "repeated removal": /No such container/,
      "reported resources": /Expected values to be strictly deep-equal/,
      "log rotation": /docker does not support reopening container log files/,
      "pod statistics": /^GrpcError: UNIMPLEMENTED: method ListPodSandboxStats not implemented/,
      events: /^GrpcError: UNIMPLEMENTED: method GetContainerEvents not implemented/,
      checkpoint: /^GrpcError: UNIMPLEMENTED: method CheckpointContainer not implemented/,
      "image volumes": /invalid volume specification/,
      "user namespaces": /no user namespaces/,
      AppArmor: /Missing expected rejection/,
      "streams end without a reset": /the stream was reset \(status 5\)/,
    },
  },
};
