import {
  createHash,
  createPublicKey,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { readDer } from "./der.ts";
import {
  addressBytes,
  boolean,
  element,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  utf8String,
} from "./der-writer.ts";
import { checkUsages, extendedKeyUsages, keyUsageBits } from "./key-usages.ts";
import { writePem } from "./pem.ts";
import { signatureAlgorithm, signed } from "./signing-key.ts";

/** The subject of a certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[] | undefined;
}

/** The names and addresses of a server's certificate. */
export interface AlternativeNames {
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  readonly emails?: readonly string[];
  readonly uris?: readonly string[];
}

interface CertificateOptions {
  /** The subject; bytes are the encoded name of a request. */
  readonly subject: Subject | Uint8Array;
  /** The certified key. */
  readonly publicKey: KeyObject;
  readonly names?: AlternativeNames;
  /** As certificates.k8s.io names them: "digital signature", "client auth"… */
  readonly usages: readonly string[];
  readonly isAuthority?: boolean;
  /** The domains below which an authority may certify names, and no addresses; without them, anything. */
  readonly permittedDomains?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A CA: its certificate as PEM, and its key. */
export interface Issuer {
  readonly certificate: string;
  readonly key: KeyObject;
}

/** Makes a certificate, as PEM, signed by an issuer. */
export function issueCertificate(options: CertificateOptions, issuer: Issuer): string {
  const authority = new X509Certificate(issuer.certificate);
  return build(options, {
    key: issuer.key,
    name: subjectBytes(authority),
    keyId: keyIdOf(authority.publicKey),
  });
}

/** Makes a self-signed certificate, as PEM. */
export function selfSign(options: Omit<CertificateOptions, "publicKey">, key: KeyObject): string {
  const publicKey = createPublicKey(key);
  const name = nameBytes(options.subject);
  return build({ ...options, publicKey }, { key, name, keyId: keyIdOf(publicKey) });
}

/** Separates names and addresses. */
export function namesAndAddresses(names: readonly string[]): AlternativeNames {
  return { dns: names.filter((name) => !isIP(name)), ips: names.filter((name) => isIP(name)) };
}

interface Signer {
  readonly key: KeyObject;
  /** The encoded name. */
  readonly name: Uint8Array;
  readonly keyId: Buffer;
}

function build(options: CertificateOptions, signer: Signer): string {
  const { subject, publicKey, notBefore, notAfter } = options;
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const body = sequence(
    element(0xa0, integer(Buffer.of(2))),
    integer(serial),
    signatureAlgorithm(signer.key),
    signer.name,
    sequence(time(notBefore), time(notAfter)),
    nameBytes(subject),
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, extensions(options, signer)),
  );
  return writePem("CERTIFICATE", signed(body, signer.key));
}

function extensions(options: CertificateOptions, { keyId }: Signer): Buffer {
  const { usages, names = {}, isAuthority = false, permittedDomains = [], publicKey } = options;
  checkUsages(usages);
  const all = [
    extension("2.5.29.15", keyUsageBits(usages), true),
    extension("2.5.29.37", extendedKeyUsages(usages)),
    extension("2.5.29.19", isAuthority ? sequence(boolean(true)) : sequence(), true),
    extension("2.5.29.14", isAuthority ? octetString(keyIdOf(publicKey)) : undefined),
    extension("2.5.29.35", sequence(element(0x80, keyId))),
    alternativeNamesExtension(names),
    nameConstraints(permittedDomains),
  ];
  return sequence(...all.filter((one) => one !== undefined));
}

/**
 * The extension of alternative names, in certificates and requests; undefined if there are none.
 */
export function alternativeNamesExtension(names: AlternativeNames): Buffer | undefined {
  const { dns = [], ips = [], emails = [], uris = [] } = names;
  const all = [
    ...dns.map((name) => element(0x82, Buffer.from(name))),
    ...emails.map((address) => element(0x81, Buffer.from(address))),
    ...ips.map((address) => element(0x87, addressBytes(address))),
    ...uris.map((uri) => element(0x86, Buffer.from(uri))),
  ];
  return all.length === 0 ? undefined : extension("2.5.29.17", sequence(...all));
}

/** Upstream: RFC 5280, section 4.2.1.10. */
function nameConstraints(domains: readonly string[]): Buffer | undefined {
  if (domains.length === 0) return undefined;
  const permitted = domains.map((domain) => sequence(element(0x82, Buffer.from(domain))));
  // A permitted name says nothing of addresses: all of both families are excluded.
  const excluded = [8, 32].map((size) => sequence(element(0x87, Buffer.alloc(size))));
  const parts = [element(0xa0, ...permitted), element(0xa1, ...excluded)];
  return extension("2.5.29.30", sequence(...parts), true);
}

function extension(id: string, value: Buffer | undefined, critical = false): Buffer | undefined {
  if (value === undefined) return undefined;
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** A name, encoded as Go does: organizations, then the common name. */
export function nameBytes(subject: Subject | Uint8Array): Uint8Array {
  if (subject instanceof Uint8Array) return subject;
  const part = (id: string, values: readonly string[]): Buffer[] =>
    values.length === 0
      ? []
      : [
          setOf(
            ...values.map((value) => sequence(oid(id), utf8String(value))).sort(Buffer.compare),
          ),
        ];
  const commonName = subject.commonName === "" ? [] : [subject.commonName];
  return sequence(...part("2.5.4.10", subject.organizations ?? []), ...part("2.5.4.3", commonName));
}

/** The encoded subject of a certificate, so that chains match by bytes. */
function subjectBytes(certificate: X509Certificate): Uint8Array {
  const outer = readDer(certificate.raw)[0]?.content ?? new Uint8Array();
  const fields = readDer(readDer(outer)[0]?.content ?? new Uint8Array());
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4];
  if (!subject) throw new Error("the authority's certificate has no subject");
  return sequence(subject.content);
}

const keyIdOf = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
