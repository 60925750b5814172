import { existsSync, statfsSync, statSync } from "node:fs";
import { readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { type ClusterPaths, kubeletFolder } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";

/** The pinned mount namespaces of the machine: a mount of its own, private, as the kernel demands. */
const pinsFolder = "/run/k8ts-mounts";

type NodeSettings = Pick<ClusterSettings, "name" | "networkNamespace" | "runtimeEndpoint">;

/**
 * True if a node has its own mount namespace, in which its folder is the machine's `/var/lib/kubelet`: it shares the machine
 * with others, and its runtime is its own, so that containers see the same.
 */
const hasOwnMounts = ({ networkNamespace, runtimeEndpoint }: NodeSettings): boolean =>
  networkNamespace !== undefined && runtimeEndpoint === undefined;

/** The file that keeps a node's mount namespace; undefined if it has none. */
const mountsFile = (settings: NodeSettings): string | undefined =>
  hasOwnMounts(settings) ? join(pinsFolder, settings.name) : undefined;

/** The type of the file system of namespaces (nsfs), as statfs has it. */
const namespaceFileSystem = 0x6e736673;

/**
 * What makes nsenter enter a node's mount namespace. Nothing for a program that is inside, as an agent that starts a server:
 * pins are mounts of the machine alone, so that there the file is an empty one.
 */
export function enterMounts(settings: NodeSettings): string[] {
  const pin = mountsFile(settings);
  const isInside = pin && existsSync(pin) && statfsSync(pin).type !== namespaceFileSystem;
  return pin && !isInside ? [`--mount=${pin}`] : [];
}

/** The same for a node that runs: a version from before nodes had mounts of their own has made none. */
export function enterPresentMounts(settings: NodeSettings): string[] {
  const pin = mountsFile(settings);
  return pin && existsSync(pin) ? enterMounts(settings) : [];
}

/**
 * The folder of the kubelet, as it and its containers see it: where volume drivers and agents expect it, unless another kubelet
 * of this machine is there.
 */
export function kubeletRoot(paths: ClusterPaths, settings: NodeSettings): string {
  return hasOwnMounts(settings) || isSame(kubeletFolder, paths.kubelet)
    ? kubeletFolder
    : paths.kubelet;
}

/** Makes the kubelet's folder of a node its `/var/lib/kubelet`. Every step may have been done before. */
export async function ensureKubeletFolder(
  paths: ClusterPaths,
  settings: NodeSettings,
  run: RunProgram = runProgram,
): Promise<void> {
  const pin = mountsFile(settings);
  if (pin) {
    await ensurePin(pin, run);
    const mount = ["sh", "-ec", mountInside, paths.kubelet, kubeletFolder];
    await run("nsenter", [`--mount=${pin}`, ...mount]);
    return;
  }
  if (isSame(kubeletFolder, paths.kubelet) || settings.networkNamespace) return;
  if (await isForeign(run)) return;
  await run("sh", ["-ec", mountHere, paths.kubelet, kubeletFolder]);
}

/**
 * The same for a program that is inside of its node's mounts: a mount goes when another program removes the folder of the
 * machine on which it is. True if it was gone.
 */
export async function mountAgainInside(
  paths: ClusterPaths,
  settings: NodeSettings,
  run: RunProgram = runProgram,
): Promise<boolean> {
  const isInside = hasOwnMounts(settings) && enterMounts(settings).length === 0;
  if (!isInside || isSame(kubeletFolder, paths.kubelet)) return false;
  await run("sh", ["-ec", mountInside, paths.kubelet, kubeletFolder]);
  return true;
}

/** Mounts of a node are shared with its containers, so that a driver in one can mount volumes for all. */
const mountHere = 'mkdir -p "$1"; mount --rbind "$0" "$1"; mount --make-rshared "$1"';

/**
 * Where `ip netns` was used, the folder of networks is mounted over itself, and what is mounted in it is also mounted below,
 * hidden. A copy of both, as a node has it of Pods that are older than its mounts, can't be removed: the hidden one keeps the
 * file in use. Without the upper mount, each is there once. It stays if it has any that the lower one lacks.
 */
const showHidden = `
isDouble='
$5 == "/run/netns" { top = $1; below = $2 }
$5 ~ "^/run/netns/" { at[$2, $5]; points[$5] }
END {
  for (p in points) if ((top, p) in at) { found++; if (!((below, p) in at)) exit 1 }
  exit found < 1
}'
while mountpoint -q /run/netns && awk "$isDouble" /proc/self/mountinfo; do umount -l /run/netns; done`;

/** What the machine mounts appears inside; what is mounted inside stays there. */
const mountInside = `${showHidden}
[ "$1" -ef "$0" ] || { mount --make-rshared /; ${mountHere}; }`;

/** True if the folder belongs to another kubelet. */
async function isForeign(run: RunProgram): Promise<boolean> {
  const isUsed = 'mountpoint -q "$0" || { [ -d "$0" ] && [ -n "$(ls -A "$0")" ]; }';
  return await run("sh", ["-c", `if ${isUsed}; then echo used; fi`, kubeletFolder]).then(
    (printed) => printed.trim() === "used",
  );
}

/**
 * As with systemd, mounts of the machine are shared with namespaces: otherwise what it unmounts would stay mounted, and in use,
 * inside.
 */
const pinScript = `
mkdir -p "$0" "$2"
mountpoint -q "$0" || mount --bind "$0" "$0"
[ "$(findmnt -no PROPAGATION / | tail -n 1)" != private ] || mount --make-rshared /
mount --make-private "$0"
[ -e "$1" ] || : >"$1"
[ "$(stat -f -c %T "$1")" = nsfs ] || unshare "--mount=$1" --propagation slave true`;

const ensurePin = (pin: string, run: RunProgram): Promise<string> =>
  run("flock", ["/run", "sh", "-ec", pinScript, pinsFolder, pin, kubeletFolder]);

/**
 * Removes the machine's folder of kubelets if no node has its own mounts: theirs would end with it. Under the lock by which they
 * are made.
 */
const removeScript = `
if [ -d "$0" ]; then
  [ -z "$(ls -A "$0")" ] || exit 0
  umount "$0" 2>/dev/null || :
  rmdir "$0"
fi
[ ! -d "$1" ] || [ -n "$(ls -A "$1")" ] || mountpoint -q "$1" || rmdir "$1"`;

const isPinned = async (pin: string, run: RunProgram): Promise<boolean> =>
  (await run("stat", ["-f", "-c", "%T", pin])).trim() === "nsfs";

/** True if a process is in its node's mount namespace, or the node has none. */
export async function isInMounts(pid: number, settings: NodeSettings): Promise<boolean> {
  const pin = mountsFile(settings);
  if (!pin || !existsSync(pin)) return true;
  const link = await readlink(`/proc/${pid}/ns/mnt`).catch(() => "");
  return link === "" || link === `mnt:[${statSync(pin).ino}]`;
}

/** The folders whose mounts belong to a node. */
export const mountRoots = ({ folder, kubelet }: ClusterPaths): readonly string[] =>
  isSame(kubeletFolder, kubelet) ? [folder, kubeletFolder] : [folder];

/** Removes it, with all mounts of a node that has its own; the node's processes have ended. */
export async function removeKubeletFolder(
  paths: ClusterPaths,
  settings: NodeSettings,
  run: RunProgram = runProgram,
): Promise<void> {
  const pin = join(pinsFolder, settings.name);
  if (existsSync(pin)) {
    if (await isPinned(pin, run)) await run("umount", [pin]);
    await rm(pin);
  }
  if (isSame(kubeletFolder, paths.kubelet)) await run("umount", ["-l", kubeletFolder]);
  await run("flock", ["/run", "sh", "-ec", removeScript, pinsFolder, kubeletFolder]);
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
