import { type ClusterPaths, defaultClusterName } from "../base/paths.ts";
import { etcdProgram } from "../etcd/member-launch.ts";
import { podSlice, sliceRoot } from "../machine/slices.ts";
import { runtimeProgramNames, runtimes } from "../runtimes/index.ts";
import type { Program } from "./supervisor.ts";
import { quoteWord } from "./systemd-words.ts";
import { watchedCommand } from "./watched-command.ts";

/** A file below systemd's folder of units. */
export interface UnitFile {
  readonly name: string;
  readonly text: string;
}

interface UnitOptions {
  readonly paths: ClusterPaths;
  readonly cluster: string;
  readonly launcher: string;
  readonly programs: readonly Program[];
  /** The version of systemd: older ones don't support all settings. */
  readonly release: number;
}

/** The prefix of the names of a cluster's units; the main unit has no suffix. */
const unitBase = (cluster: string): string =>
  cluster === defaultClusterName ? "k8ts" : `k8ts-${cluster}`;

export const programUnit = (cluster: string, program: string): string =>
  `${unitBase(cluster)}-${program}.service`;

export const mainUnit = (cluster: string): string => `${unitBase(cluster)}.service`;

/** The names of programs in units: k8ts-CLUSTER-PROGRAM.service. */
export const unitPrograms: readonly string[] = [
  "server",
  "agent",
  etcdProgram,
  ...runtimeProgramNames,
  "pods",
];

/** True if the units of a cluster of this name would conflict with a program's unit of another cluster. */
export const isUnitOfProgram = (cluster: string): boolean =>
  new RegExp(`(^|-)(${unitPrograms.join("|")})$`).test(cluster);

/** A file that `k8ts up` writes for the next start of the main unit: everything is prepared already. */
export const preparedFile = (cluster: string): string => `/run/${unitBase(cluster)}.prepared`;

/** A file that `k8ts down` writes for the next stop of the Pods' unit: they have ended already. */
export const cleanedFile = (cluster: string): string => `/run/${unitBase(cluster)}.cleaned`;

/**
 * The units of a cluster. The main unit prepares the machine, and starting, stopping or restarting it does the same to all.
 * The order is main, etcd, server and runtime, Pods, agent; stopping is in reverse order, so that the agent doesn't restart Pods
 * that are being stopped, and the runtime is there to stop them.
 */
export function unitFiles(options: UnitOptions): UnitFile[] {
  const { cluster, programs } = options;
  return [
    { name: mainUnit(cluster), text: mainText(options) },
    ...programs.map((program) => ({
      name: programUnit(cluster, program.name),
      text: programText(options, program),
    })),
    { name: programUnit(cluster, "pods"), text: podsText(options) },
    { name: `${podSlice(cluster)}.slice`, text: sliceText(cluster) },
    { name: `${podSlice(cluster)}-.slice.d/k8ts.conf`, text: `[Unit]\n${sliceSettings}` },
  ];
}

function mainText({ cluster, paths, launcher, programs }: UnitOptions): string {
  const all = [...programs.map(({ name }) => name), "pods"];
  const units = all.map((name) => programUnit(cluster, name)).join(" ");
  const prepare = [launcher, "prepare", `--name=${cluster}`, `--data-dir=${paths.folder}`];
  return `[Unit]
Description=Kubernetes (k8ts), cluster ${cluster}
Wants=network-online.target ${units}
After=network-online.target nftables.service ufw.service firewalld.service
StartLimitIntervalSec=0
${requiresFolder(paths)}
[Service]
Type=oneshot
RemainAfterExit=yes
Restart=on-failure
RestartSec=5s
ExecStart=${unlessDone(preparedFile(cluster), prepare)}

[Install]
WantedBy=multi-user.target
`;
}

