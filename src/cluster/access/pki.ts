/** Names of files and subjects are kubeadm's. Upstream: cmd/kubeadm/app/phases/certs. */
import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Issuer,
  issueCertificate,
  namesAndAddresses,
  type Subject,
  selfSign,
} from "#/std/x509/issue-certificate.ts";
import { generateKey, type KeyKind, keyPem, readKey } from "#/std/x509/signing-key.ts";
import { writeIfChanged, writeWhole } from "../base/write-file.ts";
import { removeOldKeys } from "./token-keys.ts";

const dayMs = 24 * 3600 * 1000;
/** Tolerance (ms) for different clocks: a new certificate must be valid on other machines as well. */
const skewMs = 5 * 60 * 1000;
const authorityDays = 3650;
const certificateDays = 365;
/** Share of a certificate's validity that is left when it is renewed. */
const renewalPart = 0.3;

/** The authorities of a cluster: the name of their files, and their subject. */
const authorities = {
  ca: "kubernetes",
  "front-proxy-ca": "front-proxy-ca",
  // Only for serving certificates of kubelets, which nodes request: clients of the API server do not trust it.
  "kubelet-ca": "kubelet-serving",
} as const;

/** The authority of etcd's members and their clients: of clusters with members of their own. */
const etcdAuthority = { "etcd/ca": "etcd-ca" } as const;

const allAuthorities = { ...authorities, ...etcdAuthority };

export type Authority = keyof typeof allAuthorities;

const authorityUsages = ["digital signature", "key encipherment", "cert sign"] as const;

/** The specification of a certificate of a cluster. */
export interface CertificateSpec {
  /** The name of its files, without extension. */
  readonly file: string;
  readonly authority: Authority;
  readonly subject: Subject;
  /** Names and addresses, for servers. */
  readonly names?: readonly string[];
  readonly usage: "server auth" | "client auth";
  /** Whether a server uses it as a client as well. */
  readonly isClientToo?: boolean;
  /** Default "ec". */
  readonly key?: KeyKind;
}

/**
 * Creates missing files: authorities, the key pair of service account tokens, certificates; renews certificates, and
 * returns the names of their files.
 */
export async function ensurePki(
  folder: string,
  specs: readonly CertificateSpec[],
  now: number,
): Promise<string[]> {
  const withEtcd = specs.some(({ authority }) => authority in etcdAuthority);
  await mkdir(withEtcd ? join(folder, "etcd") : folder, { recursive: true, mode: 0o700 });
  for (const authority of Object.keys(withEtcd ? allAuthorities : authorities) as Authority[]) {
    if (!existsSync(join(folder, `${authority}.crt`))) {
      await makeAuthority(folder, authority, now, "first");
    }
  }
  if (!existsSync(join(folder, "sa.key"))) {
    const key = generateKey();
    await writePrivate(join(folder, "sa.key"), keyPem(key));
    const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
    await writeWhole(join(folder, "sa.pub"), publicPem);
  }
  await removeOldKeys(folder, now);
  await writeKubeletAuthorities(folder, now);
  return await renewCertificates(folder, specs, now);
}

/** The file of the authorities that the API server trusts for serving certificates of kubelets. */
export const kubeletAuthorities = "kubelet-authorities.crt";

/**
 * In a cluster that is older than its authority for kubelets, the cluster's authority has signed for kubelets as well:
 * it stays trusted for them until the last of those certificates has expired.
 */
async function writeKubeletAuthorities(folder: string, now: number): Promise<void> {
  const [own, shared] = await Promise.all(
    ["kubelet-ca", "ca"].map((file) => readFile(join(folder, `${file}.crt`), "utf8")),
  );
  const [from, sharedFrom] = [own, shared].map((pem = "") =>
    new X509Certificate(pem).validFromDate.getTime(),
  ) as [number, number];
  const isFirst = new X509Certificate(own ?? "").subject === `CN=${authorities["kubelet-ca"]}`;
  const isOlder = isFirst && from - sharedFrom > skewMs;
  const isOver = now > from + skewMs + certificateDays * dayMs;
  const trusted = isOlder && !isOver ? `${own}${shared}` : `${own}`;
  await writeIfChanged(join(folder, kubeletAuthorities), trusted);
}

/** Issues certificates that are missing, expire soon or differ from their specification; returns the names of their files. */
async function renewCertificates(
  folder: string,
  specs: readonly CertificateSpec[],
  now: number,
): Promise<string[]> {
  const issuers = new Map<string, Issuer>();
  const renewed: string[] = [];
  for (const spec of specs) {
    const path = join(folder, `${spec.file}.crt`);
    const issuer = issuers.get(spec.authority) ?? (await readIssuer(folder, spec.authority));
    issuers.set(spec.authority, issuer);
    if (existsSync(path) && isGood(await readFile(path, "utf8"), spec, issuer, now)) continue;
    await issue(folder, spec, issuer, now);
    renewed.push(spec.file);
  }
  return renewed;
}

