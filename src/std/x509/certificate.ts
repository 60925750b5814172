import { X509Certificate } from "node:crypto";
import { type DerElement, DerError, readAddress, readBoolean, readDer, readOid } from "./der.ts";
import { readNames, type SubjectName } from "./subject.ts";

interface ServerNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
  readonly uris: readonly string[];
}

/** The parts of a certificate that are used for identity and trust. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly subject: readonly SubjectName[];
  /** Encoded subject and issuer: names in a chain are compared by their bytes. */
  readonly subjectKey: string;
  readonly issuerKey: string;
  /** The object identifier of the signature algorithm. */
  readonly signatureAlgorithm: string;
  /** 1 or 3; only version 3 has extensions. */
  readonly version: number;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The names and addresses of a server; undefined if the certificate has no such extension. */
  readonly names: ServerNames | undefined;
  /** Whether the basic constraints extension is present. */
  readonly hasConstraints: boolean;
  readonly isAuthority: boolean;
  /** Limit of CAs below this one; undefined for none. */
  readonly pathLength: number | undefined;
  /** Undefined without a key usage extension. */
  readonly maySignCertificates: boolean | undefined;
  /** Object identifiers of the extended key usages; undefined for all. */
  readonly purposes: readonly string[] | undefined;
  /** The domains below which an authority may certify names; undefined if it may certify others, or addresses. */
  readonly permittedDomains: readonly string[] | undefined;
  /** An unsupported critical extension: the certificate can't be trusted. */
  readonly unknownCritical: string | undefined;
}

const understood: ReadonlySet<string> = new Set([
  "2.5.29.14", // Subject key identifier.
  "2.5.29.15", // Key usage.
  "2.5.29.17", // Subject alternative name.
  "2.5.29.19", // Basic constraints.
  "2.5.29.31", // Distribution points of revocation lists.
  "2.5.29.32", // Policies.
  "2.5.29.35", // Authority key identifier.
  "2.5.29.37", // Extended key usage.
]);
const sequence = 0x30;
const versionTag = 0xa0;
const extensionsTag = 0xa3;

const keyOf = (name: DerElement | undefined): string =>
  Buffer.from(name?.content ?? []).toString("latin1");

/** Parses a certificate. Throws DerError. */
export function readCertificate(raw: Uint8Array): Certificate {
  const x509 = parseX509(raw);
  const outer = readDer(x509.raw)[0]?.content ?? new Uint8Array();
  const [body, algorithm] = readDer(outer);
  const fields = readDer(body?.content ?? new Uint8Array());
  // version, serial, algorithm, issuer, validity, subject, key; version is optional.
  const start = fields[0]?.tag === versionTag ? 1 : 0;
  const [, , issuer, , subject] = fields.slice(start);
  const extensions = readExtensions(fields.find(({ tag }) => tag === extensionsTag));
  const constraints = readConstraints(extensions.get("2.5.29.19"));
  return {
    x509,
    subject: subject ? readNames(subject) : [],
    subjectKey: keyOf(subject),
    issuerKey: keyOf(issuer),
    signatureAlgorithm: readOid(
      readDer(algorithm?.content ?? new Uint8Array())[0]?.content ?? new Uint8Array(),
    ),
    version:
      start === 0 ? 1 : (readDer(fields[0]?.content ?? new Uint8Array())[0]?.content[0] ?? 0) + 1,
    names: readServerNames(extensions.get("2.5.29.17")),
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
    ...constraints,
    maySignCertificates: readSigning(extensions.get("2.5.29.15")),
    purposes: readPurposes(extensions.get("2.5.29.37")),
    permittedDomains: readPermittedDomains(extensions.get("2.5.29.30")),
    unknownCritical: [...extensions].find(
      ([oid, { critical }]) => critical && !understood.has(oid),
    )?.[0],
  };
}

function parseX509(raw: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(raw);
  } catch (error) {
    throw new DerError((error as Error).message, { cause: error });
  }
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** The extensions by object identifier. Duplicates are ambiguous and refused, as in Go. */
function readExtensions(holder: DerElement | undefined): Map<string, Extension> {
  const found = new Map<string, Extension>();
  const list = holder && readDer(holder.content)[0];
  for (const { content } of list ? readDer(list.content) : []) {
    const [id, second, third, ...more] = readDer(content);
    const value = third ?? second;
    if (id?.tag !== 0x06 || value?.tag !== 0x04 || more.length > 0) {
      throw new DerError("x509: malformed extension");
    }
    const oid = readOid(id.content);
    if (found.has(oid)) throw new DerError("x509: certificate contains duplicate extensions");
    const critical = third && second ? readBoolean(second) : false;
    found.set(oid, { critical, value: value.content });
  }
  return found;
}

function readConstraints(
  extension: Extension | undefined,
): Pick<Certificate, "hasConstraints" | "isAuthority" | "pathLength"> {
  const list = extension && readDer(extension.value)[0];
  if (extension && list?.tag !== sequence) throw new DerError("x509: invalid basic constraints");
  const [first, ...rest] = list ? readDer(list.content) : [];
  const isAuthority = first?.tag === 0x01 && readBoolean(first);
  const length = first?.tag === 0x02 ? first : rest[0];
  return {
    hasConstraints: extension !== undefined,
    isAuthority,
    pathLength: length && readPathLength(length),
  };
}

function readPathLength({ tag, content }: DerElement): number {
  const [first] = content;
  // Negative numbers have the first bit set; more than four bytes exceed any chain length.
  if (tag !== 0x02 || first === undefined || first >= 0x80 || content.length > 4) {
    throw new DerError("x509: invalid basic constraints");
  }
  return content.reduce((sum, byte) => sum * 256 + byte, 0);
}

function readSigning(extension: Extension | undefined): boolean | undefined {
  const bits = extension && readDer(extension.value)[0]?.content;
  return bits && ((bits[1] ?? 0) & 0x04) !== 0;
}

function readPurposes(extension: Extension | undefined): string[] | undefined {
  const list = extension && readDer(extension.value)[0];
  return list && readDer(list.content).map(({ content }) => readOid(content));
}

/** Name constraints that permit only domains, and exclude all addresses of both families. */
function readPermittedDomains(extension: Extension | undefined): string[] | undefined {
  const list = extension?.critical ? readDer(extension.value)[0] : undefined;
  const parts = readDer(list?.content ?? new Uint8Array());
  const trees = (wanted: number): DerElement[] =>
    readDer(parts.find(({ tag }) => tag === wanted)?.content ?? new Uint8Array()).flatMap(
      ({ content }) => readDer(content).slice(0, 1),
    );
  const permitted = trees(0xa0);
  const isExcluded = (size: number): boolean =>
    trees(0xa1).some(
      ({ tag, content }) =>
        tag === 0x87 && content.length === size && content.every((byte) => byte === 0),
    );
  const isNarrow = permitted.length > 0 && permitted.every(({ tag }) => tag === 0x82);
  if (!isNarrow || !isExcluded(8) || !isExcluded(32)) return undefined;
  return permitted.map(({ content }) => Buffer.from(content).toString("latin1"));
}

function readServerNames(extension: Extension | undefined): Certificate["names"] {
  const list = extension && readDer(extension.value)[0];
  if (!list) return undefined;
  const all = readDer(list.content);
  const texts = (wanted: number): string[] =>
    all
      .filter(({ tag }) => tag === wanted)
      .map(({ content }) => Buffer.from(content).toString("latin1"));
  return {
    dns: texts(0x82),
    uris: texts(0x86),
    ips: all.filter(({ tag }) => tag === 0x87).map(({ content }) => readAddress(content)),
  };
}
