import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { FlagValues } from "#/std/flags.ts";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { componentFilter, componentPrograms } from "./component-log.ts";
import type { ClusterPaths } from "./paths.ts";
import { clusterFlags } from "./up-flags.ts";

const logsFlags = {
  ...clusterFlags,
  follow: { type: "bool", shorthand: "f", help: "Wait for new lines and show them." },
  tail: { type: "int", default: 100, help: "How many of the last `lines` to show; -1 for all." },
} as const;

type LogsFlags = FlagValues<typeof logsFlags>;

/** `k8ts logs COMPONENT`: what a component of the cluster wrote, or a program that holds several. */
export const main = command({
  name: "logs",
  description: `Shows the log of a component (kubelet, kube-apiserver, …), or of a program that holds several
(server, agent, containerd).`,
  arguments: ["COMPONENT"],
  examples: [
    ["Show the last lines of the kubelet", "logs kubelet"],
    ["Follow the scheduler", "logs kube-scheduler -f"],
  ],
  flags: logsFlags,
  async run({ values, args }) {
    const paths = pathsOf(values);
    const [name, ...rest] = args;
    const programs = programsWithLogs(paths);
    const components = Object.entries(componentPrograms)
      .filter(([, program]) => programs.includes(program))
      .map(([component]) => component);
    const known = [...programs, ...components].sort();
    if (name === undefined || rest.length > 0 || !known.includes(name)) {
      throw new CommandFailure(`name one of: ${known.join(", ") || "(there are no logs)"}`);
    }
    if (programs.includes(name)) return await showAll(logOf(paths, name), values);
    const file = logOf(paths, componentPrograms[name] ?? "");
    return await showComponent(file, componentFilter(name), values);
  },
});

const logOf = (paths: ClusterPaths, program: string): string => join(paths.log, `${program}.log`);

function programsWithLogs(paths: ClusterPaths): string[] {
  if (!existsSync(paths.log)) return [];
  return readdirSync(paths.log).flatMap((file) => /^(.+)\.log$/.exec(file)?.[1] ?? []);
}

async function showAll(file: string, { tail, follow }: LogsFlags): Promise<number> {
  const lines = tail < 0 ? "+1" : String(tail);
  const args = [...(follow ? ["-F"] : []), "-n", lines, file];
  const child = spawn("tail", args, { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 0;
}

async function showComponent(
  file: string,
  isShown: (line: string) => boolean,
  { tail, follow }: LogsFlags,
): Promise<number> {
  // A reader who has seen enough, such as head, is no error.
  process.stdout.on("error", () => undefined);
  const { size } = await stat(file);
  const last: string[] = [];
  if (size > 0) {
    for await (const line of createInterface(createReadStream(file, { end: size - 1 }))) {
      if (!isShown(line)) continue;
      last.push(line);
      if (tail >= 0 && last.length > tail) last.shift();
    }
  }
  for (const line of last) process.stdout.write(`${line}\n`);
  if (!follow) return 0;
  const args = ["-F", "-c", `+${size + 1}`, file];
  const child = spawn("tail", args, { stdio: ["ignore", "pipe", "inherit"] });
  process.stdout.on("error", () => child.kill());
  for await (const line of createInterface(child.stdout)) {
    if (isShown(line)) process.stdout.write(`${line}\n`);
  }
  return 0;
}
