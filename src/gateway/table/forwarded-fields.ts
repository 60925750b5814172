/** The client and connection of a request, for the fields that a backend sees. */
interface ClientFacts {
  readonly address: string;
  readonly scheme: "http" | "https";
  /** The port that the client has connected to. */
  readonly port: number;
  readonly authority: string;
}

/** Fields for one connection only (RFC 9110, section 7.6.1), and those that the gateway itself states. */
const connectionFields: ReadonlySet<string> = new Set([
  "connection",
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

/** Names that the Connection field lists: these belong to the connection, too. */
function listedFields(fields: readonly string[]): ReadonlySet<string> | undefined {
  let listed: Set<string> | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    if (fields[at]?.toLowerCase() !== "connection") continue;
    listed ??= new Set();
    for (const name of (fields[at + 1] ?? "").split(",")) listed.add(name.trim().toLowerCase());
  }
  return listed;
}

/** The fields of a request for its backend. Names and values alternate. */
export function requestFields(fields: readonly string[], client: ClientFacts): string[] {
  const listed = listedFields(fields);
  const kept = ["host", client.authority];
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    if (name === "host" || name.startsWith(":") || connectionFields.has(name)) continue;
    if (claimedFields.has(name) || listed?.has(name)) continue;
    kept.push(name, fields[at + 1] ?? "");
  }
  kept.push(
    "x-forwarded-for",
    client.address,
    "x-forwarded-proto",
    client.scheme,
    "x-forwarded-host",
    client.authority,
    "x-forwarded-port",
    String(client.port),
    "x-real-ip",
    client.address,
  );
  return kept;
}

/** The fields of a response for the client. Names and values alternate. */
export function responseFields(fields: readonly string[]): string[] {
  const listed = listedFields(fields);
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    if (connectionFields.has(name) || listed?.has(name)) continue;
    kept.push(name, fields[at + 1] ?? "");
  }
  return kept;
}
