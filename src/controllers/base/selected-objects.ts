import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import type { IndexFunction } from "#/client/informers/object-store.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";

interface Labelled {
  readonly metadata: ObjectMeta;
}

/**
 * The objects of a namespace that a selector matches, without a scan of the namespace: labels that
 * selectors compare with one value are indexed from the first selector that does.
 */
export function selectedObjects<T extends Labelled>(
  resource: Resource<T>,
  namespace: string,
  selector: Selector,
  informers: Informers,
): readonly T[] {
  return select({ resource, namespace, selector, informers, indexOf: labelIndex, prefix: "label" });
}

/** The selected objects without a controller. Only these are in its indexes. */
export function selectedOrphans<T extends Labelled>(
  resource: Resource<T>,
  namespace: string,
  selector: Selector,
  informers: Informers,
): readonly T[] {
  const isOrphan = (object: T): boolean => !findControllerReference(object);
  const indexOf =
    (label: string): IndexFunction<T> =>
    (object) =>
      isOrphan(object) ? labelIndex(label)(object) : [];
  const prefix = "orphan label";
  return select({ resource, namespace, selector, informers, indexOf, prefix }).filter(isOrphan);
}

/** The objects that an owner controls. */
export function controlledObjects<T extends Labelled>(
  resource: Resource<T>,
  { metadata }: Labelled,
  informers: Informers,
): readonly T[] {
  const indexes = { controller: controllerIndex };
  return informers.informer(resource, { indexes }).store.byIndex("controller", metadata.uid ?? "");
}

/** The uid of an object's controller. */
export function controllerIndex(object: Labelled): string[] {
  const uid = findControllerReference(object)?.uid;
  return uid === undefined ? [] : [uid];
}

interface Selection<T> {
  readonly resource: Resource<T>;
  readonly namespace: string;
  readonly selector: Selector;
  readonly informers: Informers;
  readonly indexOf: (label: string) => IndexFunction<T>;
  readonly prefix: string;
}

function select<T extends Labelled>(selection: Selection<T>): readonly T[] {
  const { resource, namespace, selector, informers, indexOf, prefix } = selection;
  if (!selector.selectable) return [];
  const pairs = selector.requirements.flatMap(({ key }) => {
    const value = selector.requiresExactMatch(key);
    return value === undefined ? [] : [{ key, index: `${prefix} ${key}`, value }];
  });
  const indexes = Object.fromEntries(pairs.map(({ key, index }) => [index, indexOf(key)]));
  const { store } = informers.informer(resource, { indexes });
  let fewest = {
    count: store.countNamespace(namespace),
    list: () => store.listNamespace(namespace),
  };
  for (const { index, value } of pairs) {
    const text = indexValue(namespace, value);
    const count = store.countByIndex(index, text);
    if (count < fewest.count) fewest = { count, list: () => store.byIndex(index, text) };
  }
  return fewest.list().filter(({ metadata }) => selector.matches(metadata.labels));
}

const indexValue = (namespace: string, value: string): string => `${namespace}\0${value}`;

const labelIndex =
  (label: string): IndexFunction<Labelled> =>
  ({ metadata: { namespace = "", labels } }) => {
    const value = labels && Object.hasOwn(labels, label) ? labels[label] : undefined;
    return value === undefined ? [] : [indexValue(namespace, value)];
  };
