import { isSignedText, signText } from "../access/signed-text.ts";

/*
 * A request that a node upgrades itself is a ConfigMap of the node's name; the program is in others, in pieces. What it
 * names runs as root, so the request is signed by the cluster's authority, for one node, and for a time.
 */

/** Annotations of a Node, which its agent sets. */
export const versionAnnotation = "k8ts.dev/version";
export const outcomeAnnotation = "k8ts.dev/upgrade";

/** A tarball in pieces. */
export interface Pieces {
  readonly sha256: string;
  /** Number of its ConfigMaps: NAME-0 to NAME-(count - 1). */
  readonly count: number;
  readonly name: string;
}

/** What a node is to do. */
export interface NodeRequest {
  /** Names the upgrade: an outcome belongs to one request. */
  readonly id: string;
  /** The name of the node. */
  readonly node: string;
  /** When it was signed (ms): a node follows no request that is older than its last one. */
  readonly signedMs: number;
  /** The version that it is to run. */
  readonly version: string;
  /** The name of the program's folder among a cluster's versions. */
  readonly folder: string;
  /** The digest of the program's files. */
  readonly digest: string;
  /** The program without Node.js; undefined if the node has the program already. */
  readonly program?: Pieces | undefined;
  /** Node.js by processor: a node that has the same one doesn't fetch it. */
  readonly runtimes: Readonly<Record<string, Pieces>>;
}

/** How an upgrade of a node has ended. */
export interface NodeOutcome {
  readonly id: string;
  readonly version: string;
  /** Empty if it succeeded. */
  readonly error: string;
}

const requestKey = "request.json";
/** The key of a piece in its ConfigMap. */
export const pieceKey = "piece";

/** Size of a piece (bytes): with base64 it stays well below the limit of an object. */
export const pieceBytes = 768 * 1024;
/** Limit of the number of pieces of a tarball. */
export const maxPieces = 400;

/** The name of a piece. */
export const pieceName = ({ name }: Pick<Pieces, "name">, index: number): string =>
  `${name}-${index}`;

const purpose = "upgrade of a node";
const signatureKey = "signature";
/** Limit of the age of a request (ms): an upgrade that has stopped asks again when it goes on. */
const maxAgeMs = 24 * 3600 * 1000;

/** The data of the ConfigMap of a request. */
export async function requestData(
  pki: string,
  request: NodeRequest,
): Promise<Record<string, string>> {
  const text = JSON.stringify(request);
  return { [requestKey]: text, [signatureKey]: await signText(pki, purpose, text) };
}

interface Expected {
  /** The authorities that the node trusts, as PEM. */
  readonly authorities: string;
  readonly node: string;
  readonly nowMs: number;
  /** When the last request that the node has followed was signed (ms). */
  readonly lastMs: number;
}

/** Reads a request. Undefined if it is none; throws if it must not be followed. */
export function parseRequest(object: unknown, expected: Expected): NodeRequest | undefined {
  const { data } = (object ?? {}) as { readonly data?: Readonly<Record<string, string>> };
  const { [requestKey]: text, [signatureKey]: signature = "" } = data ?? {};
  if (text === undefined) return undefined;
  if (!isSignedText(expected.authorities, purpose, { text, signature })) {
    throw new Error("the request for an upgrade is not signed by the cluster's authority");
  }
  const found = JSON.parse(text) as NodeRequest;
  if (found.node !== expected.node) throw new Error(`the request is one for ${found.node}`);
  const { signedMs } = found;
  if (signedMs < expected.lastMs || Math.abs(expected.nowMs - signedMs) > maxAgeMs) {
    throw new Error(`the request for an upgrade is of ${new Date(signedMs).toISOString()}`);
  }
  const isSafe = /^[\w.+-]+$/.test(found.folder) && !found.folder.startsWith(".");
  if (!isSafe || !found.version || !found.id)
    throw new Error("the request for an upgrade is damaged");
  return found;
}

/** Reads the outcome that a node has reported; undefined if there is none, or none that can be read. */
export function parseOutcome(text: string | undefined): NodeOutcome | undefined {
  try {
    const { id, version, error } = JSON.parse(text ?? "") as Partial<NodeOutcome>;
    const isOutcome = [id, version, error].every((one) => typeof one === "string");
    return isOutcome ? ({ id, version, error } as NodeOutcome) : undefined;
  } catch {
    return undefined;
  }
}
