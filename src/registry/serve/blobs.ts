import { RegistryError } from "../model/registry-error.ts";
import { answer, answerStream, type Exchange } from "./exchange.ts";
import { contentOf, type Registry, removeFrom } from "./registry.ts";

/** GET, HEAD and DELETE of a blob. */
export async function serveBlob(
  registry: Registry,
  exchange: Exchange,
  { repository, digest }: { readonly repository: string; readonly digest: string },
): Promise<void> {
  const info = await contentOf(registry, repository, digest);
  if (!info) throw new RegistryError("BLOB_UNKNOWN", `${repository} has no blob ${digest}`);
  const { method } = exchange.request;
  if (method === "DELETE") {
    await removeFrom(registry, repository, info);
    return answer(exchange, 202);
  }
  const headers = {
    "content-type": "application/octet-stream",
    "docker-content-digest": digest,
    "accept-ranges": "bytes",
    etag: `"${digest}"`,
  };
  if (method === "HEAD") {
    exchange.response.writeHead(200, { ...headers, "content-length": info.size });
    exchange.response.end();
    return;
  }
  const range = rangeOf(exchange.request.headers.range, info.size);
  const { first, last } = range ?? { first: 0, last: info.size - 1 };
  const length = last - first + 1;
  const sent = range
    ? {
        ...headers,
        "content-length": length,
        "content-range": `bytes ${first}-${last}/${info.size}`,
      }
    : { ...headers, "content-length": info.size };
  const content = length > 0 ? registry.store.read(digest, first, length) : nothing();
  await answerStream(exchange, range ? 206 : 200, sent, content);
}

async function* nothing(): AsyncGenerator<Buffer> {
  // A read of no bytes would mean all.
}

/** The bytes of a Range header with one range; undefined for the whole. */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly first: number; readonly last: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) {
    throw new RegistryError("SIZE_INVALID", `the blob has ${size} bytes`, 416);
  }
  return { first, last };
}