/** Makes an authority. A renewed one has another name: clients find the issuer of a certificate by its name. */
export async function makeAuthority(
  folder: string,
  file: Authority,
  now: number,
  which: "first" | "renewed",
): Promise<void> {
  const key = generateKey();
  const name = allAuthorities[file];
  const commonName = which === "first" ? name : `${name}@${Math.floor(now / 1000)}`;
  const certificate = selfSign(
    {
      subject: { commonName },
      names: { dns: [name] },
      usages: authorityUsages,
      isAuthority: true,
      notBefore: now - skewMs,
      notAfter: now + authorityDays * dayMs,
    },
    key,
  );
  await writePrivate(join(folder, `${file}.key`), keyPem(key));
  await writeWhole(join(folder, `${file}.crt`), certificate);
}

/** An authority certified by another one: who trusts that one trusts its certificates, too. */
export async function crossSign(next: Issuer, present: Issuer, now: number): Promise<string> {
  const { subject, validToDate } = new X509Certificate(present.certificate);
  const [, commonName = ""] =
    /^CN=(.*)$/m.exec(new X509Certificate(next.certificate).subject) ?? [];
  if (commonName === "") throw new Error(`an authority has no name; the present one is ${subject}`);
  return issueCertificate(
    {
      subject: { commonName },
      publicKey: createPublicKey(next.key),
      usages: authorityUsages,
      isAuthority: true,
      notBefore: now - skewMs,
      notAfter: validToDate.getTime(),
    },
    present,
  );
}

/** The certificates of a file, each as PEM. */
export async function readCertificates(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
}

/** Whether a certificate is of this key. */
export const signsWith = (certificate: string, key: KeyObject): boolean =>
  new X509Certificate(certificate).checkPrivateKey(key);

/** The authority that signs: the first one of its file; the others are trusted as well. */
export async function readIssuer(folder: string, file: Authority): Promise<Issuer> {
  const [certificate = ""] = await readCertificates(join(folder, `${file}.crt`));
  return { certificate, key: readKey(await readFile(join(folder, `${file}.key`))) };
}

function isGood(certificate: string, spec: CertificateSpec, issuer: Issuer, now: number): boolean {
  const { names = [], key = "ec" } = spec;
  const x509 = new X509Certificate(certificate);
  if (x509.subject !== subjectText(spec.subject)) return false;
  if (!x509.verify(createPublicKey(issuer.key))) return false;
  if (x509.publicKey.asymmetricKeyType !== key) return false;
  const [from, to] = [x509.validFromDate.getTime(), x509.validToDate.getTime()];
  if (to - now < (to - from) * renewalPart) return false;
  const { dns = [], ips = [] } = namesAndAddresses(names);
  return dns.every((name) => x509.checkHost(name)) && ips.every((address) => x509.checkIP(address));
}

/** A subject as Node prints it. */
const subjectText = ({ commonName, organizations = [] }: Subject): string =>
  [...organizations.map((name) => `O=${name}`), `CN=${commonName}`].join("\n");

/** The key is written first: a reader that finds a certificate finds its key, too. */
async function issue(folder: string, spec: CertificateSpec, issuer: Issuer, now: number) {
  if (!signsWith(issuer.certificate, issuer.key)) {
    throw new Error(`${spec.authority}.crt and ${spec.authority}.key don't match`);
  }
  const key = generateKey(spec.key);
  const certificate = issueCertificate(
    {
      subject: spec.subject,
      publicKey: createPublicKey(key),
      names: namesAndAddresses(spec.names ?? []),
      usages: ["digital signature", "key encipherment", ...usagesOf(spec)],
      notBefore: now - skewMs,
      notAfter: now + certificateDays * dayMs,
    },
    issuer,
  );
  await writePrivate(join(folder, `${spec.file}.key`), keyPem(key));
  const chain = spec.usage === "server auth" ? await crossOf(folder, spec.authority) : "";
  await writeWhole(join(folder, `${spec.file}.crt`), `${certificate}${chain}`);
}

/** What leads from an authority to the one before it, for clients that know only that one. */
async function crossOf(folder: string, authority: Authority): Promise<string> {
  const file = join(folder, `${authority}-cross.crt`);
  return existsSync(file) ? await readFile(file, "utf8") : "";
}

const usagesOf = ({ usage, isClientToo = false }: CertificateSpec): string[] =>
  isClientToo ? [usage, "client auth"] : [usage];

export const writePrivate = (path: string, text: string): Promise<void> =>
  writeWhole(path, text, 0o600);
