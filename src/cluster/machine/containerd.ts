import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { ensureFolder, traverseOnly, writeIfChanged, writeWhole } from "../base/write-file.ts";
import { type ContainerdOptions, containerdConfig, mayProtect, run } from "./containerd-config.ts";
import { pauseImage, pauseImageName } from "./pause-image.ts";

/** Folders of CNI plugins on Debian and others; the first with the bridge plugin is used. */
export const cniPluginFolders = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

/** The configuration file of a cluster's own containerd. */
export const containerdFile = (paths: ClusterPaths): string =>
  join(paths.config, "containerd.toml");

/** Writes the configuration of a cluster's own containerd, and the folders that it names. */
export async function prepareContainerd(
  options: Omit<ContainerdOptions, "major" | "mayProtect">,
): Promise<void> {
  const { paths } = options;
  const [version, status] = await Promise.all([
    run("containerd", ["--version"]),
    readFile("/proc/self/status", "utf8"),
  ]);
  const major = Number(/\bv?(\d+)\.\d+\.\d+/.exec(version.stdout)?.[1] ?? 1);
  await ensureFolder(join(paths.run, "containerd"), traverseOnly);
  for (const folder of [paths.cni, join(paths.config, "registries")]) await ensureFolder(folder);
  const config = containerdConfig({ ...options, major, mayProtect: mayProtect(status) });
  await writeIfChanged(containerdFile(paths), config);
}

/** Loads an archive of images, OCI's or Docker's, into the kubelet's image store. */
export async function importImages(socket: string, file: string): Promise<string> {
  const { stdout } = await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "import", file]);
  return stdout;
}

/** Removes one of several names of an image. CRI has no such call: it removes an image with all its names. */
export async function untagImage(socket: string, name: string): Promise<void> {
  await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "rm", name]);
}

/** Ensures that the node has its pause image. */
export async function ensurePauseImage(paths: ClusterPaths, socket: string): Promise<void> {
  const { stdout } = await run("ctr", ["-a", socket, "-n", "k8s.io", "images", "ls", "-q"]);
  if (stdout.split("\n").includes(pauseImageName)) return;
  const file = join(paths.run, "pause.tar");
  await writeWhole(file, pauseImage(process.arch));
  await importImages(socket, file);
}
