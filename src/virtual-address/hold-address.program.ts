import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { dropAddress, holdAddress } from "./hold-address.ts";

/** Holds the address of its first argument until it is stopped; with "drop" it takes it away. */
const [address = "", verb] = process.argv.slice(2);
const options = {
  address,
  run: runProgram,
  clock: systemClock,
  log: logger("virtual-address"),
  setKernelValue: (path: string, value: string) => writeFile(join("/proc/sys", path), value),
};
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
if (verb === "drop") await dropAddress(options);
else await holdAddress(options, stop.signal);
