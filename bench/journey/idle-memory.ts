import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock } from "#/std/time/clock.ts";
import { makeCredentials, ours } from "../apiserver/contender.ts";
import { median } from "./median.ts";

/** Starts of each server: the memory of a process differs by some MiB from start to start. */
const starts = 7;
/** Delay until the work of a start is over (ms). */
const settleMs = 20_000;

/** Resident memory of a server without requests, with journeys and without. */
export async function idleMemory(folder: string): Promise<readonly string[]> {
  const credentials = makeCredentials(join(folder, "idle-pki"));
  const resident: Readonly<Record<"on" | "off", number[]>> = { on: [], off: [] };
  for (let start = 0; start < starts; start++) {
    const pair = await Promise.all(
      (["on", "off"] as const).map(async (name) => {
        const directory = join(folder, `idle-${name}-${start}`);
        mkdirSync(directory);
        const moreFlags = name === "on" ? ["--journey"] : [];
        const server = await ours(name).start({ directory, credentials, cpus: "", moreFlags });
        return { name, server };
      }),
    );
    await clock.sleep(settleMs);
    for (const { name, server } of pair) {
      resident[name].push(server.residentMiB());
      await server.stop();
    }
  }
  const [on, off] = [median(resident.on), median(resident.off)];
  return [
    `idle: on ${on.toFixed(1)} MiB, off ${off.toFixed(1)} MiB: ${(on - off).toFixed(1)} MiB more (median of ${starts} starts)`,
  ];
}
