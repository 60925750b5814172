import { createPublicKey, type KeyObject } from "node:crypto";
import { element, integer, oid, sequence, setOf } from "./der-writer.ts";
import {
  type AlternativeNames,
  alternativeNamesExtension,
  nameBytes,
  type Subject,
} from "./issue-certificate.ts";
import { writePem } from "./pem.ts";
import { signed } from "./signing-key.ts";

interface RequestOptions {
  /** A subject, or a name as DER. */
  readonly subject: Subject | Uint8Array;
  readonly names?: AlternativeNames;
  readonly key: KeyObject;
}

const extensionRequest = "1.2.840.113549.1.9.14";

/** Makes a PKCS#10 request for a certificate, as PEM. */
export function createCertificateRequest({ subject, names = {}, key }: RequestOptions): string {
  const extension = alternativeNamesExtension(names);
  const attributes = extension ? [sequence(oid(extensionRequest), setOf(sequence(extension)))] : [];
  const body = sequence(
    integer(Buffer.of(0)),
    nameBytes(subject),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    element(0xa0, ...attributes),
  );
  return writePem("CERTIFICATE REQUEST", signed(body, key));
}
