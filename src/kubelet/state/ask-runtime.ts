import { GrpcError } from "#/std/grpc/grpc.ts";
import { connectRuntime, type RuntimeService } from "../cri/runtime-service.ts";

/** What a runtime reports about itself. */
interface RuntimeFacts {
  /** `containerd`, `cri-o`, `docker`. */
  readonly name: string;
  readonly version: string;
  /** Undefined if the runtime doesn't report it: containerd before 2.0. */
  readonly cgroupDriver: "systemd" | "cgroupfs" | undefined;
}

/** Asks the runtime at an address; rejects if there is none, or it does not answer in time. */
export async function askRuntime(endpoint: string, timeoutMs: number): Promise<RuntimeFacts> {
  using cri = connectRuntime(endpoint);
  const asked = await cri.runtime.Version({ version: "v1" }, { timeoutMs });
  return {
    name: asked.runtimeName,
    version: asked.runtimeVersion,
    cgroupDriver: await askCgroupDriver(cri.runtime, timeoutMs),
  };
}

/** The cgroup driver of a runtime; undefined if it doesn't report it. Upstream: cmd/kubelet/app/server.go. */
export async function askCgroupDriver(
  runtime: Pick<RuntimeService, "RuntimeConfig">,
  timeoutMs: number,
): Promise<RuntimeFacts["cgroupDriver"]> {
  try {
    const { linux } = await runtime.RuntimeConfig({}, { timeoutMs });
    if (linux === undefined) return undefined;
    if (linux.cgroupDriver === "SYSTEMD") return "systemd";
    if (linux.cgroupDriver === "CGROUPFS") return "cgroupfs";
    throw new Error(`runtime returned an unknown cgroup driver ${linux.cgroupDriver}`);
  } catch (error) {
    if (error instanceof GrpcError && error.code === "UNIMPLEMENTED") return undefined;
    throw error;
  }
}
