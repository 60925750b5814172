import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { findSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { componentFilter, componentPrograms } from "../supervision/component-log.ts";
import { type LogLine, logLineReader, mergeLogs } from "../supervision/log-entry.ts";
import { type Supervisor, supervisorOf } from "../supervision/supervisor.ts";

const logsFlags = {
  ...clusterFlags,
  follow: { type: "bool", shorthand: "f", help: "Wait for new lines and show them." },
  since: { type: "duration", help: "Show only what is newer than this `duration`, such as 5m." },
  tail: {
    type: "int",
    default: 100,
    help: "How many of the last `lines` to show; -1 for all, as with --since.",
  },
} as const;

type LogsFlags = FlagValues<typeof logsFlags>;

/** `k8ts logs [COMPONENT...]`: what components of the cluster wrote, or programs that hold several. */
export const main = command({
  name: "logs",
  description: `Shows the log of a component (kubelet, kube-apiserver, …), or of a program that holds several
(server, agent, containerd). Several, or all if none is named, are shown by time, each line with its component.`,
  arguments: ["[COMPONENT...]"],
  examples: [
    ["Show what the whole cluster has logged in five minutes", "logs --since 5m"],
    ["Show the last lines of the kubelet", "logs kubelet"],
    ["Follow the scheduler and the kubelet", "logs kube-scheduler kubelet -f"],
  ],
  flags: logsFlags,
  async run({ values, changed, args }) {
    if (values.since < 0) throw new FlagError("--since must not be negative");
    const paths = pathsOf(values);
    const supervisor = supervisorOf(paths, findSettings(paths)?.name ?? values.name);
    const programs = await supervisor.logs();
    const components = Object.entries(componentPrograms)
      .filter(([, program]) => programs.includes(program))
      .map(([component]) => component);
    const known = [...programs, ...components].sort();
    if (known.length === 0) throw new CommandFailure(`there are no logs in ${paths.folder}`);
    const unknown = args.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new CommandFailure(`"${unknown}" has no log; name one of: ${known.join(", ")}`);
    }
    const isAll = changed.has("since") && !changed.has("tail");
    const names = args.length === 0 ? programs : [...new Set(args)];
    await show(supervisor, names, { ...values, tail: isAll ? -1 : values.tail });
    return 0;
  },
});

async function show(
  supervisor: Supervisor,
  names: readonly string[],
  { tail, follow, since }: LogsFlags,
): Promise<void> {
  // A reader who has seen enough, such as head, is no error.
  let isGone = false;
  process.stdout.on("error", () => {
    isGone = true;
  });
  const write = ({ source, line }: LogLine): void => {
    process.stdout.write(names.length === 1 ? `${line}\n` : `[${source}] ${line}\n`);
  };
  const now = systemClock.now();
  // Of the lines that a follower reads again, all are counted; --since looks at the time of each.
  const limit = follow || since > 0 ? -1 : tail;
  const logs = await Promise.all(
    names.map((name) => Array.fromAsync(linesOf(supervisor, name, { tail: limit, nowMs: now }))),
  );
  for (const line of mergeLogs(logs, { sinceMs: since > 0 ? now - since : 0, tail })) {
    if (isGone) return;
    write(line);
  }
  if (!follow) return;
  await Promise.all(
    names.map(async (name, i) => {
      let toSkip = logs[i]?.length ?? 0;
      for await (const line of linesOf(supervisor, name, { tail: -1, follow, nowMs: now })) {
        if (isGone) return;
        if (toSkip-- <= 0) write(line);
      }
    }),
  );
}

interface LinesOptions {
  /** Limit of lines from the end; -1 for all. */
  readonly tail: number;
  readonly follow?: boolean;
  readonly nowMs: number;
}

/** The last lines of a component's or a program's log. */
async function* linesOf(
  supervisor: Supervisor,
  name: string,
  { tail, follow = false, nowMs }: LinesOptions,
): AsyncGenerator<LogLine> {
  const program = componentPrograms[name] ?? name;
  const isShown = program === name ? undefined : componentFilter(name);
  const read = logLineReader(program, nowMs);
  for await (const line of supervisor.log(program, { tail, follow, isShown })) yield read(line);
}
