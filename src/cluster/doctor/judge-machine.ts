import { installAdvice } from "../machine/other-distributions.ts";
import { machineProblems } from "../machine/preflight.ts";
import type { MachineFacts } from "./machine-facts.ts";

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  readonly area: string;
  /** A cluster does not run with something bad; with a warning it runs, but may fail one day. */
  readonly state: "good" | "warning" | "bad";
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** From here on kubelets evict Pods, as upstream's defaults say (percent). */
const fullDiskPercent = 85;
const fullInodesPercent = 95;
/** A cluster and its first Pods need about this (MiB). */
const neededDiskMiB = 1024;
const neededMemoryMiB = 512;
/** Below these, watches of files fail once a few dozen Pods run; Debian's own values are lower. */
const wantedInotify = { instances: 512, watches: 65_536 };
const wantedPids = 32_768;
const dayMs = 24 * 3600 * 1000;

/** Judges a machine: one finding or more for each area, in the order in which they matter. Pure. */
export function judgeMachine(facts: MachineFacts): Finding[] {
  return [
    ...judgeKernel(facts),
    judgePackages(facts),
    judgeDisk(facts),
    judgeMemory(facts),
    judgeLimits(facts),
    judgeAddress(facts),
    ...judgePorts(facts),
    judgeDns(facts),
    judgeFirewall(facts),
    judgeClock(facts),
    ...facts.risks.map((text): Finding => ({ area: "security", state: "warning", text })),
  ];
}

function judgeKernel({ machine, proxyMode, ipv6 }: MachineFacts): Finding[] {
  const problems = machineProblems(machine, { proxyMode, ipv6 });
  if (problems.length > 0) return problems.map((text) => ({ area: "kernel", state: "bad", text }));
  const text = `${machine.kernel}, with overlayfs, cgroups and what ${proxyMode} needs`;
  return [{ area: "kernel", state: "good", text }];
}

function judgePackages({ missingPackages: missing, hasApt }: MachineFacts): Finding {
  const area = "packages";
  if (missing.length === 0) return { area, state: "good", text: "all are installed" };
  const text = `missing: ${missing.join(", ")}`;
  if (hasApt) return { area, state: "warning", text, remedy: "k8ts up installs them with apt-get" };
  return { area, state: "bad", text, remedy: installAdvice(missing) };
}

function judgeDisk({ disk }: MachineFacts): Finding {
  const { folder, freeMiB, usedPercent, usedInodesPercent, fileSystem } = disk;
  const area = "disk";
  const text = `${folder} (${fileSystem}): ${(freeMiB / 1024).toFixed(1)} GiB free, ${usedPercent} % used`;
  const remedy = "free space, or choose another folder with --data-dir";
  if (freeMiB < neededDiskMiB) return { area, state: "bad", text, remedy };
  if (usedPercent >= fullDiskPercent) {
    return {
      area,
      state: "bad",
      text: `${text}: kubelets evict Pods from ${fullDiskPercent} % on`,
      remedy,
    };
  }
  if (usedInodesPercent >= fullInodesPercent) {
    return {
      area,
      state: "bad",
      text: `${text}, ${usedInodesPercent} % of its inodes used`,
      remedy,
    };
  }
  return { area, state: "good", text };
}

function judgeMemory({ availableMemoryMiB: free, hasSwap }: MachineFacts): Finding {
  const area = "memory";
  if (free === undefined) return { area, state: "warning", text: "/proc/meminfo can't be read" };
  const text = `${(free / 1024).toFixed(1)} GiB available${hasSwap ? ", with swap, which Pods do not use" : ""}`;
  if (free >= neededMemoryMiB) return { area, state: "good", text };
  const remedy = `end other programs: a cluster needs about ${neededMemoryMiB} MiB`;
  return { area, state: "warning", text, remedy };
}

function judgeLimits({ inotifyInstances, inotifyWatches, pidMax }: MachineFacts): Finding {
  const settings = [
    ["fs.inotify.max_user_instances", inotifyInstances, wantedInotify.instances],
    ["fs.inotify.max_user_watches", inotifyWatches, wantedInotify.watches],
    ["kernel.pid_max", pidMax, wantedPids],
  ] as const;
  const low = settings.filter(([, value, wanted]) => value !== undefined && value < wanted);
  const area = "limits";
  if (low.length === 0) return { area, state: "good", text: "inotify and process numbers suffice" };
  const text = low.map(([name, value, wanted]) => `${name} is ${value}, better ${wanted}`);
  const set = low.map(([name, , wanted]) => `${name}=${wanted}`).join(" ");
  return { area, state: "warning", text: text.join("; "), remedy: `sysctl -w ${set}` };
}

function judgeAddress({ address }: MachineFacts): Finding {
  const area = "address";
  if (address !== undefined) return { area, state: "good", text: address };
  const remedy = "connect the machine to a network, or choose an address with --node-ip";
  return { area, state: "bad", text: "the machine has no address that a node can use", remedy };
}

function judgePorts({ ports }: MachineFacts): Finding[] {
  const area = "ports";
  const taken = ports.flatMap(({ problem }) => problem ?? []);
  if (taken.length > 0) {
    const remedy = "end that program, choose another port, or give the cluster a --name";
    return taken.map((text) => ({ area, state: "bad", text, remedy }));
  }
  const names = ports.map(({ port, purpose }) => `${port} (${purpose})`);
  const text = names.length > 0 ? names.join(", ") : "the cluster has a network of its own";
  return [{ area, state: "good", text }];
}

function judgeDns({ dnsServers: all, answeringDnsServers: answering }: MachineFacts): Finding {
  const area = "DNS";
  const remedy = "correct /etc/resolv.conf; Pods find Services all the same, but no other names";
  if (all.length === 0)
    return {
      area,
      state: "warning",
      text: "the machine has no DNS server that Pods reach",
      remedy,
    };
  if (answering.length === 0) {
    return { area, state: "warning", text: `no answer from ${all.join(", ")}`, remedy };
  }
  return { area, state: "good", text: `answers come from ${answering.join(", ")}` };
}

function judgeFirewall({ firewallHints: hints }: MachineFacts): Finding {
  const area = "firewall";
  if (hints.length === 0)
    return { area, state: "good", text: "closes nothing that a cluster needs" };
  const text = "is closed for other machines";
  return { area, state: "warning", text, remedy: hints.map((line) => line.trim()).join("\n") };
}

function judgeClock({ isClockKept, now, madeAt }: MachineFacts): Finding {
  const area = "clock";
  const text = new Date(now).toISOString().slice(0, 16).replace("T", " ");
  if (now < madeAt - dayMs) {
    const remedy = "set it: certificates of the cluster would not be valid on other machines";
    return { area, state: "bad", text: `${text}, which is before this program was made`, remedy };
  }
  if (isClockKept === false) {
    const remedy = "with several machines, install chrony or enable systemd-timesyncd";
    return { area, state: "warning", text: `${text}; no program keeps it right`, remedy };
  }
  return { area, state: "good", text };
}
