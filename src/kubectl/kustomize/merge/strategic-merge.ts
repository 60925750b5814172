/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/{merge2,walk}. */
import { requireKind, setField } from "../yaml/edit-node.ts";
import { isMissingOrNull, scalarNode, tags, type YamlNode } from "../yaml/yaml-node.ts";
import { mergeList } from "./merge-list.ts";
import type { MergeSchema, SchemaSource } from "./merge-schema.ts";
import { patchDirective } from "./patch-directive.ts";

/** Applies a patch to an object; undefined if the patch deletes it. The patch must not be used afterwards. */
export function strategicMerge(
  object: YamlNode,
  patch: YamlNode,
  schemas: SchemaSource,
): YamlNode | undefined {
  return new Merger(schemas).merge(object, patch, undefined);
}

class Merger {
  readonly #schemas: SchemaSource;

  constructor(schemas: SchemaSource) {
    this.#schemas = schemas;
  }

  /** The merged value; undefined if nothing is left of it. */
  merge(
    original: YamlNode | undefined,
    patch: YamlNode | undefined,
    given: MergeSchema | undefined,
  ): YamlNode | undefined {
    const first = isMissingOrNull(original) ? patch : original;
    const kind = isMissingOrNull(first) ? undefined : (first as YamlNode).kind;
    const schema = given ?? this.#schemaOf(original) ?? this.#schemaOf(patch);
    if (kind !== undefined) {
      requireKind(original, kind);
      requireKind(patch, kind);
    }
    if (kind === "scalar") return patch ?? original;
    if (kind !== "sequence") return this.#mergeMapping(original, patch, schema);
    if (schema?.mergeKeys === undefined) return patch ?? original;
    return mergeList(this, original, patch, schema);
  }

  #schemaOf(node: YamlNode | undefined): MergeSchema | undefined {
    if (isMissingOrNull(node)) return undefined;
    const object: YamlNode = node;
    const apiVersion = object.field("apiVersion")?.value;
    const kind = object.field("kind")?.value;
    return apiVersion && kind ? this.#schemas.find(apiVersion, kind) : undefined;
  }

  #mergeMapping(
    original: YamlNode | undefined,
    patch: YamlNode | undefined,
    schema: MergeSchema | undefined,
  ): YamlNode | undefined {
    const target = mappingTarget(original, patch);
    if (!target) return undefined;
    const sources = [target, patch];
    const names = sources.flatMap((node) => (node?.entries ?? []).map(({ key }) => key.value));
    for (const name of [...new Set(names)].sort()) {
      const value = this.merge(target.field(name), patch?.field(name), schema?.field(name));
      setField(target, name, value);
    }
    return target;
  }
}

/** The mapping that receives the entries of a patch. */
function mappingTarget(
  original: YamlNode | undefined,
  patch: YamlNode | undefined,
): YamlNode | undefined {
  if (isMissingOrNull(original)) {
    const absent: YamlNode | undefined = original;
    if (patch?.kind === "mapping" && patchDirective(patch) === "delete") return undefined;
    if (patch === undefined && absent !== undefined && (absent as YamlNode).value !== "") {
      return keptNull((absent as YamlNode).value);
    }
    return patch;
  }
  if (patch === undefined) return original;
  if (patch.isNull) return undefined;
  const directive = patchDirective(patch);
  if (directive === "delete") return undefined;
  return directive === "replace" ? patch : original;
}

/** An explicit null is kept. */
function keptNull(value: string): YamlNode {
  const node = scalarNode(value, tags.null);
  node.isKept = true;
  return node;
}
