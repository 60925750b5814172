import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "./runtime-service.ts";

const log = logger("kubelet");

/** Delay between two tries to reach a runtime that doesn't answer yet (ms). */
const retryMs = 200;

/** The name of the container runtime, `containerd`, once it answers. */
export async function waitForRuntime(cri: Cri, clock: Clock, signal: AbortSignal): Promise<string> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      const options = { timeoutMs: 10_000, signal };
      const { runtimeName, runtimeVersion } = await cri.runtime.Version({ version: "v1" }, options);
      log.info("Container runtime initialized", { runtimeName, runtimeVersion });
      return runtimeName;
    } catch (error) {
      if (tries % 50 === 0) log.error(error, "Waiting for the container runtime");
      await clock.sleep(retryMs, signal);
    }
  }
}
