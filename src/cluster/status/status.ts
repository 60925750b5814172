import { readFileSync } from "node:fs";
import { command, pathsOf } from "./command.ts";
import { kubectl } from "./kubectl.ts";
import type { ClusterPaths } from "./paths.ts";
import { findProcess } from "./processes.ts";
import { programs } from "./programs.ts";
import { findSettings } from "./settings.ts";
import { clusterFlags } from "./up-flags.ts";

/** `k8ts status`: what runs of the cluster of this machine. The exit code is 0 when all does. */
export const main = command({
  usage: "status [flags]",
  flags: clusterFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const settings = findSettings(paths);
    if (!settings) {
      process.stdout.write(`There is no cluster in ${paths.folder}. Start one with: k8ts up\n`);
      return 1;
    }
    const all = programs(paths, settings).map(({ name }) => ({
      name,
      pid: findProcess(paths, name),
    }));
    process.stdout.write(`cluster ${settings.name}, ${settings.server}, in ${paths.folder}\n\n`);
    for (const { name, pid } of all) process.stdout.write(`${processLine(name, pid)}\n`);
    const running = all.every(({ pid }) => pid !== undefined);
    const answer = running && settings.role === "server" ? await nodesOf(paths) : undefined;
    if (answer) process.stdout.write(`\n${answer.out}${answer.err}`);
    return running && (answer?.code ?? 0) === 0 ? 0 : 1;
  },
});

function processLine(name: string, pid: number | undefined): string {
  if (pid === undefined) return `  ${name.padEnd(12)} stopped`;
  return `  ${name.padEnd(12)} running  pid ${pid}  ${memoryMiB(pid)} MiB`;
}

function memoryMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

const nodesOf = (paths: ClusterPaths) =>
  kubectl(paths, ["get", "nodes", "-o", "wide", "--request-timeout=5s"]);
