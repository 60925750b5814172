/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/sorter.go. */
import { JsonPathError, type TemplatePart } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { goType } from "#/machinery/patch/values/go-value.ts";
import { isQuantity, parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { goSort } from "#/std/go/go-sort.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { relaxedJsonPath } from "../../printers/custom-columns-printer.ts";
import { jsonPathResults } from "../../printers/jsonpath-printer.ts";

/** Values without an order; upstream exits at once, with a line in its log. */
export class UnsortableError extends Error {
  override readonly name = "UnsortableError";
  /** The line of upstream's source that logs it. */
  readonly place: string;

  constructor(message: string, place: string) {
    super(message);
    this.place = place;
  }
}

/** Sorts objects by the first result of a path; those without a result are first. */
export function sortObjects<T>(
  items: readonly T[],
  path: string,
  objectOf: (item: T) => Unstructured,
): T[] {
  if (items.length === 0) return [];
  const field = relaxedJsonPath(path);
  const place = { type: "*unstructured.Unstructured", at: "sorter.go:329" };
  return sortByTemplate({ items, field, template: parse(field, ""), objectOf, place });
}

/** Sorts rows of a table in the same way. */
export function sortRows<T>(
  items: readonly T[],
  path: string,
  objectOf: (item: T) => Unstructured,
): T[] {
  const field = relaxedOrSame(path);
  const template = parse(field, "sorting error: ");
  const place = { type: "[][][]reflect.Value", at: "sorter.go:375" };
  return sortByTemplate({ items, field, template, objectOf, place });
}

interface Sorting<T> {
  readonly items: readonly T[];
  readonly field: string;
  readonly template: readonly TemplatePart[];
  readonly objectOf: (item: T) => Unstructured;
  readonly place: { readonly type: string; readonly at: string };
}

function sortByTemplate<T>({ items, field, template, objectOf, place }: Sorting<T>): T[] {
  const keyed = items.map((item) => ({ item, found: firstFound(template, objectOf(item)) }));
  if (items.length > 0 && keyed.every(({ found }) => found.length === 0)) {
    throw new CommandError(
      `couldn't find any field with path ${goQuote(field)} in the list of objects`,
    );
  }
  const isLess = (a: (typeof keyed)[number], b: (typeof keyed)[number]): boolean => {
    if (a.found.length === 0) return true;
    if (b.found.length === 0) return false;
    try {
      return comesBefore(a.found[0], b.found[0]);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const text = `Field ${field} in ${place.type} is an unsortable type: interface, err: ${error.message}`;
      throw new UnsortableError(text, place.at);
    }
  };
  return goSort(keyed, isLess).map(({ item }) => item);
}

function firstFound(template: readonly TemplatePart[], object: Unstructured): readonly unknown[] {
  try {
    return jsonPathResults(template, object, { allowMissingKeys: true })[0] ?? [];
  } catch (error) {
    if (error instanceof JsonPathError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

function relaxedOrSame(path: string): string {
  try {
    return relaxedJsonPath(path);
  } catch {
    return path;
  }
}

function parse(field: string, prefix: string): readonly TemplatePart[] {
  try {
    return parseTemplate(field);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new CommandError(`${prefix}${error.message}`, { cause: error });
  }
}

/** Null is before everything; strings that are quantities compare as such. Throws TypeError if there is no order. */
function comesBefore(a: unknown, b: unknown): boolean {
  const [aIsNull, bIsNull] = [a === null || a === undefined, b === null || b === undefined];
  if (aIsNull || bIsNull) return aIsNull && !bIsNull;
  const type = goType(a);
  if (!["int64", "float64", "string"].includes(type)) {
    throw new TypeError(`unsortable type: ${type}`);
  }
  if (type !== goType(b)) throw new TypeError("unsortable interface: interface");
  if (typeof a !== "string" || typeof b !== "string") return (a as number) < (b as number);
  if (isQuantity(a) && isQuantity(b)) return parseQuantity(a).compare(parseQuantity(b)) < 0;
  return a < b;
}
