import { promisify } from "node:util";
import { deflateRaw, gunzip, gzip, inflateRaw } from "node:zlib";
import { joinPaths } from "../outgoing/location.ts";

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

/** Attributes that hold a URL, by element. */
const urlAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/**
 * Comments, elements whose content is no markup (with their start tag apart), and start tags. What is never closed ends
 * with the page or at the next tag, so that no text takes more than a few passes.
 */
const markup =
  /<!--[\s\S]*?(?:-->|$)|(<(script|style|textarea|title|xmp|iframe|noembed|noframes|noscript)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^<>"'])*>)([\s\S]*?)(?=<\/\2[\s/>]|$)|<([a-z][^\s/<>]*)(?:"[^"]*"|'[^']*'|[^<>"'])*>/gi;

/** The links of a page, rewritten. Whatever else it holds stays to the letter. */
export function rewriteHtml(html: string, rewrite: (link: string) => string): string {
  return html.replace(
    markup,
    (whole: string, rawTag?: string, rawName?: string, content?: string, name?: string) => {
      if (rawTag !== undefined)
        return `${rewriteTag(rawTag, rawName ?? "", rewrite)}${content ?? ""}`;
      return name === undefined ? whole : rewriteTag(whole, name, rewrite);
    },
  );
}

function rewriteTag(tag: string, name: string, rewrite: (link: string) => string): string {
  const attributes = urlAttributes[name.toLowerCase()];
  if (!attributes) return tag;
  return tag.replace(
    /(\s)([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g,
    (whole, space: string, key: string, equals: string, quoted: string) => {
      if (!attributes.includes(key.toLowerCase())) return whole;
      const value = unescapeHtml(/^["']/.test(quoted) ? quoted.slice(1, -1) : quoted);
      const link = rewrite(value);
      return link === value ? whole : `${space}${key}${equals}"${escapeHtml(link)}"`;
    },
  );
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&#39;": "'",
};

function unescapeHtml(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#34|#39);/g, (entity) => entities[entity] ?? entity);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");
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
