import { h, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isNarrow } from "../base/screen.ts";
import type { Column, Row, SortOrder } from "../model/table.ts";
import { toneOf, toneOfCount } from "../model/tone.ts";
import { scrollToRow, visibleRows } from "../model/visible-rows.ts";
import { Age } from "./age.ts";
import { Status } from "./status.ts";

interface TableOptions {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly showsNamespace: boolean;
  readonly namespaceTitle: string;
  readonly sort: SortOrder;
  readonly selected: number;
  onSort(order: SortOrder): void;
  onSelect(index: number): void;
  linkOf(row: Row): string;
}

/** Heights of a row in CSS pixels: the same as in the style sheet. */
const wideRowHeight = 36;
const narrowRowHeight = 64;

/** Rows whose texts decide the widths of columns (count). */
const measuredRows = 300;
/** Limits of a column's width (characters). */
const minWidth = 5;
const maxWidth = 36;

/** Names of columns whose words have a tone. */
const statusColumn = /^(status|phase|ready|type|reason|condition|available|approved|health)$/i;
const ageColumn = /^(age|created at)$/i;

/** A table of any number of rows, of which those in sight are drawn. */
export function DataTable(options: TableOptions): JSX.Element {
  const { label, columns, rows, selected, showsNamespace } = options;
  const view = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ scrollTop: 0, height: 600 });
  const rowHeight = isNarrow.value ? narrowRowHeight : wideRowHeight;
  const shown = columns.map((column, index) => ({ column, index })).filter(isShown);
  useLayoutEffect(() => {
    const element = view.current;
    if (!element) return;
    const measure = () => setPlace({ scrollTop: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (selected < 0 || !view.current) return;
    const top = scrollToRow(selected, { ...place, rowHeight });
    if (top !== undefined) view.current.scrollTop = top;
  }, [selected]);
  const { from, to } = visibleRows({ count: rows.length, rowHeight, ...place });
  const template = [
    ...(showsNamespace ? ["minmax(7ch, 0.6fr)"] : []),
    ...shown.map(({ index }, position) => widthOf(columns, rows, index, position === 0)),
  ].join(" ");
  return h(
    "div",
    {
      class: "table",
      role: "grid",
      "aria-label": label,
      "aria-rowcount": rows.length + 1,
      tabIndex: 0,
      ...(selected >= from && selected < to ? { "aria-activedescendant": `row-${selected}` } : {}),
      style: { "--columns": template },
    },
    h(Head, { ...options, shown }),
    h(
      "div",
      {
        class: "table-view",
        ref: view,
        role: "rowgroup",
        onScroll: ({ currentTarget }: { currentTarget: HTMLElement }) =>
          setPlace({ scrollTop: currentTarget.scrollTop, height: currentTarget.clientHeight }),
      },
      h(
        "div",
        {
          class: "table-space",
          role: "presentation",
          style: { height: `${rows.length * rowHeight}px` },
        },
        rows.slice(from, to).map((row, offset) =>
          h(TableRow, {
            key: row.id,
            row,
            index: from + offset,
            top: (from + offset) * rowHeight,
            isSelected: from + offset === selected,
            options,
            shown,
          }),
        ),
      ),
    ),
  );
}

interface ShownColumn {
  readonly column: Column;
  readonly index: number;
}

const isShown = ({ column }: ShownColumn): boolean => (column.priority ?? 0) === 0;

function widthOf(
  columns: readonly Column[],
  rows: readonly Row[],
  index: number,
  isName: boolean,
): string {
  let longest = (columns[index]?.name.length ?? 0) + 3;
  for (const { cells } of rows.slice(0, measuredRows)) {
    longest = Math.max(longest, cells[index]?.length ?? 0);
  }
  const width = Math.min(maxWidth, Math.max(minWidth, longest)) + 3;
  return isName
    ? `minmax(${Math.min(width, 22)}ch, 2fr)`
    : `minmax(${Math.min(width, 9)}ch, ${width}ch)`;
}

function Head({
  shown,
  showsNamespace,
  namespaceTitle,
  sort,
  onSort,
}: TableOptions & { readonly shown: readonly ShownColumn[] }): JSX.Element {
  const head = (name: string, by: SortOrder["by"]) => {
    const isSorted = sort.by === by;
    const descending = isSorted && !sort.descending;
    return h(
      "div",
      {
        key: String(by),
        role: "columnheader",
        "aria-sort": isSorted ? (sort.descending ? "descending" : "ascending") : "none",
      },
      h(
        "button",
        {
          class: isSorted ? "sorted" : "",
          tabIndex: -1,
          onClick: () => onSort({ by, descending }),
        },
        name,
        isSorted ? h("span", { "aria-hidden": "true" }, sort.descending ? " ↓" : " ↑") : null,
      ),
    );
  };
  return h(
    "div",
    { class: "table-head", role: "rowgroup" },
    h(
      "div",
      { class: "row", role: "row", "aria-rowindex": 1 },
      showsNamespace ? head(namespaceTitle, "namespace") : null,
      shown.map(({ column, index }) => head(column.name, index)),
    ),
  );
}

interface RowOptions {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly isSelected: boolean;
  readonly options: TableOptions;
  readonly shown: readonly ShownColumn[];
}

function TableRow({ row, index, top, isSelected, options, shown }: RowOptions): JSX.Element {
  const { showsNamespace, linkOf, onSelect } = options;
  return h(
    "div",
    {
      id: `row-${index}`,
      class: `row${isSelected ? " selected" : ""}${row.isDeleting ? " deleting" : ""}`,
      role: "row",
      "aria-rowindex": index + 2,
      "aria-selected": isSelected,
      style: { transform: `translateY(${top}px)` },
      onMouseDown: () => onSelect(index),
    },
    showsNamespace ? h("div", { role: "gridcell", class: "cell dim" }, row.namespace ?? "") : null,
    shown.map(({ column, index: cell }, position) =>
      h(
        "div",
        {
          key: column.name,
          role: "gridcell",
          class: position === 0 ? "cell name" : "cell",
          title: row.cells[cell],
        },
        position === 0
          ? h("a", { href: linkOf(row), tabIndex: -1 }, row.cells[cell])
          : cellContent(column, row, cell),
      ),
    ),
  );
}

function cellContent({ name }: Column, row: Row, index: number): JSX.Element | string {
  const text = row.cells[index] ?? "";
  if (text === "") return "";
  if (ageColumn.test(name) && row.createdMs > 0) return h(Age, { ms: row.createdMs });
  if (!statusColumn.test(name)) return text;
  if (row.isDeleting && name === "Status") return h(Status, { text, tone: "busy" });
  const count = toneOfCount(text);
  const tone = count ?? toneOf(text);
  return tone === "idle" || count === "good" ? text : h(Status, { text, tone });
}
