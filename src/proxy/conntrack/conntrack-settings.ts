import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setKernelFile } from "#/std/kernel/kernel-changes.ts";
import type { Logger } from "#/std/log/log.ts";

/** Settings of the kernel's connection tracking; 0 leaves a value unchanged. */
interface ConntrackSettings {
  readonly maxPerCore: number;
  readonly min: number;
  readonly tcpEstablishedTimeoutMs: number;
  readonly tcpCloseWaitTimeoutMs: number;
  readonly tcpBeLiberal: boolean;
  readonly udpTimeoutMs: number;
  readonly udpStreamTimeoutMs: number;
}

/** Limit of the requested table size, for any number of cores. */
const maxConnections = 1_048_576;

/** The size of the connection tracking table; 0 leaves it unchanged. */
function connectionLimit({ maxPerCore, min }: ConntrackSettings, cores: number): number {
  if (maxPerCore <= 0) return 0;
  const scaled = maxPerCore * cores;
  return scaled > maxConnections ? maxConnections : Math.max(scaled, min);
}

/** Writes the settings to the kernel. Upstream: pkg/proxy/conntrack/sysctls.go. */
export async function applyConntrackSettings(
  settings: ConntrackSettings,
  log: Logger,
): Promise<void> {
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  const limit = connectionLimit(settings, availableParallelism());
  const values = {
    max: limit,
    tcp_timeout_established: seconds(settings.tcpEstablishedTimeoutMs),
    tcp_timeout_close_wait: seconds(settings.tcpCloseWaitTimeoutMs),
    tcp_be_liberal: settings.tcpBeLiberal ? 1 : 0,
    udp_timeout: seconds(settings.udpTimeoutMs),
    udp_timeout_stream: seconds(settings.udpStreamTimeoutMs),
  };
  for (const [name, value] of Object.entries(values)) {
    if (value > 0) await setKernelValue(`net/netfilter/nf_conntrack_${name}`, value, log);
  }
  if (limit > 0) await raiseHashSize(Math.floor(limit / 4), log);
}

/** Writes a value below /proc/sys unless it is equal. */
export async function setKernelValue(path: string, value: number, log: Logger): Promise<void> {
  if (await setKernelFile(`/proc/sys/${path}`, String(value)))
    log.info("set sysctl", { path, value });
}

/** A value below /proc/sys; undefined if there is none. */
export async function kernelValue(path: string): Promise<number | undefined> {
  const text = await readFile(`/proc/sys/${path}`, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

async function raiseHashSize(size: number, log: Logger): Promise<void> {
  const path = "/sys/module/nf_conntrack/parameters/hashsize";
  if (Number(await readFile(path, "utf8")) >= size) return;
  await setKernelFile(path, String(size));
  log.info("set conntrack hash size", { size });
}
