import { existsSync } from "node:fs";
import { runProgram } from "#/std/process/run-program.ts";

/** The folder of this machine's units. */
export const unitFolder = "/etc/systemd/system";

/** Whether systemd is the first process of this machine; see sd_booted(3). */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system");

/** True if systemd manages Pods' cgroups: runc then needs all controllers in the unified hierarchy. */
export const hasSystemdCgroups = (): boolean =>
  hasSystemd() && existsSync("/sys/fs/cgroup/cgroup.controllers");

export const systemctl = (...args: string[]): Promise<string> => runProgram("systemctl", args);

/** The version number of systemd; 0 if unknown. */
export function systemdRelease(version: string): number {
  return Number(/^systemd (\d+)/.exec(version)?.[1] ?? 0);
}

/** Properties of a unit as `systemctl show` prints them. */
export function parseProperties(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
