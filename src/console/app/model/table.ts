/** A Table as the API sends it. Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go. */
export interface ApiTable {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly ApiRow[];
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority?: number;
  readonly description?: string;
}

interface ApiRow {
  readonly cells: readonly unknown[];
  readonly object?: {
    readonly metadata?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly uid?: string;
      readonly creationTimestamp?: string;
      readonly deletionTimestamp?: string;
      readonly labels?: Readonly<Record<string, string>>;
    };
  };
}

/** A row of a list. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly cells: readonly string[];
  readonly createdMs: number;
  readonly isDeleting: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** What a filter is compared with, in lower case. */
  readonly text: string;
}

/** The rows of a Table. */
export function rowsOf({ rows = [] }: ApiTable): Row[] {
  return rows.map(({ cells, object }) => {
    const {
      name = String(cells[0] ?? ""),
      namespace,
      uid,
      labels = {},
      ...meta
    } = object?.metadata ?? {};
    const texts = cells.map(cellText);
    const labelText = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    return {
      id: uid ?? `${namespace ?? ""}/${name}`,
      name,
      namespace,
      cells: texts,
      createdMs: Date.parse(meta.creationTimestamp ?? "") || 0,
      isDeleting: meta.deletionTimestamp !== undefined,
      labels,
      text: [namespace ?? "", ...texts, ...labelText].join(" ").toLowerCase(),
    };
  });
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return JSON.stringify(cell);
  return String(cell);
}

/** Whether a row matches every word of a filter; "-word" excludes. */
export function matchesWords(row: Pick<Row, "text">, words: readonly string[]): boolean {
  return words.every((word) =>
    word.startsWith("-") && word.length > 1
      ? !row.text.includes(word.slice(1))
      : row.text.includes(word),
  );
}

export const wordsOf = (filter: string): string[] =>
  filter.toLowerCase().split(/\s+/).filter(Boolean);

/** The order of rows: a column by its index, or a field of each row. */
export interface SortOrder {
  readonly by: number | "namespace";
  readonly descending: boolean;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 31_536_000 };

/** What a cell is sorted by: seconds of an age, a number, or the text. */
function sortKey(cell: string): number | string {
  if (/^(\d+[smhdy])+$/.test(cell)) {
    return Array.from(cell.matchAll(/(\d+)([smhdy])/g)).reduce(
      (sum, [, count, unit = "s"]) => sum + Number(count) * (units[unit] ?? 1),
      0,
    );
  }
  const number = /^-?\d+(\.\d+)?/.exec(cell);
  return number && /^[\d.\s/()%a-zA-Z-]{0,24}$/.test(cell) ? Number(number[0]) : cell.toLowerCase();
}

/** The rows in an order; rows that are equal stay as they are. */
export function sortRows(rows: readonly Row[], { by, descending }: SortOrder): Row[] {
  const keyed = rows.map((row) => ({
    row,
    key: by === "namespace" ? (row.namespace ?? "") : sortKey(row.cells[by] ?? ""),
  }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => sign * compareKeys(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compareKeys(a: number | string, b: number | string): number {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
