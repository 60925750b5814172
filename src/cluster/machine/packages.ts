import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { cniPluginFolders } from "./containerd.ts";
import { hasSystemd, systemctl } from "./systemd.ts";

const run = promisify(execFile);

/** A program that a node needs, and the Debian package that brings it. */
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

/** Folders of programs that root's PATH may lack. */
const moreFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The path of a program; undefined if the machine has none of that name. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...moreFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder with the CNI plugins; undefined if there is none. */
export const findCniPlugins = (): string | undefined =>
  cniPluginFolders.find((folder) => existsSync(join(folder, "bridge")));

/** The Debian packages that are missing for a node; without a runtime if it is given one. */
export function missingPackages(ownRuntime: boolean): string[] {
  const needs = [...(ownRuntime ? runtimeNeeds : []), ...nodeNeeds];
  return [...new Set(needs.filter((need) => !need.present()).map((need) => need.package))];
}

/** A service that Debian starts and enables when its package is installed: k8ts runs a containerd of its own. */
const unwantedService = "containerd.service";

/** The parts of the machine that an installation changes; replaced in tests. */
export interface InstallTarget {
  readonly hasSystemd: boolean;
  install(packages: readonly string[]): Promise<void>;
  systemctl(...args: string[]): Promise<unknown>;
}

const thisMachine = (): InstallTarget => ({
  hasSystemd: hasSystemd(),
  install: aptInstall,
  systemctl,
});

/** Installs Debian packages, and starts none of their services; throws with apt's own words. */
export async function installPackages(
  packages: readonly string[],
  target: InstallTarget = thisMachine(),
): Promise<void> {
  const had = (): Promise<boolean> =>
    target.systemctl("cat", unwantedService).then(
      () => true,
      () => false,
    );
  const isUnwanted = target.hasSystemd && packages.includes("containerd") && !(await had());
  // A masked service isn't started; it is still enabled, for the next start of the machine.
  if (isUnwanted) await target.systemctl("mask", "--runtime", "--quiet", unwantedService);
  try {
    await target.install(packages);
  } finally {
    if (isUnwanted) {
      await target.systemctl("unmask", "--runtime", "--quiet", unwantedService);
      await target.systemctl("disable", "--quiet", unwantedService).catch(() => undefined);
    }
  }
}

async function aptInstall(packages: readonly string[]): Promise<void> {
  if (!findProgram("apt-get")) {
    throw new Error(
      `these are missing, and there is no apt-get to install them: ${packages.join(", ")}`,
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "--no-install-recommends", ...packages];
  try {
    await run("apt-get", install, { env }).catch(async () => {
      await run("apt-get", ["update"], { env });
      await run("apt-get", install, { env });
    });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split("\n").slice(-5).join("\n");
    throw new Error(`apt-get could not install ${packages.join(" ")}:\n${said}`, { cause: error });
  }
}
