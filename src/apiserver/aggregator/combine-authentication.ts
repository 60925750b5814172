import { X509Certificate } from "node:crypto";
import { readPemBlocks } from "#/std/x509/pem.ts";

/** The settings by which other servers authenticate users as this one does. */
export interface AuthenticationInfo {
  /** PEM of the authorities of client certificates; "" for none. */
  readonly clientAuthority: string;
  /** PEM of the authorities of front proxies; "" for none. */
  readonly requestHeaderAuthority: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

export type AuthenticationData = Readonly<Record<string, string>>;

/** Limit of the time since a certificate's expiry (ms), after which it is dropped: clocks differ. */
const graceMs = 5 * 60_000;

/**
 * This server's settings combined with those that other API servers have published: all certificates are kept except
 * expired ones.
 *
 * Upstream: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export function combineAuthentication(
  existing: AuthenticationData,
  own: AuthenticationInfo,
  now: number,
): AuthenticationData {
  const certificates = (key: string, more: string) =>
    combineCertificates(existing[key] ?? "", more, now);
  const list = (key: string, more: readonly string[]) =>
    JSON.stringify([...new Set([...parseList(existing[key]), ...more])]);
  const client = certificates("client-ca-file", own.clientAuthority);
  const proxy = certificates("requestheader-client-ca-file", own.requestHeaderAuthority);
  const uidHeaders = list("requestheader-uid-headers", own.uidHeaders);
  return {
    ...(client === "" ? {} : { "client-ca-file": client }),
    ...(proxy === ""
      ? {}
      : {
          "requestheader-username-headers": list(
            "requestheader-username-headers",
            own.usernameHeaders,
          ),
          ...(uidHeaders === "[]" ? {} : { "requestheader-uid-headers": uidHeaders }),
          "requestheader-group-headers": list("requestheader-group-headers", own.groupHeaders),
          "requestheader-extra-headers-prefix": list(
            "requestheader-extra-headers-prefix",
            own.extraPrefixes,
          ),
          "requestheader-client-ca-file": proxy,
          "requestheader-allowed-names": list("requestheader-allowed-names", own.allowedNames),
        }),
  };
}

function parseList(text: string | undefined): string[] {
  return text ? (JSON.parse(text) as string[]) : [];
}

function combineCertificates(before: string, own: string, now: number): string {
  const current = [...readPemBlocks(before), ...readPemBlocks(own)]
    .map(({ der }) => new X509Certificate(der))
    .filter(({ validTo }) => Date.parse(validTo) > now - graceMs)
    .map(String);
  return [...new Set(current)].join("");
}
