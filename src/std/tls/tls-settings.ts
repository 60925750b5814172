import type { TlsOptions } from "node:tls";
import { FlagError } from "../flags/flags.ts";

/** Upstream: staging/src/k8s.io/component-base/cli/flag/ciphersuites_flag.go. */
const versions = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
} as const;

/** OpenSSL's names of cipher suites by Go's names. Those of TLS 1.3 can't be chosen. */
const suites: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: "TLS_AES_128_GCM_SHA256",
  TLS_AES_256_GCM_SHA384: "TLS_AES_256_GCM_SHA384",
  TLS_CHACHA20_POLY1305_SHA256: "TLS_CHACHA20_POLY1305_SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
};

/** Flags that all servers have. */
interface TlsFlags {
  readonly "tls-min-version": string;
  readonly "tls-cipher-suites": readonly string[];
  readonly "tls-curve-preferences"?: readonly string[];
}

/** OpenSSL's names of key exchanges by their numbers in TLS. */
const curves: ReadonlyMap<number, string> = new Map([
  [23, "P-256"],
  [24, "P-384"],
  [25, "P-521"],
  [29, "X25519"],
  [4587, "SecP256r1MLKEM768"],
  [4588, "X25519MLKEM768"],
  [4589, "SecP384r1MLKEM1024"],
]);
const maxCurve = 0xffff;

/** The TLS versions, ciphers and key exchanges of the flags. */
export function tlsSettings(
  flags: TlsFlags,
): Pick<TlsOptions, "minVersion" | "ciphers" | "ecdhCurve"> {
  const ids = flags["tls-curve-preferences"] ?? [];
  const curveNames = ids.length === 0 ? {} : { ecdhCurve: curvesOf(ids).join(":") };
  return { ...versionsAndCiphers(flags), ...curveNames };
}

/** Upstream: staging/src/k8s.io/component-base/cli/flag/curves_flag.go. */
function curvesOf(ids: readonly string[]): string[] {
  return ids.map((text, index) => {
    const id = Number(text);
    if (!Number.isInteger(id) || id <= 0 || id > maxCurve) {
      throw new FlagError(`curve preference ${text} is out of range (must be 1-${maxCurve})`);
    }
    if (ids.indexOf(text) < index) throw new FlagError(`duplicate curve preference ${text}`);
    const name = curves.get(id);
    if (!name) throw new FlagError(`curve preference ${text} is not supported`);
    return name;
  });
}

function versionsAndCiphers(flags: TlsFlags): Pick<TlsOptions, "minVersion" | "ciphers"> {
  const requested = flags["tls-min-version"] || "VersionTLS12";
  if (!(requested in versions)) throw new FlagError(`unknown tls version "${requested}"`);
  const minVersion = versions[requested as keyof typeof versions];
  const names = flags["tls-cipher-suites"];
  if (names.length === 0) return { minVersion };
  const chosen = names.map((name) => {
    const suite = suites[name];
    if (!suite) throw new FlagError(`Cipher suite ${name} not supported or doesn't exist`);
    return suite;
  });
  const modern = Object.values(suites).filter((suite) => suite.startsWith("TLS_"));
  return { minVersion, ciphers: [...new Set([...modern, ...chosen])].join(":") };
}
