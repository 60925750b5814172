import { jsonWatchFrame } from "#/machinery/codec/json-stream.ts";
import { writeJson } from "#/machinery/codec/write-json.ts";
import type { Clock } from "#/std/clock.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import { StoredObject } from "../registry/stored-object.ts";
import type { ApiObject, Column } from "../registry/strategy.ts";
import { encodeKind } from "../registry/version-codec.ts";
import { jsonWriter, listMeta, type ObjectWriter } from "./object-writer.ts";

/** How much of each object a row carries along. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Columns of resources that declare none. Upstream: apiserver/pkg/registry/rest/table.go. */
const defaultColumns: readonly Column[] = [
  { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name ?? "" },
  { name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp ?? null },
];

/** Objects as rows of a meta.k8s.io Table, which is what `kubectl get` prints. */
export function tableWriter(
  target: VersionedResource,
  version: string,
  include: IncludeObject,
  clock: Clock,
): ObjectWriter {
  const json = jsonWriter(target);
  const columns = target.version.columns ?? target.resource.declaration.columns ?? defaultColumns;
  const definitions = writeJson(columns.map(definition));
  const rows = new RowWriter(target, version, include, columns);
  const apiVersion = `meta.k8s.io/${version}`;
  const start = (metadata: object, header: string): string =>
    `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${writeJson(metadata)},"columnDefinitions":${header},"rows":[`;
  let headerSent = false;
  const header = (): string => (headerSent ? "null" : definitions);
  const single = (object: StoredObject): Uint8Array => {
    const metadata = { resourceVersion: String(object.revision) };
    return Buffer.concat(rows.table(start(metadata, header()), [object], clock.now()));
  };
  return {
    ...json,
    form: `table ${apiVersion} ${include} ${target.apiVersion}`,
    object: single,
    value: (value) => {
      const shown = objectsOf(target, value);
      if (!shown) return encodeKind(value);
      const { metadata = {} } = "items" in value ? (value as { metadata?: object }) : {};
      return Buffer.concat(rows.table(start(metadata, definitions), shown, clock.now()));
    },
    list: (page) => {
      const text = start(listMeta(page), definitions);
      // Upstream's own columns start without rows, those of others with none.
      if (columns === defaultColumns && page.items.length === 0)
        return [Buffer.from(`${text.slice(0, -1)}null}\n`)];
      return rows.table(text, page.items, clock.now());
    },
    frame: (type, object) => {
      const frame = jsonWatchFrame(type, single(object));
      headerSent = true;
      return frame;
    },
    valueFrame: (type, value) => {
      const { kind, metadata = {} } = value as { kind?: string; metadata?: object };
      if (kind !== target.version.handle.kind) return jsonWatchFrame(type, encodeKind(value));
      return jsonWatchFrame(type, Buffer.from(`${start(metadata, header())}${tableEnd}`));
    },
  };
}

/** What rows are made of, where a verb has a value instead of what is stored; undefined for values of other kinds. */
function objectsOf(
  { resource, version }: VersionedResource,
  value: object,
): StoredObject[] | undefined {
  const { kind = "", items } = value as { kind?: string; items?: ApiObject[] };
  const own = version.handle.kind;
  if (kind !== own && kind !== `${own}List`) return undefined;
  const { codec } = resource.store;
  return (items ?? [value as ApiObject]).map(
    (object) =>
      new StoredObject({ key: "", value: codec.encode(object), modRevision: 0 }, codec, object),
  );
}

function definition({ name, type, format = "", description = "", priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}

class RowWriter {
  readonly #target: VersionedResource;
  readonly #partialStart: string;
  readonly #include: IncludeObject;
  readonly #columns: readonly Column[];

  constructor(
    target: VersionedResource,
    version: string,
    include: IncludeObject,
    columns: readonly Column[],
  ) {
    this.#target = target;
    this.#partialStart = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`;
    this.#include = include;
    this.#columns = columns;
  }

  /** A table in pieces: what objects are shown of is taken from their bytes. */
  table(start: string, objects: readonly StoredObject[], now: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let text = start;
    for (const object of objects) {
      text += `{"cells":${this.#beforeObject(object, now)}"object":`;
      const [open, shown, close] = this.#object(object);
      pieces.push(Buffer.from(text + open), shown);
      text = `${close}},`;
    }
    const end = objects.length > 0 ? text.slice(0, -1) : text;
    pieces.push(Buffer.from(end + tableEnd));
    return pieces;
  }

  /** The cells and, for few kinds, conditions. */
  #beforeObject(stored: StoredObject, now: number): string {
    const shownObject = this.#target.version.prepared?.(stored.object) ?? stored.object;
    const cells = this.#cells(shownObject, now);
    const conditions = this.#target.resource.declaration.rowConditions?.(stored.object);
    const shown = conditions === undefined ? "" : `"conditions":${writeJson(conditions)},`;
    return `${writeJson(cells)},${shown}`;
  }

  #cells(object: ApiObject, now: number): readonly unknown[] {
    const { rowCells } = this.#target.resource.declaration;
    if (rowCells && !this.#target.version.columns) return rowCells(object, now);
    return this.#columns.map(({ cell }) => cell?.(object, now) ?? null);
  }

  /** What a row carries along, with the text around it. */
  #object(stored: StoredObject): readonly [open: string, shown: Uint8Array, close: string] {
    switch (this.#include) {
      case "None":
        return ["null", nothing, ""];
      case "Metadata":
        return [this.#partialStart, stored.metadataJson, "}"];
      case "Object": {
        const { isStored, codec, fromStored } = this.#target;
        const json = isStored ? stored.json : codec.encodeJson(fromStored(stored.object) as object);
        return ["", json.subarray(0, -1), ""];
      }
    }
  }
}

const nothing = new Uint8Array();
const tableEnd = "]}\n";
