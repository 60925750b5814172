import { posix } from "node:path";
import { table } from "#/std/base/table.ts";

/** Destination of a forwarded request. */
export interface Location {
  readonly scheme: "http" | "https";
  /** A name or an address, without brackets. */
  readonly hostname: string;
  /** Absent for the scheme's default. */
  readonly port?: number;
  /** Decoded; may be empty. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
}

/** Host and port as in a URL. */
export function hostOf({ hostname, port }: Pick<Location, "hostname" | "port">): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return port === undefined ? host : `${host}:${port}`;
}

/** Host and port of a connection; the port is always set. */
export function addressOf(location: Location): string {
  const { scheme, hostname, port = scheme === "https" ? 443 : 80 } = location;
  return hostOf({ hostname, port });
}

/** The whole location as text. */
export function formatLocation(location: Location): string {
  const query = location.query === "" ? "" : `?${location.query}`;
  return `${location.scheme}://${hostOf(location)}${escapePath(location.path)}${query}`;
}

const unescapedInPaths: Readonly<Record<string, string>> = table({
  "%24": "$",
  "%26": "&",
  "%2B": "+",
  "%2C": ",",
  "%2F": "/",
  "%3A": ":",
  "%3B": ";",
  "%3D": "=",
  "%40": "@",
});

/** A decoded path as sent: with Go's escaping, which backends may compare. */
export function escapePath(path: string): string {
  return path.isWellFormed() ? escapeText(path) : path.split(loneByte).map(escapeText).join("");
}

/** A byte that is not part of UTF-8 text, as decodePath() represents it. */
const loneByte = /([\u{DC80}-\u{DCFF}])/u;

function escapeText(text: string): string {
  const first = text.charCodeAt(0);
  if (text.length === 1 && first >= 0xdc80 && first <= 0xdcff) {
    return `%${(first - 0xdc00).toString(16).toUpperCase()}`;
  }
  return encodeURIComponent(text.toWellFormed())
    .replace(/%[0-9A-F]{2}/g, (code) => unescapedInPaths[code] ?? code)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Joins paths without dots and double slashes; a trailing slash stays. The result of no paths is empty. */
export function joinPaths(...parts: readonly string[]): string {
  const present = parts.filter((part) => part !== "");
  return present.length === 0 ? "" : posix.join(...present);
}

const schemes = new Set(["", "http", "https"]);

/** Parses "name", "name:port" and "scheme:name:port"; undefined for anything else. */
export function parseProxyName(
  id: string,
): { scheme: "http" | "https"; name: string; port: string } | undefined {
  const parts = id.split(":");
  if (parts.length > 3) return undefined;
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (name === "" || !schemes.has(scheme)) return undefined;
  return { scheme: scheme === "https" ? "https" : "http", name, port };
}
