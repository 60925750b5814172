import type { Clock } from "#/std/clock.ts";
import { FileContent } from "#/std/file-content.ts";
import type { HealthCheck } from "#/std/health.ts";
import type { Storage } from "#/storage/storage.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { registryPrefix } from "../registry/feed.ts";
import type { Declaration } from "../registry/strategy.ts";
import { EncryptingStorage } from "./encrypting-storage.ts";
import { type EncryptionRule, findRule, parseEncryptionConfiguration } from "./encryption-rules.ts";
import type { Transformer } from "./transformer.ts";

/** The store with encryption as --encryption-provider-config says, and what tells whether its keys can be had. */
export function withEncryption(
  storage: Storage,
  resources: readonly Declaration[],
  flags: ApiServerFlags,
  clock: Clock,
): { readonly storage: Storage; readonly checks: readonly HealthCheck[] } {
  const file = flags["encryption-provider-config"];
  const parse = (bytes: Buffer) => parseEncryptionConfiguration(bytes.toString("utf8"), clock);
  const content = new FileContent(file, parse, clock, closeAll);
  const { value } = content;
  const reloads = flags["encryption-provider-config-automatic-reload"];
  if (!reloads) content[Symbol.dispose]();
  const resourceOf = resourceFinder(resources);
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

/** The providers that somebody else keeps the key of. */
const plugins = (rules: readonly EncryptionRule[]): Transformer[] =>
  rules.flatMap(({ providers }) =>
    providers.flatMap((provider) => (provider !== "identity" && provider.health ? [provider] : [])),
  );

function closeAll(rules: readonly EncryptionRule[]): void {
  for (const provider of plugins(rules)) {
    if (Symbol.dispose in provider) (provider as Transformer & Disposable)[Symbol.dispose]();
  }
}

/** Which resource a key belongs to: built-in ones by their place, others are below their group. */
function resourceFinder(resources: readonly Declaration[]) {
  const builtIn = new Map(
    resources.map(({ handle, storageName }) => [
      storageName ?? handle.name,
      { group: handle.group, name: handle.name },
    ]),
  );
  return (key: string): { group: string; name: string } => {
    const [first = "", second = ""] = key.slice(registryPrefix.length).split("/", 2);
    return (
      builtIn.get(`${first}/${second}`) ?? builtIn.get(first) ?? { group: first, name: second }
    );
  };
}
