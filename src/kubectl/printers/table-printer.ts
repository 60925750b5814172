/** Upstream: staging/src/k8s.io/cli-runtime/pkg/printers/tableprinter.go. */
import { formatLabels } from "#/machinery/meta/format-labels.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { isList, type Unstructured } from "../base/unstructured.ts";
import { escapeCell } from "./escape-terminal.ts";
import type { PrintedEvent, Printer } from "./printer.ts";
import { TabWriter } from "./tab-writer.ts";

/** metav1.Table: the fields that are printed. */
export interface Table extends Unstructured {
  columnDefinitions: ColumnDefinition[];
  rows: TableRow[];
}

interface ColumnDefinition {
  readonly name: string;
  readonly type?: string;
  readonly format?: string;
  readonly priority?: number;
}

interface TableRow {
  cells: unknown[];
  object?: Unstructured;
}

interface TableOptions {
  readonly wide?: boolean;
  readonly noHeaders?: boolean;
  readonly withNamespace?: boolean;
  /** Prefix of each name, if not "". */
  readonly kind?: string;
  readonly columnLabels?: readonly string[];
  readonly showLabels?: boolean;
  readonly now: () => number;
}

/** Number of rows after which buffered rows are written. */
const flushInterval = 100;

const eventTexts: Readonly<Record<string, string>> = {
  ADDED: "ADDED   ",
  MODIFIED: "MODIFIED",
  DELETED: "DELETED ",
  ERROR: "ERROR   ",
};

/** True if an object is a Table, the response to a request for one. */
export function isTable(object: Unstructured): object is Table {
  return object.kind === "Table" && /^meta\.k8s\.io\/v1(beta1)?$/.test(object.apiVersion ?? "");
}

/** Prints tables; other objects get a name and an age. */
export class TablePrinter implements Printer {
  readonly #options: TableOptions;
  #lastColumns: readonly ColumnDefinition[] = [];
  #hasHeaders = false;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  print(object: Unstructured, out: TabWriter | { write(text: string): void }): void {
    this.#print(object, "", out);
  }

  printEvent({ type, object }: PrintedEvent, out: TabWriter | { write(text: string): void }): void {
    this.#print(object, type, out);
  }

  #print(
    object: Unstructured,
    eventType: string,
    out: TabWriter | { write(text: string): void },
  ): void {
    const writer = out instanceof TabWriter ? out : new TabWriter((text) => out.write(text));
    this.#printTable(isTable(object) ? object : this.#tableOf(object), eventType, writer);
    if (writer !== out) writer.flush();
  }

  #printTable(table: Table, eventType: string, writer: TabWriter): void {
    const given = table.columnDefinitions ?? [];
    const isSame = given.length === 0 || sameColumns(given, this.#lastColumns);
    const noHeaders = this.#options.noHeaders || (this.#hasHeaders && isSame);
    if (!isSame) this.#hasHeaders = false;
    const columns = given.length === 0 ? this.#lastColumns : given;
    this.#lastColumns = columns;
    const rows = table.rows ?? [];
    if (rows.length > 0) this.#hasHeaders = true;
    const layout = this.#layout(columns, eventType);
    writeRows(layout, rows, { noHeaders, writer });
  }

  /** The visible columns, and their cells. */
  #layout(columns: readonly ColumnDefinition[], eventType: string): ShownColumn[] {
    const { wide, withNamespace, kind = "", columnLabels = [], showLabels } = this.#options;
    const nameAt = columns.findIndex(({ format, type }) => format === "name" && type === "string");
    const shown: ShownColumn[] = [];
    if (eventType !== "")
      shown.push({ name: "Event", cell: () => eventTexts[eventType] ?? eventType });
    if (withNamespace)
      shown.push({ name: "Namespace", cell: ({ object }) => object?.metadata?.namespace });
    for (const [i, column] of columns.entries()) {
      if (!wide && (column.priority ?? 0) !== 0) continue;
      const prefix = i === nameAt && kind !== "" ? `${kind.toLowerCase()}/` : "";
      const cell = ({ cells }: TableRow): unknown =>
        prefix === "" ? cells[i] : `${prefix}${goValue(cells[i])}`;
      shown.push({ name: column.name, cell });
    }
    for (const label of columnLabels) {
      const cell = ({ object }: TableRow): unknown => object?.metadata?.labels?.[label] ?? "";
      shown.push({ name: label.split("/").at(-1) ?? "", cell });
    }
    if (showLabels) shown.push({ name: "Labels", cell: ({ object }) => labelsText(object) });
    return shown;
  }

  #tableOf(object: Unstructured): Table {
    const items = isList(object) ? object.items : [object];
    if (object.kind === "Status") return statusTable(object);
    return {
      columnDefinitions: [
        { name: "Name", type: "string", format: "name" },
        { name: "Age", type: "string" },
      ],
      rows: items.map((item) => ({
        cells: [item.metadata?.name ?? "", this.#age(item)],
        object: item,
      })),
    };
  }

  #age({ metadata }: Unstructured): string {
    const created = metadata?.creationTimestamp;
    return created ? humanDuration(this.#options.now() - parseTime(created)) : "<unknown>";
  }
}

interface ShownColumn {
  readonly name: string;
  readonly cell: (row: TableRow) => unknown;
}

function statusTable(status: Unstructured): Table {
  return {
    columnDefinitions: [{ name: "Status" }, { name: "Reason" }, { name: "Message" }],
    rows: [{ cells: [status["status"], status["reason"], status["message"]] }],
  };
}

function labelsText(object: Unstructured | undefined): string {
  const labels = object?.metadata?.labels ?? {};
  return Object.keys(labels).length === 0 ? "<none>" : formatLabels(labels);
}

function sameColumns(a: readonly ColumnDefinition[], b: readonly ColumnDefinition[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ name, priority = 0 }, i) => name === b[i]?.name && priority === (b[i]?.priority ?? 0),
    )
  );
}

function writeRows(
  columns: readonly ShownColumn[],
  rows: readonly TableRow[],
  { noHeaders, writer }: { readonly noHeaders: boolean; readonly writer: TabWriter },
): void {
  if (rows.length === 0) return;
  const texts = rows.map((row) => columns.map(({ cell }) => cellText(cell(row))));
  // The first line is padded to the widest cell, so that lines that were written earlier align with later ones.
  const widths = columns.map((_, i) =>
    texts.reduce((widest, cells) => Math.max(widest, byteLength(cells[i] ?? "")), 0),
  );
  const padded = (cells: readonly string[]): string[] =>
    cells.map((cell, i) =>
      i === cells.length - 1
        ? cell
        : cell + " ".repeat(Math.max(0, (widths[i] ?? 0) - byteLength(cell))),
    );
  if (!noHeaders)
    writer.write(`${padded(columns.map(({ name }) => name.toUpperCase())).join("\t")}\n`);
  for (const [i, cells] of texts.entries()) {
    writer.write(`${(noHeaders && i === 0 ? padded(cells) : cells).join("\t")}\n`);
    if ((i + 1) % flushInterval === 0) writer.flush();
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return escapeCell(typeof value === "string" ? value : goValue(value));
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
