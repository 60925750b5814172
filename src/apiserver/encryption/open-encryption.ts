import { FileContent } from "#/std/files/file-content.ts";
import type { HealthCheck } from "#/std/metrics/health.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { ConfigReloads } from "../auth/base/config-reloads.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { registryPrefix } from "../registry/feed.ts";
import type { Declaration } from "../registry/strategy.ts";
import { EncryptingStorage } from "./encrypting-storage.ts";
import { EncryptionMetrics } from "./encryption-metrics.ts";
import { type EncryptionRule, findRule, parseEncryptionConfiguration } from "./encryption-rules.ts";
import { measuredTransformer } from "./measured-transformer.ts";
import type { Transformer } from "./transformer.ts";

interface EncryptionServices {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** What follows the file and talks to keys elsewhere, until this is disposed of. */
  readonly files: DisposableStack;
}

/** The store with the encryption of --encryption-provider-config, and health checks of its keys. */
export function withEncryption(
  storage: Storage,
  resources: readonly Declaration[],
  flags: ApiServerFlags,
  services: EncryptionServices,
): { readonly storage: Storage; readonly checks: readonly HealthCheck[] } {
  const { clock } = services;
  const file = flags["encryption-provider-config"];
  const metrics = new EncryptionMetrics(services.metrics, clock);
  const resourceOf = resourceFinder(resources);
  const reloaded = new ConfigReloads(services.metrics, clock, {
    subsystem: "encryption_config_controller",
    stability: "ALPHA",
  });
  const read = reloaded.followed(reader(metrics, resourceOf, clock));
  const content = services.files.use(new FileContent(file, read, clock, closeAll));
  const { value } = content;
  services.files.defer(() => closeAll(content.value));
  const reloads = flags["encryption-provider-config-automatic-reload"];
  if (!reloads) content[Symbol.dispose]();
  const rules = (): readonly EncryptionRule[] => (reloads ? content.value : value);
  const check = async () => {
    for (const provider of plugins(rules())) await provider.health?.();
  };
  return {
    storage: new EncryptingStorage(storage, (key) => {
      const { group, name } = resourceOf(key);
      return findRule(rules(), group, name);
    }),
    checks: plugins(rules()).length > 0 || reloads ? [{ name: "kms-providers", check }] : [],
  };
}

/** Reads the file's rules, with metrics for each provider. */
function reader(metrics: EncryptionMetrics, resourceOf: FindResource, clock: Clock) {
  const nameOf = (key: string): string => {
    const { group, name } = resourceOf(key);
    return group === "" ? name : `${name}.${group}`;
  };
  return (bytes: Buffer): EncryptionRule[] =>
    parseEncryptionConfiguration(bytes.toString("utf8"), clock, metrics).map(
      ({ resources, providers }) => ({
        resources,
        providers: providers.map((provider) =>
          provider === "identity" ? provider : measuredTransformer(provider, metrics, nameOf),
        ),
      }),
    );
}

/** The providers with an external key. */
const plugins = (rules: readonly EncryptionRule[]): Transformer[] =>
  rules.flatMap(({ providers }) =>
    providers.flatMap((provider) => (provider !== "identity" && provider.health ? [provider] : [])),
  );

function closeAll(rules: readonly EncryptionRule[]): void {
  for (const provider of plugins(rules)) {
    if (Symbol.dispose in provider) (provider as Transformer & Disposable)[Symbol.dispose]();
  }
}

type FindResource = (key: string) => { readonly group: string; readonly name: string };

/** The resource of a key: built-in ones by their prefix, others below their group. */
function resourceFinder(resources: readonly Declaration[]): FindResource {
  const builtIn = new Map(
    resources.map(({ handle, storageName }) => [
      storageName ?? handle.name,
      { group: handle.group, name: handle.name },
    ]),
  );
  return (key) => {
    const [first = "", second = ""] = key.slice(registryPrefix.length).split("/", 2);
    return (
      builtIn.get(`${first}/${second}`) ?? builtIn.get(first) ?? { group: first, name: second }
    );
  };
}
