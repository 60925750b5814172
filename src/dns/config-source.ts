import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { DnsConfig } from "./corefile/dns-config.ts";
import { planDnsConfig } from "./corefile/plan-dns-config.ts";
import { CorefileError } from "./corefile/read-corefile.ts";

/** The key of a ConfigMap with the configuration, as CoreDNS' manifests have it. */
const corefileKey = "Corefile";

interface SourceOptions {
  readonly informers: Informers;
  /** NAMESPACE/NAME. */
  readonly configMap: string;
  readonly port: number;
}

/** A version of the ConfigMap; `found` is undefined if it does not exist, or has no Corefile. */
export interface ConfigChange {
  readonly configMap: ConfigMap | undefined;
  readonly found: DnsConfig | CorefileError | undefined;
}

/** Calls a function with each version of the ConfigMap, also the first, until disposed. */
export function followConfig(
  { informers, configMap, port }: SourceOptions,
  changed: (change: ConfigChange) => void,
): Disposable {
  const [namespace = "", name = ""] = configMap.split("/");
  const informer = informers.informer(configMaps, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  let last: string | undefined;
  const look = (): void => {
    const object = informer.store.get(namespace, name);
    const text = JSON.stringify(object?.data ?? {});
    if (text === last) return;
    last = text;
    changed({ configMap: object, found: readConfig(object?.data ?? {}, port) });
  };
  return informer.subscribe({ added: look, updated: look, deleted: look });
}

function readConfig(
  data: Readonly<Record<string, string>>,
  port: number,
): DnsConfig | CorefileError | undefined {
  const { [corefileKey]: corefile, ...files } = data;
  if (corefile === undefined) return undefined;
  try {
    return planDnsConfig(corefile, { files, port });
  } catch (error) {
    if (error instanceof CorefileError) return error;
    throw error;
  }
}
