import { createHash, createHmac } from "node:crypto";

/** Keys of an identity. They may end: credentials.ts refreshes them. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface SigningScope {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly region: string;
  readonly service: string;
}

/** Headers that proxies change: never part of a signature. */
const unsigned = new Set([
  "authorization",
  "user-agent",
  "x-amzn-trace-id",
  "expect",
  "transfer-encoding",
]);

const algorithm = "AWS4-HMAC-SHA256";

/** The headers of a request with Signature Version 4: all given ones, host, date, token and authorization. */
export function signedHeaders(
  request: UnsignedRequest,
  keys: AwsKeys,
  scope: SigningScope,
): Record<string, string> {
  const timestamp = amzDate(scope.now);
  const bodyHash = sha256(request.body);
  const isS3 = scope.service === "s3";
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    "x-amz-date": timestamp,
    ...(isS3 ? { "x-amz-content-sha256": bodyHash } : {}),
    ...(keys.sessionToken ? { "x-amz-security-token": keys.sessionToken } : {}),
  };
  const names = Object.keys(headers)
    .filter((name) => !unsigned.has(name))
    .sort();
  const canonical = [
    request.method,
    // S3 takes the path as it is sent.
    isS3 ? request.url.pathname : canonicalPath(request.url.pathname),
    canonicalQuery(request.url),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    bodyHash,
  ].join("\n");
  const day = timestamp.slice(0, 8);
  const credentialScope = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const toSign = [algorithm, timestamp, credentialScope, sha256(canonical)].join("\n");
  const signature = hmac(signingKey(keys.secretAccessKey, day, scope), toSign).toString("hex");
  headers["authorization"] =
    `${algorithm} Credential=${keys.accessKeyId}/${credentialScope}, ` +
    `SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return headers;
}

/** 20150830T123600Z. */
function amzDate(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** Each segment of the path, escaped once more. */
function canonicalPath(path: string): string {
  return path.split("/").map(escapeUri).join("/") || "/";
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [escapeUri(name), escapeUri(value)] as const)
    .sort(([a, b], [c, d]) => compare(a, c) || compare(b, d))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function signingKey(secret: string, day: string, { region, service }: SigningScope): Buffer {
  const parts = [day, region, service, "aws4_request"];
  return parts.reduce((key: string | Buffer, part) => hmac(key, part), `AWS4${secret}`) as Buffer;
}

const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

const sha256 = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex");

/** Percent encoding of all but A-Z a-z 0-9 - _ . ~, as signatures need it. */
export function escapeUri(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
