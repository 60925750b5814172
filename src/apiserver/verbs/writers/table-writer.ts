import { jsonWatchFrame } from "#/machinery/codec/json/json-stream.ts";
import { writeJson } from "#/machinery/codec/json/write-json.ts";
import {
  type Cut,
  type ListItem,
  type ListPieces,
  listChunks,
  wholeCut,
  wholeList,
} from "#/machinery/codec/shape/list-pieces.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import { type DatedBytes, StoredObject } from "../../registry/stored-object.ts";
import type { ApiObject, Column } from "../../registry/strategy.ts";
import { encodeKind } from "../../registry/version-codec.ts";
import { inTurns } from "../in-turns.ts";
import { jsonWriter, listMeta, type ObjectWriter } from "./object-writer.ts";
import { type PreparedObject, preparedAlready } from "./prepared-object.ts";

/** The part of each object that a row includes. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** Columns of resources that declare none. Upstream: staging/src/k8s.io/apiserver/pkg/registry/rest/table.go. */
const defaultColumns: readonly Column[] = [
  { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name ?? "" },
  { name: "Created At", type: "date", cell: ({ metadata }) => metadata.creationTimestamp ?? null },
];

/** Objects as rows of a meta.k8s.io Table, which `kubectl get` prints. */
export function tableWriter(
  target: VersionedResource,
  version: string,
  include: IncludeObject,
  clock: Clock,
): ObjectWriter {
  const { shared: _, listAtOnce: __, ...json } = jsonWriter(target);
  const columns = target.version.columns ?? target.resource.declaration.columns ?? defaultColumns;
  const definitions = writeJson(columns.map(definition));
  const rows = new RowWriter({ target, version, include, columns, clock });
  const apiVersion = `meta.k8s.io/${version}`;
  const start = (metadata: object, header: string): string =>
    `{"kind":"Table","apiVersion":"${apiVersion}","metadata":${writeJson(metadata)},"columnDefinitions":${header},"rows":[`;
  let headerSent = false;
  const header = (): string => (headerSent ? "null" : definitions);
  const table = (text: string, objects: readonly PreparedObject[]): Uint8Array =>
    Buffer.concat(
      listChunks(
        rows.list(
          text,
          objects.map((object) => rows.row(object)),
        ),
      ),
    );
  const single = (object: PreparedObject): Uint8Array =>
    table(start({ resourceVersion: String(object.revision) }, header()), [object]);
  return {
    ...json,
    form: `table ${apiVersion} ${include} ${target.apiVersion}`,
    object: single,
    value: (value) => {
      const shown = objectsOf(target, value);
      if (!shown) return encodeKind(value);
      const { metadata = {} } = "items" in value ? (value as { metadata?: object }) : {};
      return table(start(metadata, definitions), shown);
    },
    list: async (page) => {
      const text = start(listMeta(page), definitions);
      // As in upstream, an empty table has null rows with the default columns, else an empty list.
      if (columns === defaultColumns && page.items.length === 0)
        return wholeList(Buffer.from(`${text.slice(0, -1)}null}\n`));
      return rows.list(text, await inTurns(page.items, (object) => rows.row(object)));
    },
    frame: (type, object) => {
      const frame = jsonWatchFrame(type, single(object));
      headerSent = true;
      return frame;
    },
    valueFrame: (type, value) => {
      const { kind, metadata = {} } = value as { kind?: string; metadata?: object };
      if (kind !== target.version.handle.kind) return jsonWatchFrame(type, encodeKind(value));
      return jsonWatchFrame(type, table(start(metadata, header()), []));
    },
  };
}

/** The objects of rows, if a verb returns a value instead of stored objects; undefined for values of other kinds. */
function objectsOf(
  { resource, version }: VersionedResource,
  value: object,
): PreparedObject[] | undefined {
  const { kind = "", items } = value as { kind?: string; items?: ApiObject[] };
  const own = version.handle.kind;
  if (kind !== own && kind !== `${own}List`) return undefined;
  const { codec } = resource.store;
  return (items ?? [value as ApiObject]).map((object) => {
    const entry = { key: "", value: codec.encode(object).bytes, modRevision: 0 };
    return preparedAlready(new StoredObject(entry, codec, object));
  });
}

