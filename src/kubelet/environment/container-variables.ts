import type {
  ConfigMap,
  Container,
  EnvFromSource,
  EnvVarSource,
  Pod,
  Secret,
  Service,
} from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { orOptional } from "../state/or-optional.ts";
import type { EnvironmentVariable } from "../state/pod-services.ts";
import { parseEnvFile } from "./env-file.ts";
import { expandVariables, lookupIn } from "./expand-variables.ts";
import { podField, type RuntimeFacts, resourceField } from "./pod-field.ts";
import { serviceVariables } from "./service-variables.ts";

/** The sources of the values of variables. */
export interface VariableSources {
  getConfigMap(namespace: string, name: string): Promise<ConfigMap>;
  getSecret(namespace: string, name: string): Promise<Secret>;
  readonly services: Iterable<Service>;
  readonly facts: RuntimeFacts;
  /** The text of a file in one of the pod's volumes, never outside of it. */
  readVolumeFile(volume: string, path: string): Promise<{ path: string; text: string }>;
}

/**
 * The environment of a container: envFrom, then env in its order (each may use the ones before it), then the
 * variables of services.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go.
 */
export async function containerVariables(
  pod: Pod,
  container: Container,
  sources: VariableSources,
): Promise<EnvironmentVariable[]> {
  const namespace = pod.metadata.namespace ?? "";
  const links = serviceVariables(sources.services, namespace, pod.spec.enableServiceLinks ?? true);
  const values = new Map<string, string>();
  for (const from of container.envFrom ?? []) {
    for (const [key, value] of await bulkValues(from, namespace, sources)) {
      values.set(`${from.prefix ?? ""}${key}`, value);
    }
  }
  const lookup = lookupIn(values, links);
  for (const { name, value, valueFrom } of container.env ?? []) {
    const resolved =
      value || valueFrom === undefined
        ? expandVariables(value ?? "", lookup)
        : await sourceValue(valueFrom, { pod, container, sources });
    if (resolved !== undefined) values.set(name, resolved);
  }
  const unset = [...links].filter(([name]) => !values.has(name));
  return [...values, ...unset].map(([name, value]) => ({ name, value }));
}

async function bulkValues(
  { configMapRef, secretRef }: EnvFromSource,
  namespace: string,
  sources: VariableSources,
): Promise<[string, string][]> {
  if (configMapRef !== undefined) {
    const found = await orOptional(
      sources.getConfigMap(namespace, configMapRef.name ?? ""),
      configMapRef.optional,
    );
    return Object.entries(found?.data ?? {});
  }
  if (secretRef === undefined) return [];
  const found = await orOptional(
    sources.getSecret(namespace, secretRef.name ?? ""),
    secretRef.optional,
  );
  return Object.entries(found?.data ?? {}).map(([key, value]) => [key, fromBase64(value)]);
}

interface Context {
  readonly pod: Pod;
  readonly container: Container;
  readonly sources: VariableSources;
}

/** The value of a reference; undefined if an optional one is missing. */
async function sourceValue(from: EnvVarSource, context: Context): Promise<string | undefined> {
  const { pod, container, sources } = context;
  if (from.fieldRef) return podField(pod, from.fieldRef, sources.facts);
  if (from.resourceFieldRef) {
    return resourceField(pod, from.resourceFieldRef, sources.facts, container);
  }
  if (from.fileKeyRef) return fileValue(from.fileKeyRef, sources);
  const namespace = pod.metadata.namespace ?? "";
  if (from.configMapKeyRef) {
    const { name = "", key, optional } = from.configMapKeyRef;
    const map = await orOptional(sources.getConfigMap(namespace, name), optional);
    const value = map?.data?.[key];
    if (value !== undefined || optional) return value;
    throw new Error(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
  }
  if (from.secretKeyRef) {
    const { name = "", key, optional } = from.secretKeyRef;
    const secret = await orOptional(sources.getSecret(namespace, name), optional);
    const value = secret?.data?.[key];
    if (value !== undefined) return fromBase64(value);
    if (optional) return undefined;
    throw new Error(`couldn't find key ${key} in Secret ${namespace}/${name}`);
  }
  return "";
}

async function fileValue(
  { volumeName, path, key, optional }: NonNullable<EnvVarSource["fileKeyRef"]>,
  sources: VariableSources,
): Promise<string | undefined> {
  const file = await sources.readVolumeFile(volumeName, path);
  let value: string;
  try {
    value = parseEnvFile(file.text, key);
  } catch (cause) {
    throw new Error("couldn't parse env file", { cause });
  }
  if (value !== "") return value;
  if (optional) return undefined;
  throw new Error(
    `environment variable key ${goQuote(key)} not found in file ${goQuote(file.path)}`,
  );
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}
