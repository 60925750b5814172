/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/authentication_dynamic_request_header.go,
 * dynamiccertificates.
 */
import { configMaps } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { RunningInformer } from "#/client/informers/informer.ts";
import { FileContent } from "#/std/files/file-content.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import type { FrontProxy } from "./front-proxy.ts";

const log = logger("client-authorities");
const where = { namespace: "kube-system", name: "extension-apiserver-authentication" };

type Published = Readonly<Record<string, string>>;

/** The certificates in a PEM text. */
function parseCertificates(text: string): Certificate[] {
  return readPemBlocks(text)
    .filter(({ type }) => type === "CERTIFICATE")
    .map(({ der }) => readCertificate(der));
}

/** The client CA certificates of a file, read again when it changes. */
export function authoritiesOfFile(path: string, clock: Clock): FileContent<Certificate[]> {
  return new FileContent(path, (bytes) => parseCertificates(bytes.toString()), clock);
}

/** The proofs of identity that a cluster publishes for its components. */
export interface PublishedAuthentication {
  /** The client CA certificates; undefined until they are known. */
  clientAuthorities(): readonly Certificate[] | undefined;
  /** The front proxy; undefined if there is none, or until it is known. */
  frontProxy(): FrontProxy | undefined;
}

/** Follows what the cluster publishes, until the signal aborts. */
export function authenticationOfCluster(
  client: Client,
  signal: AbortSignal,
): PublishedAuthentication {
  const { namespace, name } = where;
  const fieldSelector = `metadata.name=${name}`;
  const informer = new RunningInformer(client, configMaps, { namespace, fieldSelector });
  void informer.run(signal);
  const published = (): Published | undefined =>
    informer.store.get(namespace, name)?.data ?? undefined;
  return {
    clientAuthorities: sameWhile(published, (data) => {
      const text = data["client-ca-file"];
      return text === undefined ? undefined : parseCertificates(text);
    }),
    frontProxy: sameWhile(published, (data) => {
      try {
        return readFrontProxy(data);
      } catch (error) {
        // An empty list of names would allow all: without a readable one, no proxy is trusted.
        log.error(error, "failed to read the front proxy's settings", where);
        return undefined;
      }
    }),
  };
}

/** A value that is computed once for each state of what the cluster publishes. */
function sameWhile<T>(
  published: () => Published | undefined,
  read: (data: Published) => T | undefined,
): () => T | undefined {
  let last: { readonly data: Published; readonly value: T | undefined } | undefined;
  return () => {
    const data = published();
    if (data === undefined) return undefined;
    if (last?.data !== data) last = { data, value: read(data) };
    return last.value;
  };
}

function readFrontProxy(data: Published): FrontProxy | undefined {
  const text = data["requestheader-client-ca-file"];
  if (text === undefined) return undefined;
  const list = (key: string): string[] => {
    const value: unknown = JSON.parse(data[key] ?? "[]");
    if (!Array.isArray(value)) throw new Error(`${key} is not a list`);
    return value.map(String);
  };
  return {
    authorities: parseCertificates(text),
    allowedNames: list("requestheader-allowed-names"),
    usernameHeaders: list("requestheader-username-headers"),
    uidHeaders: list("requestheader-uid-headers"),
    groupHeaders: list("requestheader-group-headers"),
    extraPrefixes: list("requestheader-extra-headers-prefix"),
  };
}