/** Settings of a program's unit besides the common ones. Those of the runtimes and the kubelet are as in upstream's units. */
const programSettings: Readonly<Record<string, string>> = {
  server: "Type=exec\n",
  [etcdProgram]: "Type=exec\n",
  ...Object.fromEntries(
    runtimes.flatMap(({ programs }) => programs.map(({ name, unit }) => [name, unit])),
  ),
  agent: "Type=exec\nDelegate=yes\nKillMode=process\n",
};

function programText(options: UnitOptions, program: Program): string {
  const { name } = program;
  const { cluster, paths, release } = options;
  const before = unitsBefore(options.programs, name);
  const slices = name === "agent" ? slicesOfKubelet(cluster) : [];
  const after = [...before.map((other) => programUnit(cluster, other)), ...slices];
  return `[Unit]
Description=Kubernetes (k8ts), cluster ${cluster}: ${name}
PartOf=${mainUnit(cluster)}
${slices.map((slice) => `Wants=${slice}\n`).join("")}After=${[mainUnit(cluster), ...after].join(" ")}
StartLimitIntervalSec=0
${requiresFolder(paths)}
[Service]
${programSettings[name] ?? ""}EnvironmentFile=-/etc/default/${unitBase(cluster)}
ExecStart=${watchedCommand(paths, program).map(quoteWord).join(" ")}
Restart=always
${restartDelay(release)}TimeoutStopSec=20s
OOMScoreAdjust=-999
LimitNOFILE=1048576
LimitNPROC=infinity
TasksMax=infinity
SyslogIdentifier=${unitBase(cluster)}-${name}
`;
}

/** The agent is started after all others, a program of the runtime after those that it uses. */
function unitsBefore(programs: readonly Program[], name: string): string[] {
  const names = programs.map((program) => program.name);
  if (name === "agent") return [...names.filter((other) => other !== name), "pods"];
  if (name === "server") return names.filter((other) => other === etcdProgram);
  const ofRuntime = names.filter((other) => runtimeProgramNames.includes(other));
  return ofRuntime.slice(0, Math.max(0, ofRuntime.indexOf(name)));
}

/** The kubelet creates its own slice, but not its cgroupRoot: it does not start if that is missing. */
const slicesOfKubelet = (cluster: string): string[] =>
  sliceRoot(cluster) === "/" ? [] : [`${podSlice(cluster)}.slice`];

/** A program that was killed restarts at once; restarts of one that can't start are delayed, to save CPU time. */
function restartDelay(release: number): string {
  if (release < 254) return "RestartSec=500ms\n";
  return "RestartSec=200ms\nRestartSteps=5\nRestartMaxDelaySec=5s\n";
}

/** Ends the cluster's Pods, and removes their kernel objects, when the cluster or the machine stops. */
function podsText({ cluster, paths, launcher, programs }: UnitOptions): string {
  const before = programs.filter(({ name }) => name !== "agent").map(({ name }) => name);
  const after = [mainUnit(cluster), ...before.map((name) => programUnit(cluster, name))];
  const cleanUp = programs.find(({ name }) => name === "agent")?.command ?? [launcher];
  return `[Unit]
Description=Kubernetes (k8ts), cluster ${cluster}: Pods
PartOf=${mainUnit(cluster)}
After=${after.join(" ")}
${requiresFolder(paths)}
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
ExecStop=${unlessDone(cleanedFile(cluster), [...cleanUp, "--cleanup"])}
TimeoutStopSec=60s
`;
}

/** Without it systemd would also end containers when the machine stops, while the agent restarts them. */
const sliceSettings = "DefaultDependencies=no\n";

const sliceText = (cluster: string): string =>
  `[Unit]\nDescription=Pods of Kubernetes (k8ts), cluster ${cluster}\n${sliceSettings}`;

const requiresFolder = (paths: ClusterPaths): string =>
  `RequiresMountsFor=${quoteWord(paths.folder)}\n`;

/** A command that is skipped once if a marker file says that its work is done. */
function unlessDone(file: string, command: readonly string[]): string {
  const script = 'rm "$0" 2>/dev/null || exec "$@"';
  return ["/bin/sh", "-c", script, file, ...command].map(quoteWord).join(" ");
}
