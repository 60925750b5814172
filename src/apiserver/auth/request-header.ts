import { commonNameOf } from "#/std/x509/subject.ts";
import type { Authenticator } from "../model/authenticator.ts";
import { type Exchange, header, headerValues, type UserInfo } from "../model/exchange.ts";
import type { PeerVerifier } from "./client-certificate.ts";

interface RequestHeaderOptions {
  readonly verifier: PeerVerifier;
  /** Common names of trusted proxies; empty for all with a verified certificate. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/**
 * Authenticates by a front proxy's headers, if the proxy has a certificate of its own authority.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/request/headerrequest/requestheader.go.
 */
export function requestHeader(options: RequestHeaderOptions): Authenticator {
  const { verifier, allowedNames } = options;
  return {
    name: "request header",
    authenticate(exchange) {
      const certificate = verifier.verify(exchange.peer);
      if (!certificate) return undefined;
      const name = commonNameOf(certificate.subject);
      if (allowedNames.length > 0 && !allowedNames.includes(name)) {
        throw new Error(`x509: subject with cn=${name} is not in the allowed list`);
      }
      return userInHeaders(exchange, options);
    },
  };
}

function userInHeaders(exchange: Exchange, options: RequestHeaderOptions): UserInfo | undefined {
  const first = (names: readonly string[]): string =>
    names.map((name) => header(exchange, name.toLowerCase())).find(Boolean) ?? "";
  const name = first(options.usernameHeaders);
  if (name === "") return undefined;
  const uid = first(options.uidHeaders);
  const groups = options.groupHeaders.flatMap((group) =>
    headerValues(exchange, group.toLowerCase()).filter((value) => value !== ""),
  );
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups,
    extra: headersWithPrefix(exchange, options.extraPrefixes),
  };
}

/** The values of headers with a prefix, by the rest of their name, percent-decoded. */
export function headersWithPrefix(
  exchange: Exchange,
  prefixes: readonly string[],
): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes.map((one) => one.toLowerCase())) {
    for (const name of Object.keys(exchange.headers)) {
      if (!name.startsWith(prefix)) continue;
      const key = unescapeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headerValues(exchange, name)]);
    }
  }
  return Object.fromEntries(extra);
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // A malformed name is kept without decoding.
  }
}
