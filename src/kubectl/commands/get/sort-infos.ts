import { CommandError } from "../../errors.ts";
import { isTable, type Table } from "../../printers/table-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { Unstructured } from "../../unstructured.ts";
import { sortObjects } from "./sort-objects.ts";

/** Rows of each table, or objects among each other. */
export function sortInfos(infos: ResourceInfo[], path: string): ResourceInfo[] {
  const tables = infos.map(({ object }) => object !== undefined && isTable(object));
  if (!tables.includes(true)) {
    return infos.length < 2
      ? infos
      : sortObjects(infos, path, ({ object }) => object as Unstructured);
  }
  return infos.filter(({ object }) => !object || !isTable(object) || sortRows(object, path));
}

/** Whether a table could be sorted; upstream shows nothing of one that can't. */
function sortRows(table: Table, path: string): boolean {
  try {
    table.rows = sortObjects(table.rows, path, (row) => row.object as Unstructured);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}
