import { createPublicKey, X509Certificate } from "node:crypto";
import type { SecureContext } from "node:tls";
import { LruMap } from "#/std/memory/lru-map.ts";
import type { Clock } from "#/std/time/clock.ts";
import { servingContext } from "#/std/tls/serving-context.ts";
import { type Issuer, issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem, readKey } from "#/std/x509/signing-key.ts";

/** A certificate and its key, as PEM. */
export interface AuthorityFiles {
  readonly certificate: string;
  readonly key: string;
}

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const authorityMs = 10 * 365 * dayMs;
/** The longest time that browsers accept. */
const leafMs = 397 * dayMs;
/** Limit of kept certificates (count): one for each name that is asked for. */
const maxLeaves = 1_000;

/** An authority that can certify names below a domain alone, and no addresses: a stolen key is no danger for others. */
export function makeAuthority(domain: string, nowMs: number): AuthorityFiles {
  const key = generateKey();
  const certificate = selfSign(
    {
      subject: { commonName: `k8ts local authority for ${domain}` },
      usages: ["cert sign", "crl sign", "digital signature"],
      isAuthority: true,
      permittedDomains: [domain],
      notBefore: nowMs - hourMs,
      notAfter: nowMs + authorityMs,
    },
    key,
  );
  return { certificate, key: keyPem(key) };
}

/** Whether a certificate is that of an authority that will be valid for a while. */
export function isUsableAuthority(certificate: string, nowMs: number): boolean {
  try {
    const { ca, validTo } = new X509Certificate(certificate);
    return ca && Date.parse(validTo) > nowMs + leafMs;
  } catch {
    return false;
  }
}

/** Certificates for names below a domain, made when they are asked for. */
export class LocalAuthority {
  readonly #issuer: Issuer;
  readonly #domain: string;
  readonly #clock: Clock;
  readonly #leaves = new LruMap<string, { context: SecureContext; untilMs: number }>(maxLeaves);

  constructor(files: AuthorityFiles, domain: string, clock: Clock) {
    this.#issuer = { certificate: files.certificate, key: readKey(files.key) };
    this.#domain = domain;
    this.#clock = clock;
  }

  /** The context for a name; undefined if the name is of another domain. */
  contextFor(host: string): SecureContext | undefined {
    if (!host.endsWith(`.${this.#domain}`) || !/^[a-z0-9.-]{1,253}$/.test(host)) return undefined;
    const nowMs = this.#clock.now();
    const known = this.#leaves.get(host);
    if (known && nowMs < known.untilMs) return known.context;
    const context = this.#issue(host, nowMs);
    this.#leaves.set(host, { context, untilMs: nowMs + leafMs / 2 });
    return context;
  }

  #issue(host: string, nowMs: number): SecureContext {
    const key = generateKey();
    const leaf = issueCertificate(
      {
        subject: { commonName: "" },
        publicKey: createPublicKey(key),
        names: { dns: [host] },
        usages: ["digital signature", "key encipherment", "server auth"],
        notBefore: nowMs - hourMs,
        notAfter: nowMs + leafMs,
      },
      this.#issuer,
    );
    return servingContext(leaf + this.#issuer.certificate, keyPem(key));
  }
}
