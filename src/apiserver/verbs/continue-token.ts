import { posix } from "node:path";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";

/** The position of the next page of a list. Upstream: staging/src/k8s.io/apiserver/pkg/storage/continue.go. */
interface ContinueToken {
  /** The revision of the first page; -1 for the newest, without consistency between pages. */
  readonly revision: number;
  /** The first item key of the next page: the one after that of the last returned object. */
  readonly start: string;
}

const version = "meta.k8s.io/v1";

/** The opaque string that clients send back; its key is without the prefix of the list. */
export function encodeContinue({ revision, start }: ContinueToken, keyPrefix: string): string {
  const json = JSON.stringify({
    v: version,
    rv: revision,
    start: `/${start.slice(keyPrefix.length)}`,
  });
  return Buffer.from(json).toString("base64url");
}

/** Reads a client's token; throws 400 for an invalid one. */
export function decodeContinue(text: string, keyPrefix: string): ContinueToken {
  const fail = (detail: string) =>
    badRequest(`invalid continue token: continue key is not valid: ${detail}`);
  const illegal = firstIllegalByte(text);
  if (illegal !== undefined) throw fail(`illegal base64 data at input byte ${illegal}`);
  let token: { v?: unknown; rv?: unknown; start?: unknown } | null;
  try {
    token = parseJson(Buffer.from(text, "base64url")).value as typeof token;
  } catch (error) {
    throw fail((error as Error).message);
  }
  if (token?.v !== version) {
    throw fail(`server does not recognize this encoded version ${token?.v ?? ""}`);
  }
  const { rv, start } = token;
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    throw fail("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (typeof start !== "string" || start === "") {
    throw fail("encoded start key empty (version meta.k8s.io/v1)");
  }
  // The key must not leave the list.
  const path = start.startsWith("/") ? start : `/${start}`;
  const isClean = path === "/" || (posix.normalize(path) === path && !path.endsWith("/"));
  if (!isClean) throw fail(start);
  return { revision: rv, start: keyPrefix + path.slice(1) };
}

/** The offset at which Go would detect invalid base64url. */
function firstIllegalByte(text: string): number | undefined {
  const index = text.search(/[^\w-]/);
  if (index >= 0) return index;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}
