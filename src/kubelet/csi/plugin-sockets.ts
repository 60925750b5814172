/** Upstream: pkg/kubelet/pluginmanager/{pluginwatcher,reconciler}. */
import { watch } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { KeyedLock } from "#/std/async/keyed-lock.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";

const log = logger("csi");
/** Limit of the time until a socket is found that the file system didn't report (ms). */
const checkMs = 5_000;
const backoff = exponentialBackoff({ baseMs: 500, maxMs: 122_000 });

interface PluginSocketsOptions {
  /** plugins_registry, where plugins create the sockets by which they register. */
  readonly directory: string;
  readonly clock: Clock;
  /** Registers the plugin of a socket; called again, after a delay, if it rejects. */
  register(path: string, signal: AbortSignal): Promise<void>;
  /** Forgets the plugin of a socket that has disappeared. */
  unregister(path: string): Promise<void>;
}

interface FoundSocket {
  /** Time of creation: a plugin that starts again creates its socket again. */
  readonly madeMs: number;
  /** Aborts when the socket has disappeared or was created again. */
  readonly ending: AbortController;
}

/** The sockets of this node's plugins. A plugin that does not answer holds up no other. */
export class PluginSockets {
  readonly #options: PluginSocketsOptions;
  readonly #found = new Map<string, FoundSocket>();
  /** Locks by path: a socket is not registered while its predecessor is. */
  readonly #locks = new KeyedLock();
  readonly #running = new Set<Promise<void>>();

  constructor(options: PluginSocketsOptions) {
    this.#options = options;
  }

  /** Looks for sockets until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { directory, clock } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o750 });
    let wake: (() => void) | undefined;
    const watcher = watch(directory, { persistent: false, signal }, () => wake?.());
    watcher.on("error", () => undefined);
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      await this.#look().catch((error: unknown) => log.error(error, "failed to look for plugins"));
      const either = AbortSignal.any([signal, woken.signal]);
      await clock.sleep(checkMs, either).catch(() => undefined);
    }
    for (const { ending } of this.#found.values()) ending.abort();
    await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const present = await this.#present();
    for (const [path, { madeMs, ending }] of this.#found) {
      if (present.get(path) === madeMs) continue;
      this.#found.delete(path);
      ending.abort();
      if (!present.has(path)) this.#start(path, () => this.#options.unregister(path));
    }
    for (const [path, madeMs] of present) {
      if (this.#found.has(path)) continue;
      const ending = new AbortController();
      this.#found.set(path, { madeMs, ending });
      this.#start(path, () => this.#register(path, ending.signal));
    }
  }

  /** The paths of sockets, with the time of their creation. */
  async #present(): Promise<Map<string, number>> {
    const { directory } = this.#options;
    const present = new Map<string, number>();
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (!entry.isSocket() || entry.name.startsWith(".")) continue;
      const path = join(directory, entry.name);
      const made = await stat(path).catch(() => undefined);
      if (made !== undefined) present.set(path, made.ctimeMs);
    }
    return present;
  }

  async #register(path: string, signal: AbortSignal): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#options.register(path, signal);
        return;
      } catch (error) {
        const { message } = error as Error;
        log.v(2, "failed to register plugin", { path, error: message });
        await this.#options.clock.sleep(backoff(failures), signal).catch(() => undefined);
      }
    }
  }

  #start(path: string, work: () => Promise<void>): void {
    const running = this.#locks.run(path, work).catch((error: unknown) => {
      log.error(error, "failed to follow the socket of a plugin", { path });
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }
}
