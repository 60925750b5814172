import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import { isRuntimeReady, type RuntimeHealth } from "./runtime-health.ts";

const log = logger("node-state");
/** Limit of a request to the runtime (ms). */
const requestMs = 10_000;
/** How often the runtime is asked (ms), as upstream. */
const checkMs = 5_000;

/** Requests the runtime's status periodically, whether or not the API server can be reached. */
export class RuntimeCheck {
  readonly #runtime: Pick<RuntimeService, "Version" | "Status">;
  readonly #clock: Clock;
  #health: RuntimeHealth = { status: undefined, lastReadyMs: 0 };
  #version: string | undefined;

  constructor(runtime: Pick<RuntimeService, "Version" | "Status">, clock: Clock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** The result of the last check. */
  get health(): RuntimeHealth {
    return this.#health;
  }

  /** `containerd://2.0.0`; undefined until the runtime has answered. */
  get version(): string | undefined {
    return this.#version;
  }

  async check(): Promise<void> {
    try {
      if (this.#version === undefined) {
        const version = await this.#runtime.Version({ version: "v1" }, { timeoutMs: requestMs });
        const { runtimeName, runtimeVersion } = version;
        this.#version = `${runtimeName}://${runtimeVersion.replace(/^v/, "")}`;
      }
      const status = await this.#runtime.Status({}, { timeoutMs: requestMs });
      const ready = isRuntimeReady(status);
      this.#health = {
        status,
        lastReadyMs: ready ? this.#clock.now() : this.#health.lastReadyMs,
      };
    } catch (error) {
      log.error(error, "Container runtime sanity check failed");
    }
  }

  /** Checks periodically until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.check();
      await this.#clock.sleep(checkMs, signal).catch(() => undefined);
    }
  }
}
