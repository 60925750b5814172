import { promisify } from "node:util";
import { deflateRaw, gunzip, gzip, inflateRaw } from "node:zlib";
import { table } from "#/std/base/table.ts";
import { joinPaths } from "../outgoing/location.ts";
import { rewriteHtml } from "./rewrite-html.ts";

/** Settings for rewriting links of a proxied page. */
export interface LinkRewriting {
  /** The API server's host in rewritten links; empty for links without a host. */
  readonly scheme: string;
  readonly host: string;
  /** The API server's path of the backend's root. */
  readonly prefix: string;
  /** The backend's own host. */
  readonly backendHost: string;
  /** The API server's host in the client's request. */
  readonly requestHost: string;
}

const urlParts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;

/**
 * Rewrites a link to the backend's own host; any other is unchanged.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/proxy/transport.go.
 */
export function rewriteLink(link: string, rewriting: LinkRewriting): string {
  const { prefix, backendHost, requestHost } = rewriting;
  const [, scheme = "", host = "", path = "", rest = ""] = urlParts.exec(link) ?? [];
  const elsewhere = host !== "" && host !== backendHost && host !== requestHost;
  if (elsewhere || !path.startsWith("/")) return link;
  const keepsHost = host === requestHost && rewriting.scheme === "" && rewriting.host === "";
  const newScheme = keepsHost ? scheme : rewriting.scheme;
  const newHost = keepsHost ? host : rewriting.host;
  const newPath = path.startsWith(prefix) ? path : joinPaths(prefix, path);
  const origin = `${newScheme === "" ? "" : `${newScheme}:`}${newHost === "" ? "" : `//${newHost}`}`;
  return `${origin}${newPath}${rest}`;
}

/** Limit of pages that are rewritten (bytes): they are kept in memory, and block other requests. */
export const maxPageBytes = 4 * 1024 * 1024;

interface Encoding {
  decode(body: Buffer): Promise<Buffer>;
  encode(body: Buffer): Promise<Buffer>;
}

const encodings: Readonly<Record<string, Encoding>> = table({
  "": { decode: async (body) => body, encode: async (body) => body },
  gzip: {
    decode: (body) => promisify(gunzip)(body, { maxOutputLength: maxPageBytes }),
    encode: promisify(gzip),
  },
  deflate: {
    decode: (body) => promisify(inflateRaw)(body, { maxOutputLength: maxPageBytes }),
    encode: promisify(deflateRaw),
  },
});

/** Whether pages with this Content-Encoding can be rewritten. */
export const canRewrite = (encoding: string): boolean => Object.hasOwn(encodings, encoding);

/** A whole page with its links rewritten, encoded as it was; unchanged if it can't be decoded. */
export async function rewritePage(
  body: Buffer,
  encoding: string,
  rewriting: LinkRewriting,
): Promise<Buffer> {
  const { decode, encode } = encodings[encoding] ?? (encodings[""] as Encoding);
  const decoded = await decode(body).catch(() => undefined);
  if (!decoded) return body;
  const html = decoded.toString("utf8");
  return encode(Buffer.from(rewriteHtml(html, (link) => rewriteLink(link, rewriting))));
}
