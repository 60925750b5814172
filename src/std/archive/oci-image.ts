import { createHash } from "node:crypto";
import { type TarEntry, tarArchive } from "./tar.ts";

/** A container image of one layer. */
interface OciImage {
  /** With its tag: k8ts.local/pause:1. */
  readonly name: string;
  /** As Node names it: x64, arm64. */
  readonly architecture: string;
  readonly files: readonly TarEntry[];
  readonly entrypoint: readonly string[];
  readonly user?: string;
}

const oci = "application/vnd.oci.image";
const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Node's name of an architecture, as images name it. */
export const goArchitecture = (architecture: string): string =>
  goArchitectures[architecture] ?? architecture;

/** The image as an OCI archive, for `ctr images import`. Upstream: OCI's image-spec. */
export function ociArchive({ name, architecture, files, entrypoint, user }: OciImage): Buffer {
  const blobs = new Map<string, Buffer>();
  const add = (content: Buffer): { digest: string; size: number } => {
    const hex = createHash("sha256").update(content).digest("hex");
    blobs.set(`blobs/sha256/${hex}`, content);
    return { digest: `sha256:${hex}`, size: content.length };
  };
  const layer = add(tarArchive(files));
  const platform = { architecture: goArchitecture(architecture), os: "linux" };
  const config = add(
    json({
      ...platform,
      config: { Entrypoint: entrypoint, ...(user ? { User: user } : {}) },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    }),
  );
  const manifest = add(
    json({
      schemaVersion: 2,
      mediaType: `${oci}.manifest.v1+json`,
      config: { mediaType: `${oci}.config.v1+json`, ...config },
      layers: [{ mediaType: `${oci}.layer.v1.tar`, ...layer }],
    }),
  );
  const annotations = {
    "io.containerd.image.name": name,
    "org.opencontainers.image.ref.name": name.slice(name.lastIndexOf(":") + 1),
  };
  const index = json({
    schemaVersion: 2,
    mediaType: `${oci}.index.v1+json`,
    manifests: [{ mediaType: `${oci}.manifest.v1+json`, ...manifest, platform, annotations }],
  });
  return tarArchive([
    { name: "oci-layout", content: json({ imageLayoutVersion: "1.0.0" }) },
    { name: "index.json", content: index },
    { name: "blobs" },
    { name: "blobs/sha256" },
    ...Array.from(blobs, ([path, content]) => ({ name: path, content })),
  ]);
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
