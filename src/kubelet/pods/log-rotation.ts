/** Upstream: pkg/kubelet/logs/container_log_manager.go. */
import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";

const log = logger("kubelet");

interface LogRotationOptions {
  readonly runtime: RuntimeService;
  readonly watch: Pick<RuntimeWatch, "all">;
  readonly clock: Clock;
  readonly maxBytes: number;
  /** Number of files: the current one and the rotated ones together; at least 2. */
  readonly maxFiles: number;
  readonly everyMs: number;
}

/** Rotates logs over the size limit, periodically, until the signal aborts. */
export async function rotateLogs(options: LogRotationOptions, signal: AbortSignal): Promise<void> {
  const { clock, watch, everyMs } = options;
  const rotate = async () => {
    const running = watch
      .all()
      .flatMap(({ containers }) => containers)
      .filter(({ state, logPath }) => state === "running" && logPath !== "");
    for (const { id, logPath } of running) {
      if (signal.aborted) return;
      await rotateIfLong(options, id, logPath).catch((error) => {
        log.error(error, "Failed to rotate log for container", { containerID: id, path: logPath });
      });
    }
  };
  const failed = (error: unknown) => log.error(error, "Failed to rotate container logs");
  await repeat(rotate, { clock, everyMs, firstAfterMs: everyMs, failed }, signal);
}

async function rotateIfLong(
  options: LogRotationOptions,
  containerId: string,
  path: string,
): Promise<void> {
  const size = await sizeOf(path);
  if (size === undefined) {
    await reopen(options, containerId);
    return;
  }
  if (size < options.maxBytes) return;
  const rotated = await tidy(path, options.maxFiles - 2);
  for (const file of rotated) if (!file.endsWith(".gz")) await compress(file);
  const aside = `${path}.${timestamp(options.clock.now())}`;
  await rename(path, aside);
  try {
    await reopen(options, containerId);
  } catch (error) {
    await rename(aside, path);
    throw error;
  }
}

async function reopen({ runtime }: LogRotationOptions, containerId: string): Promise<void> {
  try {
    await runtime.ReopenContainerLog({ containerId });
  } catch (error) {
    // A container that ended meanwhile writes no more.
    if (!(error instanceof GrpcError && error.code === "NOT_FOUND")) throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

/** Removes temporary files and the oldest ones, and returns the rotated files that are kept. */
async function tidy(path: string, keep: number): Promise<readonly string[]> {
  const directory = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix));
  const known = new Set(names);
  const useful = names.filter((name) => !name.endsWith(".tmp") && !known.has(`${name}.gz`)).sort();
  const kept = useful.slice(Math.max(0, useful.length - Math.max(0, keep)));
  for (const name of names)
    if (!kept.includes(name)) await rm(join(directory, name), { force: true });
  return kept.map((name) => join(directory, name));
}

async function compress(path: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const { mode } = await stat(path);
  await pipeline(createReadStream(path), createGzip(), createWriteStream(temporary, { mode }));
  await rename(temporary, `${path}.gz`);
  await rm(path);
}

/** `20060102-150405`. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
}
