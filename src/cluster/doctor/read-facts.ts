import { Resolver } from "node:dns/promises";
import { existsSync } from "node:fs";
import { readFile, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { familiesOf } from "../base/address-families.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, serverPort } from "../base/settings.ts";
import { closedFirewallHints } from "../machine/closed-firewall.ts";
import { findProgram } from "../machine/find-program.ts";
import { findAddress, hasAddress } from "../machine/node-address.ts";
import { missingPackages } from "../machine/packages.ts";
import { portProblem, thisMachine } from "../machine/preflight.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { knownRisks } from "../runtimes/report-risks.ts";
import { missingRuntimePackages } from "../runtimes/runtime-problems.ts";
import { supervisorOf } from "../supervision/supervisor.ts";
import type { MachineFacts } from "./machine-facts.ts";

const dnsTimeoutMs = 2_000;
const kubeletPort = 10250;

/** Reads what a cluster depends on. Kernel modules that it needs are loaded, as by `k8ts up`. */
export async function readFacts(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<MachineFacts> {
  const { proxyMode, podCidr } = settings;
  const dnsServers = nameservers(findResolvConf());
  return {
    machine: await thisMachine(proxyMode),
    proxyMode,
    ipv6: familiesOf(podCidr).includes(6),
    missingPackages: [...missingRuntimePackages(settings), ...missingPackages(proxyMode)],
    hasApt: findProgram("apt-get") !== undefined,
    disk: await diskOf(paths.folder),
    availableMemoryMiB: await availableMemory(),
    hasSwap: ((await textOf("/proc/swaps")) ?? "").trim().split("\n").length > 1,
    inotifyInstances: await numberIn("/proc/sys/fs/inotify/max_user_instances"),
    inotifyWatches: await numberIn("/proc/sys/fs/inotify/max_user_watches"),
    pidMax: await numberIn("/proc/sys/kernel/pid_max"),
    dnsServers,
    answeringDnsServers: await answering(dnsServers),
    address: await addressOf(settings),
    isClockKept: await isClockKept(),
    now: systemClock.now(),
    madeAt: (await stat(packageFile)).mtimeMs,
    firewallHints: await closedFirewallHints(settings),
    ports: await portsOf(paths, settings),
    risks: (await knownRisks(settings)).map((line) => line.replace(/^\s*security\s+/, "")),
  };
}

const packageFile = fileURLToPath(new URL("../../../package.json", import.meta.url));

const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);

async function numberIn(path: string): Promise<number | undefined> {
  const value = Number.parseInt((await textOf(path)) ?? "", 10);
  return Number.isNaN(value) ? undefined : value;
}

async function availableMemory(): Promise<number | undefined> {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec((await textOf("/proc/meminfo")) ?? "")?.[1];
  return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024);
}

/** The folder itself may not be there yet. */
async function diskOf(wanted: string): Promise<MachineFacts["disk"]> {
  let folder = wanted;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bsize, blocks, bavail, bfree, files, ffree } = await statfs(folder);
  const usedOf = (all: number, free: number): number =>
    all === 0 ? 0 : Math.round((100 * (all - free)) / all);
  return {
    folder,
    freeMiB: Math.round((bavail * bsize) / 1024 ** 2),
    usedPercent: usedOf(blocks - bfree + bavail, bavail),
    usedInodesPercent: usedOf(files, ffree),
    fileSystem: await fileSystemOf(folder),
  };
}

async function fileSystemOf(folder: string): Promise<string> {
  const lines = ((await textOf("/proc/mounts")) ?? "").split("\n").map((line) => line.split(" "));
  const isAbove = (path: string): boolean =>
    path === "/" || folder === path || folder.startsWith(`${path}/`);
  const above = lines.filter(([, path = ""]) => path !== "" && isAbove(path));
  const nearest = above.toSorted(([, a = ""], [, b = ""]) => b.length - a.length)[0];
  return nearest?.[2] ?? "unknown";
}

const nameservers = (resolvConf: string): string[] => {
  return [...resolvConf.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
};

/** The servers that answer at all: the root's own name is in every server's reach. */
async function answering(servers: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(
    servers.map(async (server) => {
      const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 1 });
      try {
        resolver.setServers([server]);
        await resolver.resolveNs(".");
        return [server];
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        // An answer without such a name is an answer.
        return ["ENODATA", "ENOTFOUND", "EREFUSED", "ESERVFAIL"].includes(code) ? [server] : [];
      }
    }),
  );
  return answers.flat();
}

async function addressOf(settings: ClusterSettings): Promise<string | undefined> {
  const { podCidr, networkNamespace, nodeIp, isNodeIpFixed } = settings;
  if (networkNamespace) return nodeIp;
  if (isNodeIpFixed) return hasAddress(nodeIp) ? nodeIp : undefined;
  const [family = 4] = familiesOf(podCidr);
  return (await findAddress({ podCidr, family, previous: nodeIp }))?.address;
}

/** The ports of the cluster's programs, unless they run and have them. */
async function portsOf(paths: ClusterPaths, settings: ClusterSettings) {
  if (settings.networkNamespace) return [];
  const supervisor = supervisorOf(paths, settings.name);
  const all = [
    { program: "server", port: serverPort(settings.server), purpose: "API server" },
    { program: "agent", port: kubeletPort, purpose: "kubelet" },
  ].filter(({ program }) => program !== "server" || settings.role === "server");
  return await Promise.all(
    all.map(async ({ program, port, purpose }) => {
      const { pid } = await supervisor.state(program);
      const problem = pid === undefined ? await portProblem(port, purpose) : undefined;
      return { port, purpose, problem };
    }),
  );
}

/** Whether systemd's or another program keeps the time; undefined where systemd does not run. */
async function isClockKept(): Promise<boolean | undefined> {
  const text = await runProgram("timedatectl", ["show", "--property=NTPSynchronized"]).catch(
    () => "",
  );
  const value = /NTPSynchronized=(yes|no)/.exec(text)?.[1];
  return value === undefined ? undefined : value === "yes";
}
