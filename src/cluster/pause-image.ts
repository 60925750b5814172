import { createHash } from "node:crypto";
import { type TarEntry, tarArchive } from "#/std/tar.ts";
import { pauseProgram } from "./pause-program.ts";

/** The name under which a node has its pause image; no registry is ever asked for it. */
export const pauseImageName = "k8ts.local/pause:1";

const oci = "application/vnd.oci.image";
const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** The pause image as an OCI archive, for `ctr images import`. */
export function pauseImage(architecture: string): Buffer {
  const layer = tarArchive([{ name: "pause", content: pauseProgram(architecture), mode: 0o755 }]);
  const blobs = new Map<string, Buffer>();
  const add = (content: Buffer): { digest: string; size: number } => {
    const hex = createHash("sha256").update(content).digest("hex");
    blobs.set(`blobs/sha256/${hex}`, content);
    return { digest: `sha256:${hex}`, size: content.length };
  };
  const layerBlob = add(layer);
  const platform = { architecture: goArchitectures[architecture] ?? architecture, os: "linux" };
  const config = add(
    json({
      ...platform,
      config: { Entrypoint: ["/pause"], User: "65535:65535" },
      rootfs: { type: "layers", diff_ids: [layerBlob.digest] },
    }),
  );
  const manifest = add(
    json({
      schemaVersion: 2,
      mediaType: `${oci}.manifest.v1+json`,
      config: { mediaType: `${oci}.config.v1+json`, ...config },
      layers: [{ mediaType: `${oci}.layer.v1.tar`, ...layerBlob }],
    }),
  );
  const index = json({
    schemaVersion: 2,
    mediaType: `${oci}.index.v1+json`,
    manifests: [
      {
        mediaType: `${oci}.manifest.v1+json`,
        ...manifest,
        platform,
        annotations: {
          "io.containerd.image.name": pauseImageName,
          "org.opencontainers.image.ref.name": pauseImageName.split(":")[1],
        },
      },
    ],
  });
  const files: TarEntry[] = [
    { name: "oci-layout", content: json({ imageLayoutVersion: "1.0.0" }) },
    { name: "index.json", content: index },
    { name: "blobs" },
    { name: "blobs/sha256" },
    ...Array.from(blobs, ([name, content]) => ({ name, content })),
  ];
  return tarArchive(files);
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
