import { randomUUID } from "node:crypto";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { ContentWriter } from "../containerd/content-store.ts";
import { isDigest, isRepository } from "../model/names.ts";
import { RegistryError } from "../model/registry-error.ts";
import { answer, type Exchange } from "./exchange.ts";
import { addTo, contentOf, type Registry, sourceLabel } from "./registry.ts";

/** The prefix of uploads among the content that a runtime is writing. */
const prefix = "k8ts-registry-";
/** Limit of uploads that have not ended (count): more than a client has, and each is a file. */
const maxUploads = 200;

interface Upload {
  readonly repository: string;
  readonly id: string;
}

/** The name of an upload for the runtime: an id is good for its repository only. */
const refOf = ({ repository, id }: Upload): string => `${prefix}${repository}-${id}`;
/** The lease of its content, until a manifest refers to it. */
const leaseOf = ({ id }: Upload): string => `${prefix}${id}`;
const placeOf = ({ repository, id }: Upload): string => `/v2/${repository}/blobs/uploads/${id}`;

/** POST: begins an upload, has the whole blob, or takes it from another repository. */
export async function beginUpload(
  registry: Registry,
  exchange: Exchange,
  { repository }: { readonly repository: string },
): Promise<void> {
  const { searchParams } = exchange.url;
  const mount = searchParams.get("mount");
  if (mount && (await mountBlob(registry, repository, mount, searchParams.get("from")))) {
    return blobCreated(exchange, repository, mount);
  }
  const upload = { repository, id: randomUUID() };
  if ((await registry.store.countWriting(prefix)) >= maxUploads) {
    throw new RegistryError("TOOMANYREQUESTS", `more than ${maxUploads} uploads have not ended`);
  }
  await registry.store.addLease(leaseOf(upload));
  const digest = searchParams.get("digest");
  if (digest !== null) return await finish(registry, exchange, upload, digest);
  const at = { ref: refOf(upload), lease: leaseOf(upload) };
  await registry.store.write(at, async () => undefined);
  uploading(exchange, 202, upload, 0);
}

/** GET, PATCH, PUT and DELETE of an upload. */
export async function serveUpload(
  registry: Registry,
  exchange: Exchange,
  upload: Upload,
): Promise<void> {
  const offset = await registry.store.offset(refOf(upload));
  if (offset === undefined) {
    throw new RegistryError("BLOB_UPLOAD_UNKNOWN", `there is no upload ${upload.id}`);
  }
  const { method } = exchange.request;
  if (method === "GET") return uploading(exchange, 204, upload, offset);
  if (method === "DELETE") {
    await registry.store.abort(refOf(upload));
    await registry.store.removeLease(leaseOf(upload));
    return answer(exchange, 204);
  }
  checkRange(exchange, upload, offset);
  if (method === "PUT") {
    return await finish(registry, exchange, upload, exchange.url.searchParams.get("digest") ?? "");
  }
  const at = { ref: refOf(upload), lease: leaseOf(upload) };
  const size = await registry.store.write(at, (writer) => receive(exchange, writer));
  uploading(exchange, 202, upload, size);
}

/** A chunk begins where the last one ended. */
function checkRange(exchange: Exchange, upload: Upload, offset: number): void {
  const header = exchange.request.headers["content-range"];
  if (header === undefined) return;
  const [, first] = /^(?:bytes )?(\d+)-\d+(?:\/.*)?$/.exec(header) ?? [];
  if (first !== undefined && Number(first) === offset) return;
  exchange.response.setHeader("location", placeOf(upload));
  exchange.response.setHeader("range", rangeText(offset));
  throw new RegistryError("BLOB_UPLOAD_INVALID", `the next chunk begins at ${offset}`, 416);
}

async function receive({ request }: Exchange, writer: ContentWriter): Promise<number> {
  for await (const chunk of request) await writer.write(chunk as Buffer);
  return writer.offset;
}

/** Writes the rest, and adds the blob if it has its digest. */
async function finish(
  registry: Registry,
  exchange: Exchange,
  upload: Upload,
  digest: string,
): Promise<void> {
  if (!isDigest(digest))
    throw new RegistryError("DIGEST_INVALID", `"${digest}" is no sha256 digest`);
  const labels = { [sourceLabel(registry)]: upload.repository };
  const at = { ref: refOf(upload), lease: leaseOf(upload) };
  try {
    await registry.store.write(at, async (writer) => {
      await receive(exchange, writer);
      await writer.commit(digest, labels);
    });
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    await registry.store.abort(refOf(upload));
    if (error.code === "FAILED_PRECONDITION") {
      throw new RegistryError("DIGEST_INVALID", `the content is not ${digest}: ${error.details}`);
    }
    // The same blob was pushed before, perhaps to another repository.
    if (error.code !== "ALREADY_EXISTS") throw error;
    const info = await registry.store.info(digest);
    if (!info) throw error;
    await registry.store.lease(leaseOf(upload), digest);
    await addTo(registry, upload.repository, info);
  }
  blobCreated(exchange, upload.repository, digest);
}

async function mountBlob(
  registry: Registry,
  repository: string,
  digest: string,
  from: string | null,
): Promise<boolean> {
  if (!isDigest(digest) || from === null || !isRepository(from)) return false;
  const info = await contentOf(registry, from, digest);
  if (info) await addTo(registry, repository, info);
  return info !== undefined;
}

function uploading(exchange: Exchange, status: number, upload: Upload, offset: number): void {
  answer(exchange, status, {
    location: placeOf(upload),
    range: rangeText(offset),
    "docker-upload-uuid": upload.id,
  });
}

const rangeText = (offset: number): string => `0-${Math.max(0, offset - 1)}`;

function blobCreated(exchange: Exchange, repository: string, digest: string): void {
  answer(exchange, 201, {
    location: `/v2/${repository}/blobs/${digest}`,
    "docker-content-digest": digest,
  });
}
