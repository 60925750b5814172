/**
 * Runs kube-bench, the checks of the CIS benchmark, against a cluster of this machine that has an etcd of its own:
 * `node test/cis/run.ts --name NAME --program KUBE-BENCH --config ITS-CFG-FOLDER`. Exits with 1 if a check fails.
 *
 * kube-bench reads the flags of programs from their command lines, and files where kubeadm has them. Ours are parts of two
 * processes, and in the cluster's folder. Therefore it runs in namespaces of its own: there, each part is an idle program
 * with the part's name and flags, and the cluster's real files are mounted at kubeadm's places.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { clusterFolder, clusterPaths } from "#/cluster/base/paths.ts";
import { getSettings } from "#/cluster/base/settings.ts";
import { memberLaunchFile } from "#/cluster/etcd/member-launch.ts";
import { findResolvConf } from "#/cluster/machine/resolv-conf.ts";
import { partStarts } from "#/cluster/parts/enabled-parts.ts";
import { launcher } from "../e2e/machine.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { name: text, program: text, config: text, benchmark: { ...text, default: "cis-1.12" } },
});
const { name = "", program = "", config = "", benchmark } = values;
const paths = clusterPaths(clusterFolder(name));
const settings = getSettings(paths);
const folder = mkdtempSync(join(tmpdir(), "k8ts-cis-"));
const admin = join(paths.access, "super-admin.kubeconfig");
const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The programs that kube-bench looks for, besides etcd. */
const known = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
];

/** The files of the cluster, and where kubeadm has theirs: the settings, which all flags are made of, are its manifests. */
const access = (who: string): string => join(paths.access, `${who}.kubeconfig`);
const etc = "/etc/kubernetes";
const places: readonly (readonly [file: string, place: string])[] = [
  [paths.pki, `${etc}/pki`],
  [access("admin"), `${etc}/admin.conf`],
  [access("super-admin"), `${etc}/super-admin.conf`],
  [access("scheduler"), `${etc}/scheduler.conf`],
  [access("controller-manager"), `${etc}/controller-manager.conf`],
  [access("kubelet"), `${etc}/kubelet.conf`],
  [paths.settings, `${etc}/manifests/kube-apiserver.yaml`],
  [paths.settings, `${etc}/manifests/kube-controller-manager.yaml`],
  [paths.settings, `${etc}/manifests/kube-scheduler.yaml`],
  [memberLaunchFile(paths), `${etc}/manifests/etcd.yaml`],
  [join(paths.config, "kubelet.json"), "/var/lib/kubelet/config.yaml"],
  [join(paths.run, "agent.started"), "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf"],
];

try {
  const context = { paths, settings, resolvConf: findResolvConf() };
  const starts = [...partStarts("server", context), ...partStarts("agent", context)];
  const programs = starts
    .filter((one) => known.includes(one.name))
    .map((one) => [one.name, one.args.map(quote).join(" ")] as const);
  const launch = readFileSync(memberLaunchFile(paths), "utf8");
  const etcd = /^exec \S+ (.*)$/m.exec(launch)?.[1] ?? "";
  process.exitCode = inNamespaces([...programs, ["etcd", etcd]]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs kube-bench beside idle programs with these names and flags; returns the exit code. */
function inNamespaces(programs: readonly (readonly [name: string, flags: string])[]): number {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // kube-bench wants the name as the first word of the command line, and a script has its shell there.
  for (const [title] of programs) symlinkSync("/usr/bin/perl", join(bin, title));
  writeScript(join(bin, "kubectl"), `exec ${quote(launcher)} kubectl --kubeconfig ${admin} "$@"`);
  const mounts = places.map(([file, place]) => {
    const make =
      file === paths.pki ? `mkdir -p ${place}` : `mkdir -p ${dirname(place)} && touch ${place}`;
    return `${make} && mount --bind ${file} ${place}`;
  });
  const lines = [
    "set -e",
    ...["/etc/kubernetes", "/var/lib/kubelet", "/etc/systemd/system"].map(
      (place) => `mkdir -p ${place} && mount -t tmpfs none ${place}`,
    ),
    ...mounts,
    ...programs.map(([title, flags]) => `${join(bin, title)} -e 'sleep' -- ${flags} &`),
    "sleep 1",
    `export PATH=${bin}:$PATH`,
    `${program} run --config-dir ${config} --benchmark ${benchmark} --targets master,node,etcd,controlplane,policies`,
  ];
  const script = join(folder, "inside.sh");
  writeFileSync(script, `${lines.join("\n")}\n`);
  const words = ["--mount", "--pid", "--fork", "--mount-proc", "sh", script];
  const { stdout, stderr, status } = spawnSync("unshare", words, { encoding: "utf8" });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  const failed = stdout.split("\n").filter((line) => line.startsWith("[FAIL]"));
  process.stdout.write(`${failed.length} checks failed\n`);
  return status === 0 && failed.length === 0 && stdout.includes("[PASS]") ? 0 : 1;
}

function writeScript(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
