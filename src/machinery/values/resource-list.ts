import { parseQuantity, type Quantity } from "./quantity.ts";

/** Quantities by resource name, for calculation. On the wire it is a record of strings. */
export type ResourceList = Map<string, Quantity>;

/** Parses quantities from the wire form. Throws QuantityError. */
export function parseResourceList(
  record: Readonly<Record<string, string | number>> | undefined,
): ResourceList {
  const list: ResourceList = new Map();
  for (const name in record) list.set(name, parseQuantity(String(record[name])));
  return list;
}

/** Quantities in the wire form, in the order of the list. */
export function formatResourceList(list: ResourceList): Record<string, string> {
  return Object.fromEntries(Array.from(list, ([name, quantity]) => [name, quantity.toString()]));
}

/** Adds quantities to a list. */
export function addResources(list: ResourceList, more: ResourceList): void {
  for (const [name, quantity] of more) {
    list.set(name, list.get(name)?.add(quantity) ?? quantity);
  }
}

/** Raises the quantities of a list to those of another where these are larger. */
export function raiseResources(list: ResourceList, other: ResourceList): void {
  for (const [name, quantity] of other) {
    const current = list.get(name);
    if (current === undefined || quantity.compare(current) > 0) list.set(name, quantity);
  }
}
