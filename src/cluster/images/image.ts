import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { FlagError } from "#/std/flags/flags.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { textTable } from "../command-line/text-table.ts";
import { type LocalNode, localNodes } from "../local-nodes/local-nodes.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { endpointOf, ownRuntime } from "../runtimes/own-runtime.ts";
import type { ImageStore } from "../runtimes/runtime.ts";
import { imagesOf } from "../runtimes/user-runtime.ts";
import { checkRunning } from "../supervision/check-running.ts";
import { findImage } from "./find-image.ts";
import { imageRows } from "./image-table.ts";
import { saveArchive } from "./open-archive.ts";

/** `k8ts image load|pull|ls|rm`: the images of a cluster's nodes on this machine. */
export const main = command({
  name: "image",
  description: `Manages the images of the cluster's nodes on this machine.

  load SOURCE...   loads images; a SOURCE is an OCI or Docker archive (tar,
                   tar.gz, tar.zst), a folder with an OCI layout, - for
                   standard input, or the name of an image in Docker or Podman
  pull IMAGE...    pulls images from their registries
  ls               lists the images and the nodes that have them
  rm IMAGE...      removes images by name or id

A Pod uses a loaded image if its imagePullPolicy is IfNotPresent or Never. The default for the tag
latest is Always: give the image another tag.`,
  arguments: ["load|pull|ls|rm", "[IMAGE...]"],
  examples: [
    ["Load an archive", "image load web.tar.gz"],
    ["Load an image that Docker has built", "image load web:1"],
    ["Load from standard input", "image load - < web.tar"],
    ["Pull an image before a Pod needs it", "image pull nginx:1.29"],
    ["List the images", "image ls"],
  ],
  flags: clusterFlags,
  async run({ values, args: [verb = "", ...names] }) {
    const verbs: Readonly<Record<string, Verb>> = {
      ...{ load, pull, ls, list: ls },
      ...{ rm: remove, remove },
    };
    const work = verbs[verb];
    if (!work) throw new FlagError(`unknown subcommand "${verb}": load, pull, ls or rm`);
    const paths = pathsOf(values);
    const all = [{ paths, settings: getSettings(paths) }, ...localNodes(paths)];
    await work(await Promise.all(all.map(runtimeOf)), names);
    return 0;
  },
});

type Verb = (nodes: readonly NodeRuntime[], names: readonly string[]) => Promise<void>;

/** The container runtime of a node on this machine. */
interface NodeRuntime {
  readonly node: string;
  readonly paths: ClusterPaths;
  /** The address of CRI. */
  readonly endpoint: string;
  readonly images: ImageStore;
}

async function runtimeOf({ paths, settings }: LocalNode): Promise<NodeRuntime> {
  for (const { name } of ownRuntime(settings)?.programs ?? []) {
    await checkRunning(paths, settings, name);
  }
  const images = await imagesOf(paths, settings);
  return { node: settings.nodeName, paths, endpoint: endpointOf(paths, settings), images };
}

async function load(nodes: readonly NodeRuntime[], sources: readonly string[]): Promise<void> {
  const [first] = nodes;
  if (sources.length === 0 || !first) {
    throw new FlagError("name a file, a folder, - or an image to load");
  }
  const folder = await mkdtemp(join(first.paths.run, "image-"));
  try {
    for (const source of sources) {
      const archive = join(folder, "images.tar");
      await saveArchive(source, archive);
      for (const { node, images } of nodes) {
        for (const line of await images.load(archive)) process.stdout.write(`${node}: ${line}\n`);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pull(nodes: readonly NodeRuntime[], names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new FlagError("name an image to pull");
  const { pullImage } = await import("#/kubelet/run.ts");
  for (const name of names) {
    const pulled = await Promise.allSettled(nodes.map(({ endpoint }) => pullImage(endpoint, name)));
    const failures = pulled.flatMap((result, index) =>
      result.status === "rejected"
        ? `${nodes[index]?.node}: ${(result.reason as Error).message}`
        : [],
    );
    if (failures.length > 0) throw new CommandFailure(failures.join("\n"));
    for (const { node } of nodes) process.stdout.write(`${node}: pulled ${name}\n`);
  }
}

async function ls(nodes: readonly NodeRuntime[], names: readonly string[]): Promise<void> {
  if (names.length > 0) throw new FlagError(`unexpected argument "${names[0]}"`);
  const { listImages } = await import("#/kubelet/run.ts");
  const found = await Promise.all(
    nodes.map(async ({ node, endpoint }) => ({ node, images: await listImages(endpoint) })),
  );
  process.stdout.write(textTable(imageRows(found)));
}

async function remove(nodes: readonly NodeRuntime[], names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new FlagError("name an image to remove");
  for (const name of names) {
    const removed = await Promise.all(nodes.map((node) => removeFrom(node, name)));
    if (!removed.includes(true)) throw new CommandFailure(`there is no image ${name}`);
    process.stdout.write(`removed ${name}\n`);
  }
}

/** Removes a name, and the image with its last name; false if the node has no such image. */
async function removeFrom({ endpoint, images }: NodeRuntime, asked: string): Promise<boolean> {
  const { listImages, removeImage } = await import("#/kubelet/run.ts");
  const found = findImage(await listImages(endpoint), asked);
  if (!found) return false;
  const { image, name } = found;
  const isOneOfSeveral = name !== undefined && image.names.length > 1;
  if (isOneOfSeveral && images.untag) await images.untag(name);
  else await removeImage(endpoint, isOneOfSeveral ? name : image.id);
  return true;
}
