import { namesAndAddresses, selfSign } from "./issue-certificate.ts";
import { generateKey, keyPem } from "./signing-key.ts";

/** A self-signed certificate and its key, as PEM. */
interface SelfSigned {
  readonly certificate: string;
  readonly key: string;
}

interface SelfSignedOptions {
  readonly commonName: string;
  /** Names and addresses of the certificate. */
  readonly names: readonly string[];
  readonly now: number;
}

const hourMs = 3600 * 1000;
const yearMs = 365 * 24 * hourMs;

/** Makes a server certificate, valid for a year. It is its own CA. */
export function makeSelfSigned({ commonName, names, now }: SelfSignedOptions): SelfSigned {
  const key = generateKey();
  const certificate = selfSign(
    {
      subject: { commonName },
      names: namesAndAddresses(names),
      usages: ["digital signature", "key encipherment", "cert sign", "server auth"],
      isAuthority: true,
      notBefore: now - hourMs,
      notAfter: now + yearMs,
    },
    key,
  );
  return { certificate, key: keyPem(key) };
}
