import { posix } from "node:path";
import { escapePath } from "./location.ts";

/** A URL as in Go's net/url: the host unchanged, the path with Go's escaping. */
export interface GoUrl {
  readonly secure: boolean;
  /** Host and port unchanged, for messages and the Host header. */
  readonly authority: string;
  /** A name or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query as sent. */
  readonly target: string;
}

/** The URL as text. */
export const formatUrl = ({ secure, authority, target }: GoUrl): string =>
  `${secure ? "https" : "http"}://${authority}${target}`;

/** Parses an absolute URL; undefined if it is invalid. Its path is unchanged. */
export function parseUrl(text: string): GoUrl | undefined {
  const match = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(text);
  if (!match) return undefined;
  const [, scheme = "", authority = "", path = "", query = ""] = match;
  const secure = scheme.toLowerCase() === "https";
  const [, bracketed, plain = "", port = ""] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(authority) ?? [];
  return {
    secure,
    authority,
    host: bracketed ?? plain,
    port: Number(port) || (secure ? 443 : 80),
    target: `${path || "/"}${query}`,
  };
}

/** The same server with a decoded path, which is cleaned as by Go's path.Join, and a query. */
export const atPath = (url: GoUrl, path: string, query: string): GoUrl => ({
  ...url,
  target: `${escapePath(cleanPath(path))}?${query}`,
});

/** The decoded path of a URL. */
export function decodedPath(target: string): string {
  const [path = ""] = target.split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Without dots, double slashes, and a slash at the end. */
function cleanPath(path: string): string {
  const clean = posix.normalize(`/${path}`);
  return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
}
