import { jsonWatchFrame } from "#/machinery/codec/json-stream.ts";
import { writeJson } from "#/machinery/codec/write-json.ts";
import type { Clock } from "#/std/clock.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { StoredObject } from "../registry/stored-object.ts";
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
  const table = (metadata: object, header: string, body: readonly string[]): string =>
    `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${writeJson(metadata)},"columnDefinitions":${header},"rows":[${body.join(",")}]}\n`;
  let headerSent = false;
  const single = (object: StoredObject): Uint8Array => {
    const metadata = { resourceVersion: String(object.revision) };
    const header = headerSent ? "null" : definitions;
    return Buffer.from(table(metadata, header, [rows.row(object, clock.now())]));
  };
  return {
    ...json,
    form: `table ${apiVersion} ${include} ${target.apiVersion}`,
    object: single,
    value: (value) => encodeKind(value),
    list: (page) => {
      const now = clock.now();
      return [
        Buffer.from(
          table(
            listMeta(page),
            definitions,
            page.items.map((item) => rows.row(item, now)),
          ),
        ),
      ];
    },
    frame: (type, object) => {
      const frame = jsonWatchFrame(type, single(object));
      headerSent = true;
      return frame;
    },
    valueFrame: (type, value) => {
      const { kind, metadata = {} } = value as { kind?: string; metadata?: object };
      if (kind !== target.version.handle.kind) return jsonWatchFrame(type, encodeKind(value));
      return jsonWatchFrame(
        type,
        Buffer.from(table(metadata, headerSent ? "null" : definitions, [])),
      );
    },
  };
}

function definition({ name, type, format = "", description = "", priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}

class RowWriter {
  readonly #target: VersionedResource;
  readonly #version: string;
  readonly #include: IncludeObject;
  readonly #columns: readonly Column[];

  constructor(
    target: VersionedResource,
    version: string,
    include: IncludeObject,
    columns: readonly Column[],
  ) {
    this.#target = target;
    this.#version = version;
    this.#include = include;
    this.#columns = columns;
  }

  row(stored: StoredObject, now: number): string {
    const shownObject = this.#target.version.prepared?.(stored.object) ?? stored.object;
    const cells = this.#cells(shownObject, now);
    const conditions = this.#target.resource.declaration.rowConditions?.(stored.object);
    const shown = conditions === undefined ? "" : `"conditions":${writeJson(conditions)},`;
    return `{"cells":${writeJson(cells)},${shown}"object":${this.#object(stored)}}`;
  }

  #cells(object: ApiObject, now: number): readonly unknown[] {
    const { rowCells } = this.#target.resource.declaration;
    if (rowCells && !this.#target.version.columns) return rowCells(object, now);
    return this.#columns.map(({ cell }) => cell?.(object, now) ?? null);
  }

  #object(stored: StoredObject): string {
    switch (this.#include) {
      case "None":
        return "null";
      case "Metadata":
        return this.#metadata(stored.object);
      case "Object":
        return Buffer.from(this.#target.codec.encodeJson(this.#target.fromStored(stored.object)))
          .toString()
          .trimEnd();
    }
  }

  #metadata({ metadata }: ApiObject): string {
    return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${this.#version}","metadata":${writeJson(metadata)}}`;
  }
}
