import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { aptInstall } from "./apt-install.ts";
import { findProgram } from "./find-program.ts";
import { hasSystemd, systemctl } from "./systemd.ts";

/** A program that a node needs, and its Debian package. */
interface Need {
  readonly package: string;
  readonly present: () => boolean;
}

const program = (name: string, debianPackage: string): Need => ({
  package: debianPackage,
  present: () => findProgram(name) !== undefined,
});

/** Folders of CNI plugins on Debian and others; the first with the bridge plugin is used. */
export const cniPluginFolders = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

const nodeNeeds: readonly Need[] = [
  { package: "containernetworking-plugins", present: () => findCniPlugins() !== undefined },
  program("nft", "nftables"),
  program("iptables-restore", "iptables"),
  program("conntrack", "conntrack"),
  program("ip", "iproute2"),
  program("mount", "mount"),
];

const ipvsNeeds: readonly Need[] = [program("ipvsadm", "ipvsadm"), program("ipset", "ipset")];

/** The folder with the CNI plugins; undefined if there is none. */
export const findCniPlugins = (): string | undefined =>
  cniPluginFolders.find((folder) => existsSync(join(folder, "bridge")));

/** The Debian packages that a node lacks, besides those of its runtime. */
export function missingPackages(proxyMode: string): string[] {
  const needs = [...nodeNeeds, ...(proxyMode === "ipvs" ? ipvsNeeds : [])];
  return needs.filter((need) => !need.present()).map((need) => need.package);
}

/** All Debian packages that a node needs, besides those of its runtime. */
export const nodePackages: readonly string[] = nodeNeeds.map((need) => need.package);

/** Services that Debian starts and enables when their packages are installed: k8ts runs runtimes of its own. */
const unwantedServices: Readonly<Record<string, readonly string[]>> = {
  containerd: ["containerd.service"],
  "docker.io": ["docker.service", "docker.socket"],
  "etcd-server": ["etcd.service"],
};

/** The link by which systemd masks a service until the next boot. */
const runtimeMask = (service: string): string => `/run/systemd/system/${service}`;

/** The parts of the machine that an installation changes; replaced in tests. */
interface InstallTarget {
  readonly hasSystemd: boolean;
  /** Whether a service is masked until the next boot. */
  isMasked(service: string): boolean;
  install(packages: readonly string[]): Promise<void>;
  systemctl(...args: string[]): Promise<unknown>;
}

const thisMachine = (): InstallTarget => ({
  hasSystemd: hasSystemd(),
  isMasked: (service) =>
    existsSync(runtimeMask(service)) && readlinkSync(runtimeMask(service)) === "/dev/null",
  install: aptInstall,
  systemctl,
});

/** Installs Debian packages, and starts none of their services; throws apt's error output. */
export async function installPackages(
  packages: readonly string[],
  target: InstallTarget = thisMachine(),
): Promise<void> {
  const isNew = async (service: string): Promise<boolean> =>
    target.isMasked(service) ||
    (await target.systemctl("cat", service).then(
      () => false,
      () => true,
    ));
  const services = packages.flatMap((name) => unwantedServices[name] ?? []);
  const unwanted: string[] = [];
  for (const service of target.hasSystemd ? services : []) {
    if (await isNew(service)) unwanted.push(service);
  }
  // A masked service isn't started, but stays enabled for the next boot.
  for (const service of unwanted) {
    await target.systemctl("mask", "--runtime", "--quiet", service);
  }
  try {
    await target.install(packages);
  } finally {
    for (const service of unwanted) await unmaskService(target, service);
  }
}

/** Removes the masks that an interrupted installation left: this process ended before apt-get did. */
export async function finishInterruptedInstall(target = thisMachine()): Promise<void> {
  if (!target.hasSystemd) return;
  for (const service of Object.values(unwantedServices).flat()) {
    if (target.isMasked(service)) await unmaskService(target, service);
  }
}

async function unmaskService({ systemctl }: InstallTarget, service: string): Promise<void> {
  await systemctl("unmask", "--runtime", "--quiet", service);
  await systemctl("disable", "--quiet", service).catch(() => undefined);
}
