import type { Resource } from "#/api/base/resource.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { keyOf, metaOf } from "#/client/object-key.ts";
import type { Labels, Selector } from "#/machinery/meta/labels.ts";

/** The selector of an object; undefined if it selects nothing. */
type SelectorOf<T> = (object: T) => Selector | undefined;

/**
 * The keys of objects whose selector matches labels, without a test of each selector of the
 * namespace. One resource always has the same function.
 */
export function selectingObjects<T>(
  resource: Resource<T>,
  selectorOf: SelectorOf<T>,
  { namespace = "", labels = {} }: { readonly namespace?: string; readonly labels?: Labels },
  informers: Informers,
): string[] {
  const informer = informers.informer(resource);
  const { store } = informer; // Throws if it is not filled.
  const known = indexesOf.get(informers) ?? new Map<string, SelectorIndex<unknown>>();
  indexesOf.set(informers, known);
  const name = `${resource.group}/${resource.name}`;
  let index = known.get(name) as SelectorIndex<T> | undefined;
  if (!index) {
    const made = new SelectorIndex(selectorOf);
    informer.subscribe({
      added: (object) => made.change(undefined, object),
      updated: (old, now) => made.change(old, now),
      deleted: (last) => made.change(last, undefined),
    });
    known.set(name, made as SelectorIndex<unknown>);
    index = made;
  }
  return index.candidates(namespace, labels).filter((key) => {
    const object = store.getByKey(key);
    return object !== undefined && selectorOf(object)?.matches(labels) === true;
  });
}

/** One index for each resource and set of informers, shared by controllers; it ends with them. */
const indexesOf = new WeakMap<Informers, Map<string, SelectorIndex<unknown>>>();

/** Selectors that compare the same labels with one value each. */
interface Shape {
  readonly labels: readonly string[];
  /** The keys of objects by the values that they compare with. */
  readonly byValues: Map<string, Set<string>>;
}

/**
 * Objects by their selectors. A lookup costs one step for each set of labels that the selectors of a
 * namespace compare, which is few, whatever the number of selectors.
 */
class SelectorIndex<T> {
  readonly #selectorOf: SelectorOf<T>;
  /** By namespace, then by the names of labels. Invariant: no inner map is empty. */
  readonly #shapes = new Map<string, Map<string, Shape>>();

  constructor(selectorOf: SelectorOf<T>) {
    this.#selectorOf = selectorOf;
  }

  change(old: T | undefined, now: T | undefined): void {
    if (old !== undefined) this.#remove(old);
    if (now !== undefined) this.#add(now);
  }

  /** The keys of objects whose equality requirements labels meet. */
  candidates(namespace: string, labels: Labels): string[] {
    const found: string[] = [];
    for (const shape of this.#shapes.get(namespace)?.values() ?? []) {
      const values = shape.labels.map((label) =>
        Object.hasOwn(labels, label) ? labels[label] : undefined,
      );
      if (values.includes(undefined)) continue;
      found.push(...(shape.byValues.get(values.join("\0")) ?? []));
    }
    return found;
  }

  #add(object: T): void {
    const pairs = this.#pairsOf(object);
    if (!pairs) return;
    const { namespace = "" } = metaOf(object);
    const shapes = this.#shapes.get(namespace) ?? new Map<string, Shape>();
    this.#shapes.set(namespace, shapes);
    const { labels, values } = pairs;
    const shape = shapes.get(labels.join("\0")) ?? { labels, byValues: new Map() };
    shapes.set(labels.join("\0"), shape);
    const keys = shape.byValues.get(values.join("\0")) ?? new Set();
    shape.byValues.set(values.join("\0"), keys.add(keyOf(object)));
  }

  #remove(object: T): void {
    const pairs = this.#pairsOf(object);
    if (!pairs) return;
    const { namespace = "" } = metaOf(object);
    const shapes = this.#shapes.get(namespace);
    const shape = shapes?.get(pairs.labels.join("\0"));
    const keys = shape?.byValues.get(pairs.values.join("\0"));
    if (!shapes || !shape || !keys?.delete(keyOf(object))) return;
    if (keys.size === 0) shape.byValues.delete(pairs.values.join("\0"));
    if (shape.byValues.size === 0) shapes.delete(pairs.labels.join("\0"));
    if (shapes.size === 0) this.#shapes.delete(namespace);
  }

  #pairsOf(object: T): { labels: readonly string[]; values: readonly string[] } | undefined {
    const selector = this.#selectorOf(object);
    if (!selector?.selectable) return undefined;
    const pairs = new Map<string, string>();
    for (const { key } of selector.requirements) {
      const value = selector.requiresExactMatch(key);
      if (value !== undefined) pairs.set(key, value);
    }
    return { labels: [...pairs.keys()], values: [...pairs.values()] };
  }
}
