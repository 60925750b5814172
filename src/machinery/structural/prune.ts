import {
  asResourceRoot,
  isJsonObject,
  metaFields,
  type StructuralSchema,
} from "./structural-schema.ts";

/**
 * Removes the fields that the schema does not specify from a custom resource, in place, and returns
 * their sorted paths. Metadata is not pruned.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export function prune(object: unknown, schema: StructuralSchema): string[] {
  return pruneValue(object, asResourceRoot(schema));
}

/** The same for a value inside a resource; its schema says whether it is an embedded object. */
export function pruneValue(value: unknown, schema: StructuralSchema): string[] {
  const pruner = new Pruner();
  pruner.prune(value, schema);
  return pruner.pruned.sort();
}

class Pruner {
  readonly pruned: string[] = [];
  readonly #path: (string | number)[] = [];

  /** Without a schema every field is unknown. */
  prune(value: unknown, schema: StructuralSchema | undefined): void {
    if (Array.isArray(value)) {
      const items = (item: unknown): void =>
        schema?.preserveUnknown ? this.#keep(item, schema.items) : this.prune(item, schema?.items);
      value.forEach((item, index) => {
        this.#at(index, () => items(item));
      });
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) this.#pruneField(value, key, schema);
    }
  }

  #pruneField(
    object: Record<string, unknown>,
    key: string,
    schema: StructuralSchema | undefined,
  ): void {
    if (schema?.embedded && metaFields.has(key)) return;
    const known = schema?.properties.get(key);
    if (known !== undefined || schema?.additionalProperties !== undefined) {
      this.#at(key, () => {
        this.prune(object[key], known ?? schema?.additionalProperties?.schema);
      });
      return;
    }
    if (schema?.preserveUnknown) return;
    if (schema === undefined || !metaFields.has(key) || this.#path.length > 0) {
      this.#at(key, () => {
        this.pruned.push(formatPath(this.#path));
      });
    }
    delete object[key];
  }

  /** Keeps unknown fields, also in list items, except below specified fields. */
  #keep(value: unknown, schema: StructuralSchema | undefined): void {
    if (schema !== undefined) this.prune(value, { ...schema, preserveUnknown: true });
  }

  #at(segment: string | number, visit: () => void): void {
    this.#path.push(segment);
    visit();
    this.#path.pop();
  }
}

/** A path as warnings about unknown fields show it: spec.list[0].name. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === "number") return `${text}[${segment}]`;
    return text === "" ? segment : `${text}.${segment}`;
  }, "");
}
