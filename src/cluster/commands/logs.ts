import type { FlagValues } from "#/std/flags/flags.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { findSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { componentFilter, componentPrograms } from "../supervision/component-log.ts";
import { type Supervisor, supervisorOf } from "../supervision/supervisor.ts";

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
    const supervisor = supervisorOf(paths, findSettings(paths)?.name ?? values.name);
    const [name, ...rest] = args;
    const programs = await supervisor.logs();
    const components = Object.entries(componentPrograms)
      .filter(([, program]) => programs.includes(program))
      .map(([component]) => component);
    const known = [...programs, ...components].sort();
    if (name === undefined || rest.length > 0 || !known.includes(name)) {
      throw new CommandFailure(`name one of: ${known.join(", ") || "(there are no logs)"}`);
    }
    await show(supervisor, name, programs.includes(name), values);
    return 0;
  },
});

async function show(
  supervisor: Supervisor,
  name: string,
  isProgram: boolean,
  { tail, follow }: LogsFlags,
): Promise<void> {
  // A reader who has seen enough, such as head, is no error.
  let isGone = false;
  process.stdout.on("error", () => {
    isGone = true;
  });
  const program = isProgram ? name : (componentPrograms[name] ?? "");
  const isShown = isProgram ? undefined : componentFilter(name);
  for await (const line of supervisor.log(program, { tail, follow, isShown })) {
    if (isGone) return;
    process.stdout.write(`${line}\n`);
  }
}
