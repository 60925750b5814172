import { useComputed, useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { onKeys } from "../base/keys.ts";
import { changeQuery, openPage, route } from "../base/navigation.ts";
import { namespace } from "../base/preferences.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { findResource, resources } from "../data/discovery.ts";
import { LiveTable } from "../data/live-table.ts";
import { knowsRights, may } from "../data/permissions.ts";
import { type ApiResource, pluralTitle, resourceKey, resourcePath } from "../model/api-resource.ts";
import { objectRoute } from "../model/route.ts";
import { matchesWords, type Row, type SortOrder, sortRows, wordsOf } from "../model/table.ts";
import { DataTable } from "../parts/data-table.ts";
import { Icon } from "../parts/icon.ts";
import { FailureNote, ForbiddenNote, Note, Skeleton } from "../parts/notes.ts";
import { t } from "../texts/texts.ts";

/** The objects of a kind. */
export function ListPage(): JSX.Element {
  const key = route.value.path[1] ?? "";
  const resource = findResource(key);
  if (resources.value === undefined) return h(Skeleton, null);
  if (resource === undefined) {
    return h(Note, { icon: "search", title: t().unknownKind, text: key });
  }
  const { ns = namespace.value, labels = "", fields = "" } = route.value.query;
  if (!knowsRights(ns)) return h(Skeleton, null);
  if (!may({ verb: "list", group: resource.group, resource: resource.resource }, ns)) {
    return h(
      "section",
      { class: "page list-page" },
      h("header", { class: "page-head" }, h("h1", null, pluralTitle(resource))),
      h(ForbiddenNote, {}),
    );
  }
  return h(List, { key: `${key} ${ns} ${labels} ${fields}`, resource, ns, labels, fields });
}

interface ListOptions {
  readonly resource: ApiResource;
  readonly ns: string | undefined;
  readonly labels: string;
  readonly fields: string;
}

function List({ resource, ns, labels, fields }: ListOptions): JSX.Element {
  const key = resourceKey(resource);
  const table = useSignal<LiveTable | undefined>(undefined);
  const selected = useSignal(-1);
  const field = useRef<HTMLInputElement>(null);
  useWhileShown((signal) => {
    const query = {
      ...(labels ? { labelSelector: labels } : {}),
      ...(fields ? { fieldSelector: fields } : {}),
    };
    table.value = new LiveTable(resourcePath(resource, ns), query, signal);
  }, []);
  const sort = useComputed(() => sortOf(route.value.query["sort"]));
  const shown = useComputed(() => {
    const words = wordsOf(route.value.query["q"] ?? "");
    const rows = table.value?.rows.value ?? [];
    return sortRows(
      words.length === 0 ? rows : rows.filter((row) => matchesWords(row, words)),
      sort.value,
    );
  });
  const linkOf = useMemo(() => (row: Row) => objectRoute(key, row), [key]);
  useWhileShown((signal) => {
    const move = (step: number) => () => {
      const last = shown.peek().length - 1;
      selected.value = Math.max(0, Math.min(last, selected.peek() + step));
    };
    const open = (tab?: string) => () => {
      const row = shown.peek()[selected.peek()];
      if (row) openPage(objectRoute(key, row, tab));
    };
    const top = () => {
      selected.value = 0;
    };
    onKeys(
      {
        j: move(1),
        ArrowDown: move(1),
        k: move(-1),
        ArrowUp: move(-1),
        PageDown: move(20),
        PageUp: move(-20),
        g: top,
        G: move(1e9),
        Enter: open(),
        o: open(),
        e: open("yaml"),
        l: open("logs"),
        "/": () => field.current?.focus(),
      },
      signal,
    );
  }, []);
  const live = table.value;
  const state = live?.state.value ?? "loading";
  const rows = live?.rows.value ?? [];
  const isFiltered = shown.value.length !== rows.length;
  return h(
    "section",
    { class: "page list-page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, pluralTitle(resource)),
      h(
        "span",
        { class: "count", role: "status" },
        isFiltered ? t().countOf(shown.value.length, rows.length) : t().count(rows.length),
      ),
      state === "lost" ? h("span", { class: "lost" }, t().reconnecting) : null,
      h("span", { class: "space" }),
      labels ? h(Chip, { text: labels, clear: () => changeQuery({ labels: undefined }) }) : null,
      fields ? h(Chip, { text: fields, clear: () => changeQuery({ fields: undefined }) }) : null,
      h(FilterField, { field }),
    ),
    body({ state, live, rows: rows.length, isFiltered, shownCount: shown.value.length }) ??
      h(DataTable, {
        label: pluralTitle(resource),
        columns: live?.columns.value ?? [],
        rows: shown.value,
        showsNamespace: resource.namespaced && ns === undefined,
        namespaceTitle: t().namespace,
        sort: sort.value,
        selected: selected.value,
        onSort: ({ by, descending }) => changeQuery({ sort: `${descending ? "-" : ""}${by}` }),
        onSelect: (index) => {
          selected.value = index;
        },
        linkOf,
      }),
  );
}

/** What is shown instead of a table; undefined if there is one. */
function body(options: {
  readonly state: string;
  readonly live: LiveTable | undefined;
  readonly rows: number;
  readonly shownCount: number;
  readonly isFiltered: boolean;
}): JSX.Element | undefined {
  const { state, live, rows, shownCount, isFiltered } = options;
  if (state === "refused") return h(FailureNote, { failure: live?.failure.value });
  if (rows === 0 && state === "loading") return h(Skeleton, { rows: 12 });
  if (shownCount > 0) return undefined;
  if (isFiltered) {
    return h(
      Note,
      { icon: "filter", title: t().nothingMatches },
      h("button", { onClick: () => changeQuery({ q: undefined }) }, t().clearFilter),
    );
  }
  return h(Note, { title: t().emptyTitle, text: t().emptyText });
}

function FilterField({
  field,
}: {
  readonly field: { current: HTMLInputElement | null };
}): JSX.Element {
  return h(
    "label",
    { class: "field" },
    h(Icon, { name: "filter" }),
    h("span", { class: "hidden" }, t().filter),
    h("input", {
      ref: field,
      type: "search",
      placeholder: t().filter,
      spellcheck: false,
      value: route.value.query["q"] ?? "",
      onInput: ({ currentTarget }) => changeQuery({ q: currentTarget.value }),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === "Escape" || event.key === "Enter") field.current?.blur();
      },
    }),
    h("kbd", { "aria-hidden": "true" }, "/"),
  );
}

/** A selector of the URL that can be removed. */
function Chip({ text, clear }: { readonly text: string; clear(): void }): JSX.Element {
  return h(
    "span",
    { class: "chip" },
    text,
    h(
      "button",
      { class: "quiet", "aria-label": t().remove, onClick: clear },
      h(Icon, { name: "close" }),
    ),
  );
}

/** The order of the URL; by the first column if it has none. */
function sortOf(text: string | undefined): SortOrder {
  if (text === undefined) return { by: 0, descending: false };
  const descending = text.startsWith("-");
  const by = text.replace(/^-/, "");
  return { by: by === "namespace" ? by : Number(by) || 0, descending };
}
