import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { aptInstall } from "./apt-install.ts";
import { cniPluginFolders } from "./containerd.ts";
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

const runtimeNeeds: readonly Need[] = [
  program("containerd", "containerd"),
  program("ctr", "containerd"),
  program("runc", "runc"),
];
const nodeNeeds: readonly Need[] = [
  { package: "containernetworking-plugins", present: () => findCniPlugins() !== undefined },
  program("nft", "nftables"),
  program("iptables-restore", "iptables"),
  program("conntrack", "conntrack"),
  program("ip", "iproute2"),
  program("mount", "mount"),
];

/** The folder with the CNI plugins; undefined if there is none. */
export const findCniPlugins = (): string | undefined =>
  cniPluginFolders.find((folder) => existsSync(join(folder, "bridge")));

/** The Debian packages that a node lacks; without a runtime if the user provides one. */
export function missingPackages(ownRuntime: boolean): string[] {
  const needs = [...(ownRuntime ? runtimeNeeds : []), ...nodeNeeds];
  return [...new Set(needs.filter((need) => !need.present()).map((need) => need.package))];
}

/** A service that Debian starts and enables when its package is installed: k8ts runs a containerd of its own. */
const unwantedService = "containerd.service";

/** The link by which systemd masks that service until the next boot. */
const runtimeMask = `/run/systemd/system/${unwantedService}`;

/** The parts of the machine that an installation changes; replaced in tests. */
interface InstallTarget {
  readonly hasSystemd: boolean;
  /** Whether the unwanted service is masked until the next boot. */
  isMasked(): boolean;
  install(packages: readonly string[]): Promise<void>;
  systemctl(...args: string[]): Promise<unknown>;
}

const thisMachine = (): InstallTarget => ({
  hasSystemd: hasSystemd(),
  isMasked: () => existsSync(runtimeMask) && readlinkSync(runtimeMask) === "/dev/null",
  install: aptInstall,
  systemctl,
});

/** Installs Debian packages, and starts none of their services; throws apt's error output. */
export async function installPackages(
  packages: readonly string[],
  target: InstallTarget = thisMachine(),
): Promise<void> {
  const had = (): Promise<boolean> =>
    target.systemctl("cat", unwantedService).then(
      () => true,
      () => false,
    );
  const isNew = async () => target.isMasked() || !(await had());
  const isUnwanted = target.hasSystemd && packages.includes("containerd") && (await isNew());
  // A masked service isn't started, but stays enabled for the next boot.
  if (isUnwanted) await target.systemctl("mask", "--runtime", "--quiet", unwantedService);
  try {
    await target.install(packages);
  } finally {
    if (isUnwanted) await unmaskService(target);
  }
}

/** Removes the mask that an interrupted installation left: this process ended before apt-get did. */
export async function finishInterruptedInstall(target = thisMachine()): Promise<void> {
  if (target.hasSystemd && target.isMasked()) await unmaskService(target);
}

async function unmaskService({ systemctl }: InstallTarget): Promise<void> {
  await systemctl("unmask", "--runtime", "--quiet", unwantedService);
  await systemctl("disable", "--quiet", unwantedService).catch(() => undefined);
}