function definition({ name, type, format = "", description = "", priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}

interface RowOptions {
  readonly target: VersionedResource;
  /** The version of meta.k8s.io. */
  readonly version: string;
  readonly include: IncludeObject;
  readonly columns: readonly Column[];
  readonly clock: Clock;
}

/** A row is text, made again only when its cells change, followed by the object's own bytes. */
class RowWriter {
  readonly #options: RowOptions;
  readonly #form: string;
  /** Text before and after each row's object. */
  readonly #objectStart: string;
  readonly #end: RowEnd;

  constructor(options: RowOptions) {
    const { target, version, include, columns } = options;
    const hasMetadata = include === "Metadata";
    this.#options = options;
    this.#form = `row ${version} ${include} ${target.apiVersion} ${idOf(columns)}`;
    this.#objectStart = hasMetadata
      ? `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`
      : "";
    this.#end = hasMetadata ? metadataEnd : objectEnd;
  }

  /** The row of an object: its cells precede its bytes. */
  row(stored: PreparedObject): ListItem {
    const now = this.#options.clock.now();
    const lead = stored.encodedAt(this.#form, secondOf(now), (object) => this.#dated(object, now));
    const { source, start, end } = this.#shown(stored);
    return { lead, source, start, end };
  }

  /** A table that begins with a text and has these rows. */
  list(text: string, items: readonly ListItem[]): ListPieces {
    const { separator, last, none } = this.#end;
    return { head: Buffer.from(text), items, separator, tail: items.length > 0 ? last : none };
  }

  /**
   * The text before the object, and the time for which it is valid. An age has ever coarser units, and never returns to
   * an earlier text: if it is the same at two times, it is the same in between.
   */
  #dated(object: ApiObject, now: number): DatedBytes {
    const text = this.#text(object, now);
    // Ages are in seconds, and so are the times they count from.
    const from = secondOf(now);
    let until = from;
    const { creationTimestamp: created } = object.metadata;
    if (created !== undefined && now - parseTime(created) > oldMs) {
      for (const seconds of lookAheadSeconds) {
        if (this.#text(object, now + seconds * 1000) !== text) break;
        until = from + seconds - 1;
      }
    }
    return { from, until, bytes: Buffer.from(text) };
  }

  #text(object: ApiObject, now: number): string {
    const before = this.#beforeObject(object, now);
    return `{"cells":${before}"object":${this.#objectStart}`;
  }

  /** The cells and, for few kinds, conditions. */
  #beforeObject(object: ApiObject, now: number): string {
    const { version, resource } = this.#options.target;
    const cells = this.#cells(version.webhook?.prepared(object) ?? object, now);
    const conditions = resource.declaration.rowConditions?.(object);
    const shown = conditions === undefined ? "" : `"conditions":${writeJson(conditions)},`;
    return `${writeJson(cells)},${shown}`;
  }

  #cells(object: ApiObject, now: number): readonly unknown[] {
    const { target, columns } = this.#options;
    const { rowCells } = target.resource.declaration;
    if (rowCells && !target.version.columns) return rowCells(object, now);
    return columns.map(({ cell }) => cell?.(object, now) ?? null);
  }

  /** The object of a row. */
  #shown(stored: PreparedObject): Cut {
    switch (this.#options.include) {
      case "None":
        return nullCut;
      case "Metadata":
        return stored.metadataCut;
      case "Object": {
        const source = jsonWriter(this.#options.target).object(stored);
        return { source, start: 0, end: source.length - newline.length };
      }
    }
  }
}

/** Text between rows, after the last one, and for an empty table. */
interface RowEnd {
  readonly separator: Uint8Array;
  readonly last: Uint8Array;
  readonly none: Uint8Array;
}

const newline = "\n";

const rowEnd = (end: string): RowEnd => ({
  separator: Buffer.from(`${end},`),
  last: Buffer.from(`${end}]}${newline}`),
  none: Buffer.from(`]}${newline}`),
});

const metadataEnd = rowEnd("}}");
const objectEnd = rowEnd("}");
const nullCut = wholeCut(Buffer.from("null"));
/** Limit of ages with a resolution of one second. */
const oldMs = 10 * 60_000;
/** Limit of the time for which a row is checked to stay the same. */
const lookAheadSeconds = [10, 60, 3600];

const secondOf = (now: number): number => Math.floor(now / 1000);

let lastColumnsId = 0;

/** A custom resource's columns can change. */
const idOf = memoByIdentity((_columns: readonly Column[]) => ++lastColumnsId);
