/** Upstream: sigs.k8s.io/kustomize/api/internal/accumulator/loadconfigfromcrds.go. */
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import { within } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { readYamlValue } from "../kustomization/read-yaml-value.ts";
import { emptyConfig, mergeConfigs, type TransformerConfig } from "./transformer-config.ts";

type Definitions = Readonly<Record<string, unknown>>;

/** Limit of the depth of references between types: types may refer to themselves. */
const maxDepth = 32;

/** Configuration from OpenAPI definitions of custom kinds: labels, annotations, names and references. */
export function loadCrdConfig(loader: Loader, paths: readonly string[]): TransformerConfig {
  let config = emptyConfig;
  for (const path of paths) {
    const bytes = loader.load(path);
    let definitions: unknown;
    try {
      definitions = readYamlValue(bytes);
    } catch (error) {
      throw within(`unable to parse open API definition from '${path}'`, error);
    }
    if (isJsonObject(definitions)) config = addDefinitions(config, definitions);
  }
  return config;
}

function addDefinitions(config: TransformerConfig, definitions: Definitions): TransformerConfig {
  let result = config;
  for (const name of Object.keys(definitions)) {
    const properties = propertiesOf(definitions, name);
    if (!("kind" in properties && "apiVersion" in properties && "metadata" in properties)) continue;
    const kind = name.split(".").at(-1) ?? "";
    for (const part of configsOf(definitions, name, kind, [])) result = mergeConfigs(result, part);
  }
  return result;
}

function propertiesOf(definitions: Definitions, name: string): Definitions {
  const definition = definitions[name];
  if (!isJsonObject(definition)) return {};
  const schema = definition["Schema"] ?? definition["schema"];
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function* configsOf(
  definitions: Definitions,
  name: string,
  kind: string,
  path: readonly string[],
): Generator<TransformerConfig> {
  if (path.length > maxDepth) return;
  for (const [property, schema] of Object.entries(propertiesOf(definitions, name))) {
    if (!isJsonObject(schema)) continue;
    const text = (key: string): string | undefined =>
      typeof schema[key] === "string" ? (schema[key] as string) : undefined;
    const inner = [...path, property];
    const spec = { kind, path: inner.join("/") };
    if (text("x-kubernetes-annotation") !== undefined) {
      yield { ...emptyConfig, commonAnnotations: [spec] };
    }
    if (text("x-kubernetes-label-selector") !== undefined) {
      yield { ...emptyConfig, commonLabels: [spec] };
    }
    if (text("x-kubernetes-identity") !== undefined) yield { ...emptyConfig, namePrefix: [spec] };
    const version = text("x-kubernetes-object-ref-api-version");
    const target = text("x-kubernetes-object-ref-kind");
    if (version !== undefined && target !== undefined) {
      const nameKey = text("x-kubernetes-object-ref-name-key") ?? "name";
      const fieldSpecs = [{ kind, path: [...inner, nameKey].join("/") }];
      yield { ...emptyConfig, nameReference: [{ kind: target, version, fieldSpecs }] };
    }
    const reference = text("$ref");
    if (reference !== undefined) yield* configsOf(definitions, reference, kind, inner);
  }
}
