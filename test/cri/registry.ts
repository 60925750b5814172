import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readTar } from "#/std/archive/tar-reader.ts";

/** A registry on loopback with one image, in all repositories; those that begin with `private/` need a password. */
export interface Registry extends Disposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The address of the same registry for clients that have no password: it asks for none before the first image. */
  readonly mirror: string;
  /** The digest of the image's manifest. */
  readonly digest: string;
  /** Names of the repositories that were asked for. */
  readonly asked: Set<string>;
}

export const credentials = { username: "alice", password: "pa:ss word" };
const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** Serves the image of an OCI archive, and another one in the repositories that begin with `other/`. */
export async function startRegistry(archive: Buffer, other: Buffer): Promise<Registry> {
  const blobs = new Map<string, Buffer>();
  const [digest, otherDigest] = [await unpack(archive, blobs), await unpack(other, blobs)];
  const asked = new Set<string>();
  const { username, password } = credentials;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const answer = (isMirror: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry");
    const [, repository = "", kind, reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(pathname) ?? [];
    if (repository) asked.add(repository);
    const isClosed = (pathname === "/v2/" && !isMirror) || repository.startsWith("private/");
    if (isClosed && request.headers.authorization !== expected) {
      const challenge = { "www-authenticate": 'Basic realm="registry"' };
      response.writeHead(401, challenge).end('{"errors":[{"code":"UNAUTHORIZED"}]}');
      return;
    }
    if (kind === undefined) {
      response.writeHead(pathname === "/v2/" ? 200 : 404).end("{}");
      return;
    }
    const tagged = repository.startsWith("other/") ? otherDigest : digest;
    const wanted = kind === "manifests" && reference === "1" ? tagged : reference;
    const body = repository.startsWith("missing/") ? undefined : blobs.get(wanted);
    if (!body) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
      return;
    }
    response.writeHead(200, {
      "content-type": kind === "manifests" ? manifestType : "application/octet-stream",
      "content-length": body.length,
      "docker-content-digest": wanted,
    });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  const servers = [createServer(answer(false)), createServer(answer(true))];
  const [host = "", mirror = ""] = await Promise.all(servers.map(listen));
  return {
    host,
    mirror,
    digest,
    asked,
    [Symbol.dispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** The address of a server once it listens. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Adds the blobs of an archive; returns the digest of its manifest. */
async function unpack(archive: Buffer, blobs: Map<string, Buffer>): Promise<string> {
  let digest = "";
  for await (const { name, content } of readTar(chunks(archive))) {
    const bytes = Buffer.concat(await Array.fromAsync(content));
    if (name === "index.json") digest = JSON.parse(bytes.toString()).manifests[0].digest;
    if (name.startsWith("blobs/sha256/")) {
      blobs.set(`sha256:${createHash("sha256").update(bytes).digest("hex")}`, bytes);
    }
  }
  return digest;
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A file of a runtime's own registry settings: the registry needs no TLS. containerd and Docker need none for loopback. */
export const registryFiles = (
  runtime: string,
  { host }: Pick<Registry, "host">,
): Record<string, string> =>
  runtime === "crio"
    ? {
        "registries.conf": `unqualified-search-registries = ["docker.io"]\n[[registry]]\nlocation = "${host}"\ninsecure = true\n`,
      }
    : {};
