import { parseQuantity, type Quantity } from "./quantity.ts";

/** Amounts by resource name, for calculation. On the wire it is a record of texts. */
export type ResourceList = Map<string, Quantity>;

/** Reads amounts from the wire's form. Throws QuantityError. */
export function parseResourceList(
  record: Readonly<Record<string, string | number>> | undefined,
): ResourceList {
  const list: ResourceList = new Map();
  for (const name in record) list.set(name, parseQuantity(String(record[name])));
  return list;
}

/** Amounts in the wire's form, in the order of the list. */
export function formatResourceList(list: ResourceList): Record<string, string> {
  return Object.fromEntries(Array.from(list, ([name, quantity]) => [name, quantity.toString()]));
}

/** Adds amounts to a list. */
export function addResources(list: ResourceList, more: ResourceList): void {
  for (const [name, quantity] of more) {
    list.set(name, list.get(name)?.add(quantity) ?? quantity);
  }
}

/** Raises the amounts of a list to those of another where these are greater. */
export function raiseResources(list: ResourceList, other: ResourceList): void {
  for (const [name, quantity] of other) {
    const current = list.get(name);
    if (current === undefined || quantity.compare(current) > 0) list.set(name, quantity);
  }
}
