import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { type DerElement, DerError, readAddress, readDer, readOid } from "./der.ts";
import type { AlternativeNames } from "./issue-certificate.ts";
import { readPemBlocks } from "./pem.ts";
import { readNames, type SubjectName } from "./subject.ts";

/** A PKCS#10 request for a certificate. */
export interface CertificateRequest {
  readonly publicKey: KeyObject;
  readonly subject: readonly SubjectName[];
  /** The encoded subject of the request. */
  readonly subjectBytes: Uint8Array;
  readonly names: Required<AlternativeNames>;
  /** The problem of its signature, with Go's message; undefined if it is valid. */
  readonly signatureProblem: string | undefined;
}

const sequence = 0x30;

/** The digest of each signature algorithm; null if the algorithm has its own. */
const digests: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.5": "sha1",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.1": "sha1",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
};

/** Reads a request in PEM. Throws DerError. */
export function readPemRequest(pem: Buffer): CertificateRequest {
  const [block] = readPemBlocks(pem.toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") {
    throw new DerError("PEM block type must be CERTIFICATE REQUEST");
  }
  return readCertificateRequest(block.der);
}

/** Reads a request in DER. Throws DerError. */
export function readCertificateRequest(der: Uint8Array): CertificateRequest {
  const [outer, ...rest] = readDer(der);
  if (rest.length > 0) throw new DerError("asn1: syntax error: trailing data");
  const [info, algorithm, signature] = members(outer);
  if (!info || !algorithm || !signature || !outer) throw malformed();
  const [version, subject, key, attributes] = members(info);
  if (!version || !subject || !key) throw malformed();
  const publicKey = readPublicKey(between(info.content, subject, key));
  const digest = digests[readOid(readDer(algorithm.content)[0]?.content ?? new Uint8Array())];
  const signed = outer.content.subarray(0, endOf(outer.content, info));
  // The first byte of a bit string is the number of unused bits.
  const isRight =
    digest !== undefined && isSigned(digest, signed, publicKey, signature.content.subarray(1));
  return {
    publicKey,
    subject: readNames(subject),
    subjectBytes: between(info.content, version, subject),
    names: requestedNames(attributes),
    signatureProblem: isRight ? undefined : problemOf(publicKey, digest),
  };
}

function readPublicKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  } catch (error) {
    throw new DerError((error as Error).message, { cause: error });
  }
}

/** Some keys cannot sign at all, or not with this digest: then OpenSSL throws. */
function isSigned(
  digest: string | null,
  signed: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
) {
  try {
    return verify(digest, signed, key, signature);
  } catch {
    return false;
  }
}

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeNames = "2.5.29.17";

/** The alternative names in the requested extensions. */
function requestedNames(attributes: DerElement | undefined): Required<AlternativeNames> {
  const names = { dns: [], ips: [], emails: [], uris: [] } as Record<
    keyof AlternativeNames,
    string[]
  >;
  for (const attribute of attributes ? readDer(attributes.content) : []) {
    const [type, values] = members(attribute);
    if (!type || !values || readOid(type.content) !== extensionRequest) continue;
    for (const extension of readDer(values.content).flatMap(members)) {
      const [id, ...rest] = members(extension);
      const value = rest.at(-1);
      if (!id || !value || readOid(id.content) !== alternativeNames) continue;
      for (const name of members(readDer(value.content)[0])) addName(names, name);
    }
  }
  return names;
}

function addName(names: Record<keyof AlternativeNames, string[]>, { tag, content }: DerElement) {
  const text = Buffer.from(content).toString("latin1");
  if (tag === 0x81) names.emails.push(text);
  if (tag === 0x82) names.dns.push(text);
  if (tag === 0x86) names.uris.push(text);
  if (tag === 0x87) names.ips.push(readAddress(content));
}

function problemOf({ asymmetricKeyType }: KeyObject, digest: string | null | undefined): string {
  if (digest === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  if (asymmetricKeyType === "rsa") return "crypto/rsa: verification error";
  if (asymmetricKeyType === "ec") return "x509: ECDSA verification failure";
  return "x509: Ed25519 verification failure";
}

function members(element: DerElement | undefined): DerElement[] {
  if (element?.tag !== sequence) throw malformed();
  return readDer(element.content);
}

const malformed = (): DerError =>
  new DerError(
    "asn1: structure error: tags don't match (16 vs {class:0 tag:0 length:0 isCompound:false})",
  );

/** The end offset of an element within its container. */
const endOf = (holder: Uint8Array, { content }: DerElement): number =>
  content.byteOffset + content.length - holder.byteOffset;

/** All bytes of the element that follows another one. */
const between = (holder: Uint8Array, before: DerElement, element: DerElement): Uint8Array =>
  holder.subarray(endOf(holder, before), endOf(holder, element));
