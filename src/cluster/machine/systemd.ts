import { existsSync } from "node:fs";
import { runProgram } from "#/std/process/run-program.ts";

/** Where systemd looks for units of this machine. */
export const unitFolder = "/etc/systemd/system";

/** Whether systemd is the first process of this machine; see sd_booted(3). */
export const hasSystemd = (): boolean => existsSync("/run/systemd/system");

/** Whether Pods' cgroups are systemd's: runc needs the unified hierarchy to have all controllers there. */
export const hasSystemdCgroups = (): boolean =>
  hasSystemd() && existsSync("/sys/fs/cgroup/cgroup.controllers");

export const systemctl = (...args: string[]): Promise<string> => runProgram("systemctl", args);

/** The number of systemd's release; 0 if it can't be read. */
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
