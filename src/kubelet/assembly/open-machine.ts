/** Upstream: cmd/kubelet/app/server.go, pkg/kubelet/cm/container_manager_linux.go. */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { openCgroups } from "../cgroups/cgroup-filesystem.ts";
import type { CgroupDriver } from "../cgroups/cgroup-name.ts";
import { readCpuTopology } from "../cgroups/cpu-topology.ts";
import { ExclusiveCpus, reservedCpus } from "../cgroups/exclusive-cpus.ts";
import { NodeCgroups } from "../cgroups/node-cgroups.ts";
import { hasSwapController } from "../cgroups/swap-controller.ts";
import { swapProblem } from "../config/check-swap.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { type Cri, connectRuntime } from "../cri/runtime-service.ts";
import { waitForRuntime } from "../cri/wait-for-runtime.ts";
import {
  hugePageSizes,
  type MachineFacts,
  readFilesystem,
  readMachineFacts,
} from "../node/machine-facts.ts";
import { findNodeIPs } from "../node/node-addresses.ts";
import { type CapacitySettings, enforcedAllocatable, nodeCapacity } from "../node/node-capacity.ts";
import { askCgroupDriver } from "../state/ask-runtime.ts";
import { Directories } from "../state/directories.ts";
import { evictionThresholds } from "../state/thresholds.ts";

const log = logger("kubelet");

/** The parts of this machine that are needed before anything runs. */
export interface Machine {
  readonly nodeName: string;
  readonly facts: MachineFacts;
  readonly ips: readonly string[];
  readonly directories: Directories;
  readonly cri: Cri;
  /** `containerd`. */
  readonly runtimeName: string;
  readonly cgroups: NodeCgroups;
  /** Undefined unless `cpuManagerPolicy` is static. */
  readonly cpus: ExclusiveCpus | undefined;
  readonly capacity: CapacitySettings;
}

interface MachineOptions {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly clock: Clock;
}

/** Reads the machine's facts, waits for its runtime and creates the cgroups of pods. */
export async function openMachine(options: MachineOptions, signal: AbortSignal): Promise<Machine> {
  const { flags, config, clock } = options;
  const nodeName = (flags["hostname-override"] || hostname()).trim().toLowerCase();
  const facts = readMachineFacts();
  const directories = new Directories(flags["root-dir"], config.podLogsDir);
  await mkdir(directories.pods, { recursive: true, mode: 0o750 });
  const cri = connectRuntime(config.containerRuntimeEndpoint, {
    imageEndpoint: config.imageServiceEndpoint || config.containerRuntimeEndpoint,
    requestMs: parseDuration(config.runtimeRequestTimeout),
  });
  const runtimeName = await waitForRuntime(cri, clock, signal);
  const cgroupDriver = await cgroupDriverOf(cri, options, signal);
  const capacity = capacitySettings(config);
  const cpus = openCpus(config, directories);
  const cgroups = await openNodeCgroups(options, facts, directories, {
    ...capacity,
    cpus,
    cgroupDriver,
  });
  await cgroups.start();
  const ips = await findNodeIPs(nodeName, flags["node-ip"]);
  return { nodeName, facts, ips, directories, cri, runtimeName, cgroups, cpus, capacity };
}

interface CgroupSettings extends CapacitySettings {
  readonly cpus: ExclusiveCpus | undefined;
  readonly cgroupDriver: CgroupDriver;
}

/** Limit of a request to the runtime (ms). */
const requestMs = 10_000;
/** How often a runtime that fails is asked for its cgroup driver, and the delay between (ms), as upstream. */
const [driverTries, driverRetryMs] = [3, 2_000];

/** The runtime's cgroup driver: the configured one if the runtime doesn't report it. Upstream: cmd/kubelet/app/server.go. */
async function cgroupDriverOf(
  { runtime }: Cri,
  { config, clock }: MachineOptions,
  signal: AbortSignal,
): Promise<CgroupDriver> {
  for (let tries = 1; ; tries++) {
    try {
      const reported = await askCgroupDriver(runtime, requestMs);
      if (reported !== undefined) return reported;
      log.info(
        "CRI implementation should be updated to support RuntimeConfig. Falling back to using cgroupDriver from kubelet config.",
      );
      return config.cgroupDriver as CgroupDriver;
    } catch (error) {
      if (tries === driverTries) throw error;
      await clock.sleep(driverRetryMs, signal);
    }
  }
}

function capacitySettings(config: KubeletConfiguration): CapacitySettings {
  const { maxPods, podsPerCore, systemReserved, kubeReserved } = config;
  return {
    maxPods,
    podsPerCore,
    systemReserved,
    kubeReserved,
    localStorageCapacityIsolation: config.localStorageCapacityIsolation,
    thresholds: evictionThresholds(config),
  };
}

async function openNodeCgroups(
  { config, clock }: MachineOptions,
  facts: MachineFacts,
  directories: Directories,
  { cpus, cgroupDriver, ...capacity }: CgroupSettings,
): Promise<NodeCgroups> {
  const filesystem = await openCgroups();
  if (filesystem.version === 1 && config.failCgroupV1) {
    throw new Error(
      "kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release",
    );
  }
  const problem = swapProblem(config, { ...facts, cgroupVersion: filesystem.version });
  if (problem) throw new Error(problem);
  const total = nodeCapacity(facts, readFilesystem(directories.root), capacity);
  const enforced = config.enforceNodeAllocatable.includes("pods");
  return new NodeCgroups({
    filesystem,
    driver: cgroupDriver,
    root: config.cgroupRoot || "/",
    perQOS: config.cgroupsPerQOS,
    podPidsLimit: config.podPidsLimit,
    allocatable: () => (enforced ? enforcedAllocatable(total, facts.maxPids, capacity) : new Map()),
    clock,
    cpus,
    settings: {
      memoryCapacityBytes: facts.memoryBytes,
      cpuCFSQuota: config.cpuCFSQuota,
      cpuPeriodUs: parseDuration(config.cpuCFSQuotaPeriod) * 1000,
      cgroupV2: filesystem.version === 2,
      hugePageSizes: hugePageSizes(facts),
      swapController: await hasSwapController(filesystem),
      swapBehavior: config.memorySwap?.swapBehavior === "LimitedSwap" ? "LimitedSwap" : "NoSwap",
      swapCapacityBytes: facts.swapBytes,
      oomKillsContainer: filesystem.version === 2,
    },
  });
}

function openCpus(
  config: KubeletConfiguration,
  directories: Directories,
): ExclusiveCpus | undefined {
  if (config.cpuManagerPolicy !== "static") return undefined;
  const topology = readCpuTopology();
  const reservedMilli = [config.kubeReserved, config.systemReserved]
    .map((list) => parseQuantity(list?.["cpu"] ?? "0").milliValue())
    .reduce((sum, one) => sum + one, 0);
  const reserved = reservedCpus(topology, config.reservedSystemCPUs ?? "", reservedMilli);
  return new ExclusiveCpus({
    topology,
    reserved,
    stateFile: join(directories.root, "cpu_manager_state"),
  });
}
