import { promisify } from "node:util";
import { deflateRaw, gunzip, gzip, inflateRaw } from "node:zlib";
import { joinPaths } from "../outgoing/location.ts";
import { rewriteHtml } from "./rewrite-html.ts";

/** How links of a proxied page become links through the proxy. */
export interface LinkRewriting {
  /** What the API server is called in rewritten links; empty for links without a host. */
  readonly scheme: string;
  readonly host: string;
  /** The path of the API server that leads to the backend's root. */
  readonly prefix: string;
  /** What the backend itself goes by. */
  readonly backendHost: string;
  /** What the client called the API server. */
  readonly requestHost: string;
}

const urlParts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;

/**
 * A link to the backend's own host as a link through the proxy; any other is left as it is.
 *
 * Upstream: apimachinery/pkg/util/proxy/transport.go.
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

/** Pages over this are passed on as they are: they would be held in memory, and in the way of others. */
export const maxPageBytes = 4 * 1024 * 1024;

interface Encoding {
  decode(body: Buffer): Promise<Buffer>;
  encode(body: Buffer): Promise<Buffer>;
}

const encodings: Readonly<Record<string, Encoding>> = {
  "": { decode: async (body) => body, encode: async (body) => body },
  gzip: {
    decode: (body) => promisify(gunzip)(body, { maxOutputLength: maxPageBytes }),
    encode: promisify(gzip),
  },
  deflate: {
    decode: (body) => promisify(inflateRaw)(body, { maxOutputLength: maxPageBytes }),
    encode: promisify(deflateRaw),
  },
};

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
