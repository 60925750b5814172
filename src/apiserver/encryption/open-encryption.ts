import type { Clock } from "#/std/clock.ts";
import { FileContent } from "#/std/file-content.ts";
import type { Storage } from "#/storage/storage.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import { registryPrefix } from "../registry/feed.ts";
import type { Declaration } from "../registry/strategy.ts";
import { EncryptingStorage } from "./encrypting-storage.ts";
import { type EncryptionRule, findRule, parseEncryptionConfiguration } from "./encryption-rules.ts";

/** The store with encryption as --encryption-provider-config says; the store itself where it says nothing. */
export function withEncryption(
  storage: Storage,
  resources: readonly Declaration[],
  flags: ApiServerFlags,
  clock: Clock,
): Storage {
  const file = flags["encryption-provider-config"];
  if (file === "") return storage;
  const parse = (bytes: Buffer) => parseEncryptionConfiguration(bytes.toString("utf8"), clock);
  const content = new FileContent(file, parse, clock);
  const { value } = content;
  const reloads = flags["encryption-provider-config-automatic-reload"];
  if (!reloads) content[Symbol.dispose]();
  const resourceOf = resourceFinder(resources);
  return new EncryptingStorage(storage, (key) => {
    const { group, name } = resourceOf(key);
    const rules: readonly EncryptionRule[] = reloads ? content.value : value;
    return findRule(rules, group, name);
  });
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
