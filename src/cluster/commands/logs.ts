import { FlagError, type FlagValues } from "#/std/flags/flags.ts";
import { systemClock } from "#/std/time/clock.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { findSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { localNodes } from "../local-nodes/local-nodes.ts";
import { programsOfPart } from "../parts/enabled-parts.ts";
import { parts } from "../parts/index.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { componentFilter } from "../supervision/component-log.ts";
import { lastLines } from "../supervision/last-lines.ts";
import { type LogLine, logLineReader, mergeLogs } from "../supervision/log-entry.ts";
import { type ProgramLog, type Supervisor, supervisorOf } from "../supervision/supervisor.ts";

const logsFlags = {
  ...clusterFlags,
  follow: { type: "bool", shorthand: "f", help: "Wait for new lines and show them." },
  node: { type: "string", help: "Only the node of this `name`; all of this machine if not given." },
  since: { type: "duration", help: "Show only what is newer than this `duration`, such as 5m." },
  tail: {
    type: "int",
    shorthand: "n",
    default: 100,
    help: "How many of the last `lines` to show; -1 for all, as with --since.",
  },
} as const;

type LogsFlags = FlagValues<typeof logsFlags>;

/** `k8ts logs [COMPONENT...]`: the logs of components of the cluster, or of programs that run several. */
export const main = command({
  name: "logs",
  description: `Shows the log of a component (kubelet, kube-apiserver, …), or of a program that holds several
(server, agent, containerd). Several, or all if none is named, are shown by time, each line with its component.
Nodes that the cluster has on this machine are shown together, each line with its node.`,
  arguments: ["[COMPONENT...]"],
  examples: [
    ["Show what the whole cluster has logged in five minutes", "logs --since 5m"],
    ["Show the last lines of the kubelet", "logs kubelet"],
    ["Show more lines of one node's kubelet", "logs kubelet --node vm-2 -n 500"],
    ["Follow the scheduler and the kubelet", "logs kube-scheduler kubelet -f"],
  ],
  flags: logsFlags,
  async run({ values, changed, args }) {
    if (values.since < 0) throw new FlagError("--since must not be negative");
    if (values.tail < -1) throw new FlagError("--tail must be -1 or more");
    const paths = pathsOf(values);
    const nodes = await chosenNodes(paths, values);
    const sources = sourcesOf(nodes, [...new Set(args)]);
    const isAll = changed.has("since") && !changed.has("tail");
    await show(sources, { ...values, tail: isAll ? -1 : values.tail });
    return 0;
  },
});

/** A node whose programs log on this machine. */
interface LoggingNode {
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly programs: readonly string[];
}

/** The nodes of the cluster on this machine, or the requested one. */
async function chosenNodes(paths: ClusterPaths, { name, node }: LogsFlags): Promise<LoggingNode[]> {
  const first = findSettings(paths);
  const all = [
    { paths, cluster: first?.name ?? name, nodeName: first?.nodeName ?? "" },
    ...localNodes(paths).map(({ paths: own, settings }) => ({
      paths: own,
      cluster: settings.name,
      nodeName: settings.nodeName,
    })),
  ];
  const chosen = all.filter(({ nodeName }) => node === "" || node === nodeName);
  if (first && chosen.length === 0) {
    const known = all.map(({ nodeName }) => nodeName).join(", ");
    throw new CommandFailure(`"${node}" is no node on this machine; there are: ${known}`);
  }
  const found = await Promise.all(
    chosen.map(async (one) => {
      const supervisor = supervisorOf(one.paths, one.cluster);
      return { name: one.nodeName, supervisor, programs: await supervisor.logs() };
    }),
  );
  const logging = found.filter(({ programs }) => programs.length > 0);
  if (logging.length === 0) throw new CommandFailure(`there are no logs in ${paths.folder}`);
  return logging;
}

/** A program's log, or a component's part of it. */
interface LogSource {
  readonly node: LoggingNode;
  readonly program: string;
  /** The component whose lines are printed; undefined for all. */
  readonly component: string | undefined;
  /** The prefix of a line before its component; empty if there is one node. */
  readonly prefix: string;
}

/** The logs of the given names; those of all programs if there are none. */
function sourcesOf(nodes: readonly LoggingNode[], names: readonly string[]): LogSource[] {
  const known = new Set(nodes.flatMap(({ programs }) => [...programs, ...componentsIn(programs)]));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new CommandFailure(
      `"${unknown}" has no log; name one of: ${[...known].sort().join(", ")}`,
    );
  }
  return nodes.flatMap((node) => {
    const prefix = nodes.length > 1 ? `${node.name} ` : "";
    const asked = names.length > 0 ? names : node.programs;
    return asked.flatMap((name) => {
      const holders = programsOfPart(name);
      const component = holders.length > 0 ? name : undefined;
      return (component ? holders : [name])
        .filter((program) => node.programs.includes(program))
        .map((program) => ({ node, program, component, prefix }));
    });
  });
}

const componentsIn = (programs: readonly string[]): string[] =>
  parts
    .map(({ name }) => name)
    .filter((name) => programsOfPart(name).some((program) => programs.includes(program)));

async function show(
  sources: readonly LogSource[],
  { tail, follow, since }: LogsFlags,
): Promise<void> {
  // A reader that closes the pipe early, such as head, is no error.
  let isGone = false;
  process.stdout.on("error", () => {
    isGone = true;
  });
  const write = ({ source, line }: LogLine): void => {
    process.stdout.write(sources.length === 1 ? `${line}\n` : `[${source}] ${line}\n`);
  };
  const nowMs = systemClock.now();
  const sinceMs = since > 0 ? nowMs - since : 0;
  const opened = await Promise.all(
    sources.map(async (source) => ({ source, log: await openLog(source) })),
  );
  const lasts = opened.map(({ source, log }) => lastOf(source, log, { nowMs, sinceMs, tail }));
  for (const line of mergeLogs(await Promise.all(lasts), { sinceMs, tail })) {
    if (isGone) return;
    write(line);
  }
  if (!follow) return;
  const following = opened.map(async ({ source, log }) => {
    const isShown = filterOf(source);
    const read = logLineReader(source.program, nowMs);
    for await (const line of log.follow()) {
      if (isGone) return;
      if (isShown(line)) write(withPrefix(source, read(line)));
    }
  });
  await Promise.all(following);
}

const openLog = ({ node, program }: LogSource): Promise<ProgramLog> =>
  node.supervisor.openLog(program);

interface LastOptions {
  readonly nowMs: number;
  readonly sinceMs: number;
  readonly tail: number;
}

async function lastOf(
  source: LogSource,
  log: ProgramLog,
  options: LastOptions,
): Promise<LogLine[]> {
  const wanted = { ...options, program: source.program, filter: () => filterOf(source) };
  const lines = await lastLines(log.backward(), wanted);
  return lines.map((line) => withPrefix(source, line));
}

const filterOf = ({ component }: LogSource): ((line: string) => boolean) =>
  component === undefined ? () => true : componentFilter(component);

const withPrefix = ({ prefix }: LogSource, line: LogLine): LogLine => ({
  ...line,
  source: prefix + line.source,
});
