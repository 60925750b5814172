/** Upstream: k8s.io/kubectl/pkg/cmd/get/sorter.go. */
import { JsonPathError } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { goType } from "#/machinery/patch/go-value.ts";
import { isQuantity, parseQuantity } from "#/machinery/quantity.ts";
import { goQuote } from "#/std/go-quote.ts";
import { CommandError, messageOf } from "../../errors.ts";
import { relaxedJsonPath } from "../../printers/custom-columns-printer.ts";
import { jsonPathResults } from "../../printers/jsonpath-printer.ts";
import type { Unstructured } from "../../unstructured.ts";

/** Sorts by the first value that a path finds; what has none comes first. */
export function sortObjects<T>(
  items: readonly T[],
  path: string,
  objectOf: (item: T) => Unstructured,
): T[] {
  const field = relaxedOrSame(path);
  const template = parse(field);
  const keyed = items.map((item) => ({
    item,
    found: jsonPathResults(template, objectOf(item), { allowMissingKeys: true })[0] ?? [],
  }));
  if (items.length > 0 && keyed.every(({ found }) => found.length === 0)) {
    throw new CommandError(
      `couldn't find any field with path ${goQuote(field)} in the list of objects`,
    );
  }
  return keyed
    .toSorted((a, b) => {
      if (a.found.length === 0) return b.found.length === 0 ? 0 : -1;
      if (b.found.length === 0) return 1;
      return compare(a.found[0], b.found[0]);
    })
    .map(({ item }) => item);
}

function relaxedOrSame(path: string): string {
  try {
    return relaxedJsonPath(path);
  } catch {
    return path;
  }
}

function parse(field: string): ReturnType<typeof parseTemplate> {
  try {
    return parseTemplate(field);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new CommandError(`sorting error: ${messageOf(error)}`, { cause: error });
  }
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") {
    if (isQuantity(a) && isQuantity(b)) return parseQuantity(a).compare(parseQuantity(b));
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const order = compare(a[i], b[i]);
      if (order !== 0) return order;
    }
    return 0;
  }
  throw new CommandError(`unsortable type: ${goType(a)}`);
}
