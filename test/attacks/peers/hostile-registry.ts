import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { pauseProgram } from "#/cluster/runtimes/pause-program.ts";
import { tarArchive } from "#/std/archive/tar.ts";
import { answer, type Misbehave } from "./hostile-peer.ts";

const oci = "application/vnd.oci.image";
export const manifestType = `${oci}.manifest.v1+json`;
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

interface Blob {
  readonly content: Buffer;
  readonly digest: string;
  readonly size: number;
}

function blob(content: Buffer | object): Blob {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const hex = createHash("sha256").update(bytes).digest("hex");
  return { content: bytes, digest: `sha256:${hex}`, size: bytes.length };
}

const descriptor = (mediaType: string, { digest, size }: Blob) => ({ mediaType, digest, size });

/** An image that waits for ever, with content of its own: its parts, as a registry serves them. */
export function imageOf(repository: string) {
  const layer = blob(
    tarArchive([
      { name: "pause", content: pauseProgram(process.arch), mode: 0o755 },
      { name: "repository", content: Buffer.from(repository) },
    ]),
  );
  const config = blob({
    architecture: architectures[process.arch] ?? process.arch,
    os: "linux",
    config: { Entrypoint: ["/pause"] },
    rootfs: { type: "layers", diff_ids: [layer.digest] },
  });
  const manifest = blob({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor(`${oci}.config.v1+json`, config),
    layers: [descriptor(`${oci}.layer.v1.tar`, layer)],
  });
  return { layer, config, manifest };
}

/** What a registry does for a repository in place of the right thing. */
export interface RepositoryFaults {
  /** Before everything else; true if it has answered. */
  readonly any?: (...args: Parameters<Misbehave>) => boolean;
  readonly manifest?: Misbehave;
  readonly layer?: Misbehave;
}

export interface Registry extends Disposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** All requests: path, and the credentials that came with it. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[];
  /** Number of open requests of a repository. */
  open(repository: string): number;
}

/** A registry on loopback; repositories without faults are honest. */
export async function startRegistry(
  faults: Readonly<Record<string, RepositoryFaults>> = {},
): Promise<Registry> {
  const requests: { path: string; authorization: string | undefined }[] = [];
  const open = new Map<string, Set<IncomingMessage>>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://registry").pathname;
    const [, repository = "", kind, reference] =
      /^\/v2\/([^/]+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
    requests.push({ path, authorization: request.headers.authorization });
    const running = open.getOrInsertComputed(repository, () => new Set());
    running.add(request);
    response.on("close", () => running.delete(request));
    response.on("error", () => undefined);
    const { any, manifest, layer } = faults[repository] ?? {};
    if (any?.(request, response)) return;
    const image = imageOf(repository);
    const isLayer = reference === image.layer.digest;
    const fault = kind === "manifests" ? manifest : isLayer ? layer : undefined;
    if (fault) return void fault(request, response);
    const part = kind === "manifests" ? image.manifest : isLayer ? image.layer : image.config;
    const type = kind === "manifests" ? manifestType : "application/octet-stream";
    const headers = { "content-type": type, "docker-content-digest": part.digest };
    const length = { "content-length": String(part.size) };
    if (path === "/v2/") response.end("{}");
    else
      answer(request.method === "HEAD" ? "" : part.content, { ...headers, ...length })(
        request,
        response,
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open: (repository) => open.get(repository)?.size ?? 0,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
