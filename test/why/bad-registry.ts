/**
 * Registries that fail in many ways, for a program that runs in the network namespace of a cluster:
 *
 *     bad-registry.ts CERTIFICATE KEY
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { ociArchive } from "#/std/archive/oci-image.ts";
import { readTar } from "#/std/archive/tar-reader.ts";

const types = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
};
/** Responses by the first part of a repository's name. */
const refusals: Readonly<Record<string, readonly [status: number, code: string]>> = {
  missing: [404, "MANIFEST_UNKNOWN"],
  private: [401, "UNAUTHORIZED"],
  limited: [429, "TOOMANYREQUESTS"],
  broken: [500, "UNKNOWN"],
};

const blobs = new Map<string, Buffer>();

function add(content: Buffer): string {
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  blobs.set(digest, content);
  return digest;
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Adds an image that no node has; returns the digest of its manifest. */
async function addImage(): Promise<string> {
  const files = [{ name: "app", content: randomBytes(1000), mode: 0o755 }];
  const archive = ociArchive({
    name: "app:1",
    architecture: process.arch,
    files,
    entrypoint: ["/app"],
  });
  let digest = "";
  for await (const { name, content } of readTar(once(archive))) {
    const bytes = Buffer.concat(await Array.fromAsync(content));
    if (name === "index.json") digest = JSON.parse(bytes.toString()).manifests[0].digest;
    else if (name.startsWith("blobs/")) add(bytes);
  }
  return digest;
}

const image = await addImage();
const foreign = add(
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.index,
      manifests: [
        {
          mediaType: types.manifest,
          digest: image,
          size: blobs.get(image)?.length,
          platform: { os: "linux", architecture: "s390x" },
        },
      ],
    }),
  ),
);

/** Refuses what an admission webhook is asked. */
async function refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { apiVersion, kind, request: asked } = JSON.parse((await request.toArray()).join(""));
  const status = { code: 403, message: "Pods need an owner" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: false, status } }),
  );
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = "/", method } = request;
  if (method === "POST") return void refuse(request, response);
  const [, repository = "", kind = "", reference = ""] =
    /^\/v2\/(.+)\/(manifests|blobs)\/([^?]+)/.exec(url) ?? [];
  const way = repository.split("/")[0] ?? "";
  const refusal = refusals[way];
  if (refusal) {
    const [status, code] = refusal;
    const challenge = status === 401 ? { "www-authenticate": 'Basic realm="registry"' } : {};
    response.writeHead(status, { "content-type": "application/json", ...challenge });
    response.end(method === "HEAD" ? undefined : JSON.stringify({ errors: [{ code }] }));
    return;
  }
  const digest = reference.includes(":") ? reference : way === "foreign" ? foreign : image;
  const found = blobs.get(digest);
  if (!found) {
    response.writeHead(kind === "" ? 200 : 404).end();
    return;
  }
  // Never: the node goes on waiting.
  if (way === "slow" && kind === "blobs") return;
  const body = Buffer.from(found);
  if (way === "damaged" && kind === "blobs") body[0] = (body[0] ?? 0) ^ 1;
  response.writeHead(200, {
    "content-type":
      kind === "blobs"
        ? "application/octet-stream"
        : digest === foreign
          ? types.index
          : types.manifest,
    "content-length": body.length,
    "docker-content-digest": digest,
  });
  response.end(method === "HEAD" ? undefined : body);
}

const [certFile = "", keyFile = ""] = process.argv.slice(2);
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
const servers = [
  { server: createServer(answer), port: 5999 },
  { server: createTlsServer(tls, answer), port: 5998 },
];
await Promise.all(
  servers.map(
    ({ server, port }) => new Promise<void>((done) => server.listen(port, "0.0.0.0", done)),
  ),
);
process.stdout.write("ready\n");
