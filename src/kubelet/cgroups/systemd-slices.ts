import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { CgroupLimits } from "./cgroup-limits.ts";
import { cpuWeight } from "./cpu-shares.ts";

/** Makes systemd start a slice with these limits, so that it does not overwrite them later. */
export async function ensureSlice(
  run: RunProgram,
  slice: string,
  limits: CgroupLimits,
): Promise<void> {
  await run("systemctl", ["start", slice]);
  const properties = sliceProperties(limits);
  if (properties.length > 0)
    await run("systemctl", ["set-property", "--runtime", slice, ...properties]);
}

/** Systemd's folder of properties that are set until the machine restarts, with a folder for each unit. */
const propertiesFolder = "/run/systemd/system.control";

/** Removes a slice and its properties from systemd. */
export async function stopSlice(run: RunProgram, slice: string): Promise<void> {
  await run("systemctl", ["stop", slice]);
  await rm(join(propertiesFolder, `${slice}.d`), { recursive: true, force: true });
}

/** Limits as systemd's properties. */
function sliceProperties(limits: CgroupLimits): string[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs = 100_000, memoryBytes, pids } = limits;
  return [
    ...(cpuShares === undefined ? [] : [`CPUWeight=${cpuWeight(cpuShares)}`]),
    ...(cpuQuotaUs && cpuQuotaUs > 0
      ? [`CPUQuota=${Math.ceil((cpuQuotaUs * 100) / cpuPeriodUs)}%`]
      : []),
    ...(memoryBytes ? [`MemoryMax=${memoryBytes}`] : []),
    ...(pids ? [`TasksMax=${pids}`] : []),
  ];
}
