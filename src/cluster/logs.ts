import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure, command, pathsOf } from "./command.ts";
import { clusterFlags } from "./up-flags.ts";

const logsFlags = {
  ...clusterFlags,
  follow: { type: "bool", shorthand: "f", help: "Go on showing what is added." },
  tail: { type: "int", default: 100, help: "So many of the last lines; -1 for all." },
} as const;

/** `k8ts logs COMPONENT`: what a part of the cluster wrote. */
export const main = command({
  usage: "logs COMPONENT [flags]",
  flags: logsFlags,
  async run({ values, args }) {
    const paths = pathsOf(values);
    const [component, ...rest] = args;
    const known = existsSync(paths.log)
      ? readdirSync(paths.log).flatMap((file) => /^(.+)\.log$/.exec(file)?.[1] ?? [])
      : [];
    if (component === undefined || rest.length > 0 || !known.includes(component)) {
      throw new CommandFailure(`name one of: ${known.sort().join(", ") || "(there are no logs)"}`);
    }
    const lines = values.tail < 0 ? "+1" : String(values.tail);
    const follow = values.follow ? ["-F"] : [];
    const file = join(paths.log, `${component}.log`);
    const child = spawn("tail", [...follow, "-n", lines, file], { stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 0;
  },
});
