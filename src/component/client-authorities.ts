/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/authentication_dynamic_request_header.go,
 * dynamiccertificates.
 */
import { configMaps } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { RunningInformer } from "#/client/informers/informer.ts";
import { FileContent } from "#/std/files/file-content.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";

const where = { namespace: "kube-system", name: "extension-apiserver-authentication" };

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

/** The client CA certificates that the cluster publishes; undefined until they are known. */
export function authoritiesOfCluster(
  client: Client,
  signal: AbortSignal,
): () => readonly Certificate[] | undefined {
  const { namespace, name } = where;
  const fieldSelector = `metadata.name=${name}`;
  const informer = new RunningInformer(client, configMaps, { namespace, fieldSelector });
  void informer.run(signal);
  let known: { readonly text: string; readonly certificates: Certificate[] } | undefined;
  return () => {
    const text = informer.store.get(namespace, name)?.data?.["client-ca-file"];
    if (text === undefined) return undefined;
    if (known?.text !== text) known = { text, certificates: parseCertificates(text) };
    return known.certificates;
  };
}
