import { createHash, randomUUID } from "node:crypto";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { Info } from "../containerd/services.ts";
import {
  gcLabels,
  maxManifestBytes,
  type ParsedManifest,
  parseManifest,
} from "../model/manifest.ts";
import { RegistryError } from "../model/registry-error.ts";
import { answer, type Exchange } from "./exchange.ts";
import {
  addTo,
  contentBytes,
  contentOf,
  imageName,
  type Registry,
  sourceLabel,
  subjectLabel,
} from "./registry.ts";

interface Place {
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
}

/** GET, HEAD, PUT and DELETE of a manifest. */
export async function serveManifest(
  registry: Registry,
  exchange: Exchange,
  place: Place,
): Promise<void> {
  const { method } = exchange.request;
  if (method === "PUT") return await putManifest(registry, exchange, place);
  if (method === "DELETE") return await deleteManifest(registry, exchange, place);
  const info = await findManifest(registry, place);
  if (!info) throw unknown(place);
  const bytes = await contentBytes(registry, info, maxManifestBytes);
  const { mediaType } = parseManifest(bytes, info.labels[mediaTypeLabel] ?? "");
  const headers = { "content-type": mediaType, "docker-content-digest": info.digest };
  answer(exchange, 200, { ...headers, etag: `"${info.digest}"` }, bytes);
}

/** The type of a manifest that does not say it. */
const mediaTypeLabel = "k8ts.dev/registry.media-type";

const isDigestText = (reference: string): boolean => reference.includes(":");

const unknown = ({ repository, reference }: Place): RegistryError =>
  new RegistryError("MANIFEST_UNKNOWN", `${repository} has no manifest ${reference}`);

async function findManifest(
  registry: Registry,
  { repository, reference }: Place,
): Promise<Info | undefined> {
  if (isDigestText(reference)) return await contentOf(registry, repository, reference);
  const image = await registry.store.image(imageName(registry, repository, reference));
  return image?.target && (await registry.store.info(image.target.digest));
}

async function putManifest(registry: Registry, exchange: Exchange, place: Place): Promise<void> {
  const { repository, reference } = place;
  const bytes = await receiveManifest(exchange);
  const contentType = (exchange.request.headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  const manifest = parseManifest(bytes, contentType);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (isDigestText(reference) && reference !== digest) {
    throw new RegistryError("DIGEST_INVALID", `the manifest is ${digest}, not ${reference}`);
  }
  await checkReferences(registry, repository, manifest);
  await storeManifest(registry, repository, { bytes, digest, manifest });
  const target = { mediaType: manifest.mediaType, digest, size: bytes.length, annotations: {} };
  await registry.store.setImage({ name: imageName(registry, repository, reference), target });
  answer(exchange, 201, {
    location: `/v2/${repository}/manifests/${digest}`,
    "docker-content-digest": digest,
    ...(manifest.subject ? { "oci-subject": manifest.subject.digest } : {}),
  });
}

async function receiveManifest({ request }: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxManifestBytes) {
      throw new RegistryError("SIZE_INVALID", `a manifest has at most ${maxManifestBytes} bytes`);
    }
  }
  return Buffer.concat(chunks);
}

/** All that a manifest refers to must be there, so that each node can run the image. */
async function checkReferences(
  registry: Registry,
  repository: string,
  { config, layers, manifests }: ParsedManifest,
): Promise<void> {
  for (const { digest } of [...(config ? [config] : []), ...layers, ...manifests]) {
    if (await contentOf(registry, repository, digest)) continue;
    throw new RegistryError(
      "MANIFEST_BLOB_UNKNOWN",
      `${repository} has no ${digest}, to which the manifest refers`,
    );
  }
}

interface NewManifest {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly manifest: ParsedManifest;
}

/** Writes a manifest with the labels that keep what it refers to, before any lease of that ends. */
async function storeManifest(
  registry: Registry,
  repository: string,
  { bytes, digest, manifest }: NewManifest,
): Promise<void> {
  const { store } = registry;
  const { subject, mediaType } = manifest;
  const labels = {
    ...gcLabels(manifest),
    [sourceLabel(registry)]: repository,
    [mediaTypeLabel]: mediaType,
    ...(subject ? { [subjectLabel]: subject.digest } : {}),
  };
  const lease = `k8ts-registry-${randomUUID()}`;
  const ref = `${lease}-manifest`;
  await store.addLease(lease);
  try {
    await store.write({ ref, lease }, async (writer) => {
      if (bytes.length > 0) await writer.write(bytes);
      await writer.commit(digest, labels);
    });
  } catch (error) {
    await store.abort(ref);
    if (!(error instanceof GrpcError) || error.code !== "ALREADY_EXISTS") throw error;
    const info = await store.info(digest);
    if (!info) throw error;
    await store.lease(lease, digest);
    for (const [name, value] of Object.entries(labels)) {
      if (name !== sourceLabel(registry) && info.labels[name] !== value) {
        await store.setLabel(info, name, value);
      }
    }
    await addTo(registry, repository, info);
  }
}

/** By a tag only that; by a digest all names of the manifest. */
async function deleteManifest(registry: Registry, exchange: Exchange, place: Place): Promise<void> {
  const { repository, reference } = place;
  const names = isDigestText(reference)
    ? await namesOf(registry, repository, reference)
    : [imageName(registry, repository, reference)];
  let isFound = false;
  for (const name of names) isFound = (await registry.store.removeImage(name)) || isFound;
  if (isDigestText(reference)) {
    const info = await contentOf(registry, repository, reference);
    if (info) {
      isFound = true;
      await registry.store.setLabel(info, sourceLabel(registry), "");
    }
  }
  if (!isFound) throw unknown(place);
  answer(exchange, 202);
}

async function namesOf(registry: Registry, repository: string, digest: string): Promise<string[]> {
  const images = await registry.store.images(`target.digest==${digest}`);
  const prefix = `${registry.host}/${repository}`;
  return images
    .map(({ name }) => name)
    .filter(
      (name) => [":", "@"].includes(name.slice(prefix.length)[0] ?? "") && name.startsWith(prefix),
    );
}
