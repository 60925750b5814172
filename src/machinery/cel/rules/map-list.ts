import type { JsonSchema } from "../schema/json-schema.ts";

/**
 * The items of a list of x-kubernetes-list-type map, by their keys. Other lists have no lookup.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/maplist.go.
 */
export class MapList {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, unknown>();

  constructor(schema: JsonSchema, items: readonly unknown[]) {
    const isMap = schema.type === "array" && schema["x-kubernetes-list-type"] === "map";
    this.#keys = isMap ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
    for (const item of items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item);
    }
  }

  /** The first item with the same keys as another; undefined if there is none. */
  find(item: unknown): unknown {
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#items.get(key);
  }

  #keyOf(item: unknown): string | undefined {
    if (typeof item !== "object" || item === null || this.#keys.length === 0) return undefined;
    const values: unknown[] = [];
    for (const name of this.#keys) {
      const value = Object.hasOwn(item, name) ? (item as Record<string, unknown>)[name] : undefined;
      if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
      values.push(value);
    }
    return JSON.stringify(values);
  }
}
