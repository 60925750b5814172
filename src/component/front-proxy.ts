/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/request/headerrequest/requestheader.go.
 */
import type { Certificate } from "#/std/x509/certificate.ts";
import { commonNameOf } from "#/std/x509/subject.ts";
import { verifyChain } from "#/std/x509/verify-chain.ts";
import type { AuthenticatedUser } from "./delegated-authentication.ts";

/** A proxy that authenticates users and forwards their names in headers, such as the API server's aggregator. */
export interface FrontProxy {
  /** The authorities of its client certificate. */
  readonly authorities: readonly Certificate[];
  /** Common names of its certificate; empty for all. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** All values of each header, by its name in lower case. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * The user that a front proxy has forwarded; undefined if the certificates are not its own. Throws if they are its
 * authority's, but not for an allowed name.
 */
export function forwardedUser(
  { authorities, allowedNames, ...names }: FrontProxy,
  chain: readonly Certificate[],
  headers: HeaderValues,
  now: number,
): AuthenticatedUser | undefined {
  const [own] = chain;
  if (!own || !isVerified(chain, authorities, now)) return undefined;
  const commonName = commonNameOf(own.subject);
  if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
    throw new Error(`x509: subject with cn=${commonName} is not in the allowed list`);
  }
  return userOf(names, headers);
}

function isVerified(
  chain: readonly Certificate[],
  authorities: readonly Certificate[],
  now: number,
): boolean {
  try {
    verifyChain([...chain], authorities, { now, purpose: "client auth" });
    return true;
  } catch {
    return false; // It may be a client's own certificate.
  }
}

function userOf(
  names: Pick<FrontProxy, "usernameHeaders" | "uidHeaders" | "groupHeaders" | "extraPrefixes">,
  headers: HeaderValues,
): AuthenticatedUser | undefined {
  const valuesOf = (name: string): readonly string[] => headers[name.toLowerCase()] ?? [];
  const first = (all: readonly string[]): string =>
    all.map((name) => valuesOf(name)[0]).find(Boolean) ?? "";
  const name = first(names.usernameHeaders);
  if (name === "") return undefined;
  const uid = first(names.uidHeaders);
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: names.groupHeaders.flatMap(valuesOf).filter((group) => group !== ""),
    extra: extraOf(names.extraPrefixes, headers),
  };
}

function extraOf(
  prefixes: readonly string[],
  headers: HeaderValues,
): Readonly<Record<string, readonly string[]>> {
  const found = prefixes
    .map((prefix) => prefix.toLowerCase())
    .flatMap((prefix) =>
      Object.entries(headers)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, values = []]) => [decodeKey(name.slice(prefix.length)), values] as const),
    );
  return Object.fromEntries(found);
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // A malformed name is kept as it is.
  }
}
