import { findField } from "#/std/http1/fields.ts";

/** The client and connection of a request, for the fields that a backend sees. */
interface ClientFacts {
  readonly address: string;
  readonly scheme: "http" | "https";
  /** The port that the client has connected to. */
  readonly port: number;
}

/** Fields for one connection only (RFC 9110, section 7.6.1), and those that the gateway itself states. */
export const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Fields by which a client could claim to be another one. */
const claimedFields: ReadonlySet<string> = new Set([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
]);

/** Names that the Connection field lists besides known ones: these belong to the connection, too. */
function listedFields(fields: readonly string[]): readonly string[] | undefined {
  const value = findField(fields, "connection");
  if (value === undefined || plainConnection.test(value)) return undefined;
  const all = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] === "connection");
  return all
    .join(",")
    .split(",")
    .map((name) => name.trim().toLowerCase());
}

/** The usual values, which list no other field. */
const plainConnection = /^(?:keep-alive|close|upgrade)$/i;

/** The fields of a request for its backend. Names, in lower case, and values alternate. */
export function requestFields(
  fields: readonly string[],
  { address, scheme, port }: ClientFacts,
  authority: string,
): string[] {
  const listed = listedFields(fields);
  const kept = ["host", authority];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (name === "host" || name.startsWith(":") || connectionFields.has(name)) continue;
    if (claimedFields.has(name) || listed?.includes(name)) continue;
    kept.push(name, fields[at + 1] ?? "");
  }
  kept.push("x-forwarded-for", address, "x-forwarded-proto", scheme);
  kept.push("x-forwarded-host", authority, "x-forwarded-port", String(port), "x-real-ip", address);
  return kept;
}

/** The fields of a response for the client. Names, in lower case, and values alternate. */
export function responseFields(fields: readonly string[]): string[] {
  const listed = listedFields(fields);
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? "";
    if (connectionFields.has(name) || listed?.includes(name)) continue;
    kept.push(name, fields[at + 1] ?? "");
  }
  return kept;
}
