import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, readlinkSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cniPluginFolders } from "./containerd.ts";
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

/** Removes the mask of an interrupted installation: apt-get has finished, but this process has not. */
export async function finishInterruptedInstall(target = thisMachine()): Promise<void> {
  if (target.hasSystemd && target.isMasked()) await unmaskService(target);
}

async function unmaskService({ systemctl }: InstallTarget): Promise<void> {
  await systemctl("unmask", "--runtime", "--quiet", unwantedService);
  await systemctl("disable", "--quiet", unwantedService).catch(() => undefined);
}

/** Installs packages completely, even if this process ends in the meantime. */
export async function aptInstall(packages: readonly string[]): Promise<void> {
  if (!findProgram("apt-get")) {
    throw new Error(
      `these are missing, and there is no apt-get to install them: ${packages.join(", ")}`,
    );
  }
  const install = ["install", "-y", "--no-install-recommends", lockWait, ...packages];
  try {
    await runWhole("apt-get", install).catch(async () => {
      // An installation that was killed halfway must be completed first.
      await runWhole("dpkg", ["--configure", "-a"]);
      await runWhole("apt-get", ["update", lockWait]);
      await runWhole("apt-get", install);
    });
  } catch (error) {
    const said = (error as Error).message.trim().split("\n").slice(-5).join("\n");
    throw new Error(`apt-get could not install ${packages.join(" ")}:\n${said}`, { cause: error });
  }
}

/** Timeout (seconds) of the wait for another apt-get, such as that of an interrupted start. */
const lockWait = "-oDPkg::Lock::Timeout=300";

/**
 * Runs a program that must not be interrupted: Ctrl-C does not reach it, and it continues if this process ends. Its output is
 * an unnamed file; on failure, that is the error's message.
 */
async function runWhole(command: string, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-apt-"));
  await using output = await open(join(folder, "output"), "w+");
  await rm(folder, { recursive: true });
  const child = spawn(command, args, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", output.fd, output.fd],
    detached: true,
  });
  const [code] = await once(child, "close");
  if (code === 0) return;
  const { size } = await output.stat();
  const { buffer } = await output.read(Buffer.alloc(size), 0, size, 0);
  throw new Error(buffer.toString());
}
