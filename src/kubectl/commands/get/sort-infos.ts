import { CommandError, ExitError } from "../../base/errors.ts";
import { klog } from "../../base/klog.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { isTable, type Table } from "../../printers/table-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { sortObjects, sortRows, UnsortableError } from "./sort-objects.ts";

/** Sorts the rows of each table, or the objects. */
export function sortInfos(infos: ResourceInfo[], path: string, context: Context): ResourceInfo[] {
  const tables = infos.map(({ object }) => object !== undefined && isTable(object));
  return orExit(context, () => {
    if (tables.includes(true)) {
      return infos.filter(({ object }) => !object || !isTable(object) || sortTable(object, path));
    }
    if (infos.length < 2) return infos;
    return sortObjects(infos, path, ({ object }) => object as Unstructured);
  });
}

/** Sorts objects by the first result of a path. */
export function sortList(
  items: readonly Unstructured[],
  path: string,
  context: Context,
): Unstructured[] {
  return orExit(context, () => sortObjects(items, path, (item) => item));
}

/** True if a table could be sorted; upstream prints nothing of one that can't. */
function sortTable(table: Table, path: string): boolean {
  try {
    table.rows = sortRows(table.rows, path, (row) => row.object as Unstructured);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** Values without an order end kubectl, as upstream's log does. */
function orExit<T>(context: Context, sort: () => T): T {
  try {
    return sort();
  } catch (error) {
    if (!(error instanceof UnsortableError)) throw error;
    klog(context, "F", error.place, error.message);
    throw new ExitError(1);
  }
}
