import { parseDuration } from "#/std/go/duration.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import type { Clock } from "#/std/time/clock.ts";
import { aesCbc, aesGcm } from "./aes.ts";
import type { EncryptionMetrics } from "./encryption-metrics.ts";
import { kmsV2 } from "./kms.ts";
import { secretbox } from "./secretbox.ts";
import type { Transformer } from "./transformer.ts";

/** Providers of some resources: the first one writes, all read; "identity" does not encrypt. */
export interface EncryptionRule {
  /** "secrets", "deployments.apps", "*.apps" or "*.*". */
  readonly resources: readonly string[];
  readonly providers: readonly (Transformer | "identity")[];
}

interface Key {
  readonly name: string;
  readonly secret: string;
}

interface Provider {
  readonly aescbc?: { readonly keys: readonly Key[] };
  readonly aesgcm?: { readonly keys: readonly Key[] };
  readonly secretbox?: { readonly keys: readonly Key[] };
  readonly identity?: object;
  readonly kms?: {
    readonly apiVersion?: string;
    readonly name: string;
    readonly endpoint: string;
    readonly timeout?: string;
  };
}

interface Configuration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly resources?: readonly { resources: string[]; providers: Provider[] }[];
}

const kmsTimeoutMs = 3000;

/**
 * Reads an EncryptionConfiguration.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go.
 */
export function parseEncryptionConfiguration(
  text: string,
  clock: Clock,
  metrics?: EncryptionMetrics,
): EncryptionRule[] {
  const configuration = (parseYaml(text) ?? {}) as Configuration;
  if (configuration.kind !== "EncryptionConfiguration") {
    throw new Error(`unexpected kind "${configuration.kind ?? ""}" of encryption configuration`);
  }
  const { resources: rules = [] } = configuration;
  if (rules.length === 0) throw new Error("at least one resource must be configured");
  return rules.map(({ resources, providers }) => ({
    resources,
    providers: providers.flatMap((provider) => openProvider(provider, clock, metrics)),
  }));
}

function openProvider(
  provider: Provider,
  clock: Clock,
  metrics: EncryptionMetrics | undefined,
): (Transformer | "identity")[] {
  const { aescbc, aesgcm, secretbox: box, kms, identity } = provider;
  if (aescbc) return openKeys(aescbc.keys, [16, 24, 32], aesCbc);
  if (aesgcm) return openKeys(aesgcm.keys, [16, 24, 32], aesGcm);
  if (box) return openKeys(box.keys, [32], secretbox);
  if (identity) return ["identity"];
  if (!kms) throw new Error("provider does not contain any of the expected providers");
  if (kms.apiVersion !== "v2") throw new Error("KMSv1 is deprecated: only apiVersion v2 is served");
  const timeoutMs = kms.timeout ? parseDuration(kms.timeout) : kmsTimeoutMs;
  const { name, endpoint } = kms;
  return [kmsV2({ name, endpoint, timeoutMs, clock, ...(metrics ? { metrics } : {}) })];
}

function openKeys(
  keys: readonly Key[],
  sizes: readonly number[],
  make: (name: string, secret: Buffer) => Transformer,
): Transformer[] {
  if (keys.length === 0) throw new Error("a provider has no keys");
  return keys.map(({ name, secret }) => {
    const bytes = Buffer.from(secret, "base64");
    if (!sizes.includes(bytes.length)) {
      throw new Error(
        `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(" ")}]`,
      );
    }
    return make(name, bytes);
  });
}

/** The first rule that names a resource, if there is one. */
export function findRule(
  rules: readonly EncryptionRule[],
  group: string,
  name: string,
): EncryptionRule | undefined {
  const own = group === "" ? name : `${name}.${group}`;
  const ofGroup = `*.${group}`;
  return rules.find(({ resources }) =>
    resources.some((wanted) => wanted === own || wanted === ofGroup || wanted === "*.*"),
  );
}
