import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { goArchitecture } from "#/std/archive/oci-image.ts";
import { readTar } from "#/std/archive/tar-reader.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { CommandFailure } from "../base/command-failure.ts";

/** An entry of Docker's manifest.json. */
interface DockerImage {
  readonly Config: string;
  readonly RepoTags: readonly string[] | null;
  readonly Layers: readonly string[];
}

interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}

/** Limit of a manifest in an archive (bytes), as registries have it. */
const maxManifestBytes = 4 * 1024 * 1024;

/**
 * The names of the images in an archive. One that has only OCI's index gets Docker's manifest.json as well: Docker reads no
 * other.
 */
export async function namedImages(archive: string): Promise<readonly string[]> {
  const found = await readJson(archive, ["manifest.json", "index.json"]);
  const known = found.get("manifest.json")?.content as readonly DockerImage[] | undefined;
  if (known !== undefined) return namesOf(known);
  const index = found.get("index.json")?.content as Manifest | undefined;
  if (index === undefined) {
    throw new CommandFailure("that is no archive of images: it has no manifest.json or index.json");
  }
  const images = await Promise.all(
    (index.manifests ?? []).map((descriptor) => imageOf(archive, descriptor)),
  );
  const names = namesOf(images);
  await append(archive, "manifest.json", JSON.stringify(images));
  return names;
}

function namesOf(images: readonly DockerImage[]): readonly string[] {
  const names = images.flatMap(({ RepoTags }) => RepoTags ?? []);
  if (names.length === 0) throw new CommandFailure("the images of the archive have no names");
  return names;
}

async function imageOf(archive: string, descriptor: Descriptor): Promise<DockerImage> {
  const { path, content } = await blobOf(archive, descriptor);
  const { manifests, config, layers = [] } = content as Manifest;
  if (manifests) {
    const chosen = manifests.find(isOwnPlatform);
    if (!chosen) throw new CommandFailure("the archive has no image for this machine");
    const { annotations = {} } = descriptor;
    return await imageOf(archive, { ...chosen, annotations });
  }
  if (!config) throw new CommandFailure(`${descriptor.digest} is no manifest of an image`);
  // Names of entries begin as those of the archive's other blobs.
  const root = path.slice(0, path.indexOf("blobs/"));
  const pathOf = ({ digest }: Descriptor) => `${root}blobs/${digest.replace(":", "/")}`;
  const name = nameOf(descriptor);
  return {
    Config: pathOf(config),
    RepoTags: name === undefined ? null : [name],
    Layers: layers.map(pathOf),
  };
}

const isOwnPlatform = ({ platform }: Descriptor): boolean =>
  platform?.os === "linux" && platform.architecture === goArchitecture(process.arch);

/** The whole name of an image: containerd's, or OCI's where that is more than a tag, as Podman writes it. */
function nameOf({ annotations = {} }: Descriptor): string | undefined {
  const reference = annotations["org.opencontainers.image.ref.name"];
  return (
    annotations["io.containerd.image.name"] ?? (reference?.includes(":") ? reference : undefined)
  );
}

async function blobOf(archive: string, { digest }: Descriptor): Promise<JsonEntry> {
  const name = `blobs/${digest.replace(":", "/")}`;
  const found = (await readJson(archive, [name])).get(name);
  if (!found) throw new CommandFailure(`the archive lacks ${digest}`);
  return found;
}

interface JsonEntry {
  /** The name of its entry. */
  readonly path: string;
  readonly content: unknown;
}

/** JSON files of an archive, by their names without a leading "./". */
async function readJson(archive: string, names: readonly string[]) {
  const found = new Map<string, JsonEntry>();
  for await (const entry of readTar(createReadStream(archive))) {
    const name = entry.name.replace(/^(\.\/)+/, "");
    if (!names.includes(name)) continue;
    if (entry.sizeBytes > maxManifestBytes) {
      throw new CommandFailure(`${name} of the archive is larger than a manifest can be`);
    }
    const text = (await buffer(entry.content)).toString();
    found.set(name, { path: entry.name, content: parse(name, text) });
  }
  return found;
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${name} of the archive is no JSON`);
  }
}

async function append(archive: string, name: string, text: string): Promise<void> {
  const folder = await mkdtemp(join(dirname(archive), "manifest-"));
  try {
    await writeFile(join(folder, name), text);
    await runProgram("tar", ["-rf", archive, "-C", folder, name]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
