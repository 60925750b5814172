/** The allowed imports, as in ARCHITECTURE.md. */
export interface LayerTable {
  /** Folders of src, each with those that it may import besides itself. */
  readonly mayImport: ReadonlyMap<string, readonly string[]>;
  /** Folders with an order inside, by their path below src: their own folders from the lowest to the highest. */
  readonly orders: ReadonlyMap<string, readonly string[]>;
}

/** In a list: the `run.ts` of every component. */
export const everyRun = "run.ts";

/** In an order: all folders that the order does not name. They may not import each other. */
export const everyOther = "*";

/** In an order: the files directly in the component's folder. An order without it has them at the top. */
export const ownFiles = ".";

/** Reads the two tables of the section "Layers". Names are in backticks; everything else is prose. */
export function readLayerTable(architecture: string): LayerTable {
  const [, section = ""] = architecture.split(/^## Layers$/m);
  const [body = ""] = section.split(/^## /m);
  const [allowed = [], ordered = []] = tablesOf(body);
  return { mayImport: new Map(allowed), orders: new Map(ordered) };
}

type Row = readonly [name: string, names: readonly string[]];

/** The rows of each Markdown table, without its head. */
function tablesOf(markdown: string): Row[][] {
  const tables: Row[][] = [];
  let inTable = false;
  for (const line of markdown.split("\n")) {
    if (!line.startsWith("|")) inTable = false;
    else if (/^\| ?-/.test(line)) tables.push([]);
    else if (inTable) tables.at(-1)?.push(...rowOf(line));
    if (/^\| ?-/.test(line)) inTable = true;
  }
  return tables;
}

function rowOf(line: string): Row[] {
  const [, first = "", second = ""] = line.split("|");
  const [name] = namesIn(first);
  return name === undefined ? [] : [[name, namesIn(second)]];
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}
