/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go (printGeneric). */

import { flatten, withoutNotFound } from "../../actions/not-found.ts";
import { throwAll } from "../../base/errors.ts";
import { isList, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { isStreamable, ListPrinter } from "../../printers/list-printer.ts";
import type { ResourceBuilder } from "../../resource/builder.ts";
import type { GetInvocation } from "./get.ts";
import { getPrinter } from "./get-printer.ts";
import { sortList } from "./sort-infos.ts";

/** Prints whole objects: a single one alone, several as a list. */
export async function printObjects(
  { flags }: GetInvocation,
  context: Context,
  builder: ResourceBuilder,
): Promise<void> {
  const isSingle = await builder.singleItemImplied();
  if (!isSingle && flags["sort-by"] === "" && isStreamable(flags.output)) {
    return printList(flags.output, flags, context, builder);
  }
  const { infos, error } = await builder.tryInfos();
  const failure = flags["ignore-not-found"] ? withoutNotFound(error) : error;
  if (failure !== undefined && isSingle) throw failure;
  const errors: unknown[] = failure === undefined ? [] : [failure];
  if (infos.length === 0 && flags["ignore-not-found"]) return throwAll(flatten(errors));
  const printer = getPrinter(flags, context);
  const objects = infos.flatMap(({ object }) => (object ? [object] : []));
  const [only] = objects;
  const object = isSingle && objects.length === 1 && only ? only : listOf(objects);
  const shown =
    isList(object) && flags["sort-by"] !== "" ? sorted(object, flags["sort-by"], context) : object;
  try {
    printer.print(shown, context.out);
  } catch (printError) {
    errors.push(printError);
  }
  throwAll(flatten(errors));
}

/** Prints a list item by item, as its pages arrive. */
async function printList(
  format: "json" | "yaml",
  flags: GetInvocation["flags"],
  context: Context,
  builder: ResourceBuilder,
): Promise<void> {
  const showManagedFields = flags["show-managed-fields"];
  const list = new ListPrinter(format, { showManagedFields }, context.out);
  const error = await builder.tryVisit(({ object }) => {
    if (object) list.print(object);
  });
  const failure = flags["ignore-not-found"] ? withoutNotFound(error) : error;
  if (!list.isEmpty || !flags["ignore-not-found"]) list.finish();
  if (failure !== undefined) throwAll(flatten([failure]));
}

function listOf(items: Unstructured[]): Unstructured {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}

function sorted(
  list: Unstructured & { items: Unstructured[] },
  path: string,
  context: Context,
): Unstructured {
  return { ...list, items: sortList(list.items, path, context) };
}
