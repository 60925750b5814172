import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Limit of the wait (ms) for processes that are about to end by themselves. */
const graceMs = 2000;
const stepMs = 50;

/** Ends processes that have a test file's folder in their environment; returns those that did not end by themselves. */
export async function endLeftovers(folder: string): Promise<string[]> {
  let found = processesOf(folder);
  for (let waited = 0; found.length > 0 && waited < graceMs; waited += stepMs) {
    await sleep(stepMs);
    found = processesOf(folder);
  }
  for (const { pid } of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  for (let waited = 0; waited < graceMs && processesOf(folder).length > 0; waited += stepMs)
    await sleep(stepMs);
  return found.map(({ pid, command }) => `${pid} ${command}`);
}

function processesOf(folder: string): { pid: number; command: string }[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const variables = readFileSync(`/proc/${entry}/environ`, "utf8").split("\0");
        if (!variables.includes(`TMPDIR=${folder}`)) return [];
        const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
        // A process that has ended, but that its parent has not waited for yet, has no command line.
        return command === "" ? [] : [{ pid: Number(entry), command: command.trim() }];
      } catch {
        return [];
      }
    });
}
