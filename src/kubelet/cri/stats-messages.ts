/** Upstream: k8s.io/cri-api/pkg/apis/runtime/v1/api.proto. */
import { type Decoded, map, message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { double, string } from "#/std/protobuf/protobuf-field.ts";
import { ContainerMetadata } from "./container-messages.ts";
import { roundedInt64 } from "./rounded-int64.ts";
import { PodSandboxMetadata, UInt64Value } from "./sandbox-messages.ts";

export const FilesystemUsage = message({
  timestamp: roundedInt64(1),
  fsId: nested(2, message({ mountpoint: string(1) })),
  usedBytes: nested(3, UInt64Value),
  inodesUsed: nested(4, UInt64Value),
});
export type FilesystemUsage = Decoded<typeof FilesystemUsage>;

const PsiData = message({
  total: roundedInt64(1),
  avg10: double(2),
  avg60: double(3),
  avg300: double(4),
});
const PsiStats = message({ full: nested(1, PsiData), some: nested(2, PsiData) });

const CpuUsage = message({
  timestamp: roundedInt64(1),
  usageCoreNanoSeconds: nested(2, UInt64Value),
  usageNanoCores: nested(3, UInt64Value),
  psi: nested(4, PsiStats),
});

const MemoryUsage = message({
  timestamp: roundedInt64(1),
  workingSetBytes: nested(2, UInt64Value),
  availableBytes: nested(3, UInt64Value),
  usageBytes: nested(4, UInt64Value),
  rssBytes: nested(5, UInt64Value),
  pageFaults: nested(6, UInt64Value),
  majorPageFaults: nested(7, UInt64Value),
  psi: nested(8, PsiStats),
});

const IoUsage = message({ timestamp: roundedInt64(1), psi: nested(2, PsiStats) });

const SwapUsage = message({
  timestamp: roundedInt64(1),
  swapAvailableBytes: nested(2, UInt64Value),
  swapUsageBytes: nested(3, UInt64Value),
});

const ContainerAttributes = message({
  id: string(1),
  metadata: nested(2, ContainerMetadata),
  labels: map(3, string, string),
  annotations: map(4, string, string),
});

export const ContainerStats = message({
  attributes: nested(1, ContainerAttributes),
  cpu: nested(2, CpuUsage),
  memory: nested(3, MemoryUsage),
  writableLayer: nested(4, FilesystemUsage),
  swap: nested(5, SwapUsage),
  io: nested(6, IoUsage),
});
export type ContainerStats = Decoded<typeof ContainerStats>;

const NetworkInterfaceUsage = message({
  name: string(1),
  rxBytes: nested(2, UInt64Value),
  rxErrors: nested(3, UInt64Value),
  txBytes: nested(4, UInt64Value),
  txErrors: nested(5, UInt64Value),
});

const NetworkUsage = message({
  timestamp: roundedInt64(1),
  defaultInterface: nested(2, NetworkInterfaceUsage),
  interfaces: repeated(nested(3, NetworkInterfaceUsage)),
});

const ProcessUsage = message({
  timestamp: roundedInt64(1),
  processCount: nested(2, UInt64Value),
});

const LinuxPodSandboxStats = message({
  cpu: nested(1, CpuUsage),
  memory: nested(2, MemoryUsage),
  network: nested(3, NetworkUsage),
  process: nested(4, ProcessUsage),
  containers: repeated(nested(5, ContainerStats)),
  io: nested(6, IoUsage),
});

const PodSandboxAttributes = message({
  id: string(1),
  metadata: nested(2, PodSandboxMetadata),
  labels: map(3, string, string),
  annotations: map(4, string, string),
});

export const PodSandboxStats = message({
  attributes: nested(1, PodSandboxAttributes),
  linux: nested(2, LinuxPodSandboxStats),
});
export type PodSandboxStats = Decoded<typeof PodSandboxStats>;

export const StatsFilter = message({
  id: string(1),
  podSandboxId: string(2),
  labelSelector: map(3, string, string),
});

export const PodSandboxStatsFilter = message({
  id: string(1),
  labelSelector: map(2, string, string),
});
