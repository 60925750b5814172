import {
  jsonList,
  jsonWatchFrame,
  type WatchEventType,
} from "#/machinery/codec/json/json-stream.ts";
import { protobufList, protobufWatchFrame } from "#/machinery/codec/protobuf/protobuf-stream.ts";
import type { ListForm, ListMeta } from "#/machinery/codec/shape/list-form.ts";
import { type ListPieces, listChunks, wholeList } from "#/machinery/codec/shape/list-pieces.ts";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import type { Settled } from "#/std/base/maybe-promise.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Page } from "../../registry/result.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { type OutputFormat, plainJson } from "../../registry/version-codec.ts";
import { inTurns } from "../in-turns.ts";
import type { PreparedObject, PreparedPage } from "./prepared-object.ts";

/** Encodes objects of one resource version in one form: a media type, possibly with another kind (Table). */
export interface ObjectWriter {
  readonly contentType: string;
  /** Content type of a stream of events; undefined if this form has none. */
  readonly watchContentType: string | undefined;
  /** Key of frames that watchers share. */
  readonly form: string;
  /** One object as a whole body. */
  object(object: PreparedObject): Uint8Array;
  /** An object that is not stored, of the kind of the endpoint or another. */
  value(value: Settled): Uint8Array;
  /** A long one is made in turns with other requests. */
  list(page: PreparedPage): Promise<ListPieces>;
  /** One event of a watch. */
  frame(type: WatchEventType, object: PreparedObject): Uint8Array;
  /** An event about an object that is not stored: a Status or a bookmark. */
  valueFrame(type: WatchEventType, value: Settled): Uint8Array;
  /** The object itself, for callers in this process; absent if this form is another than the object's own. */
  shared?(object: PreparedObject): object;
}

interface JsonWriter extends ObjectWriter {
  /** A list for synchronous callers. */
  listAtOnce(page: PreparedPage): ListPieces;
}

/** JSON: bytes are copied; objects stored in the requested version are not encoded again. */
export const jsonWriter = memoByIdentity(newJsonWriter);

function newJsonWriter(target: VersionedResource): JsonWriter {
  const form = `json ${target.apiVersion}`;
  const bytes = (object: PreparedObject): Uint8Array =>
    target.isStored
      ? object.json
      : object.encoded(form, (stored) => target.codec.encodeJson(target.fromStored(stored)));
  const list = (page: Page, items: readonly Uint8Array[]): ListPieces =>
    jsonList(listForm(target), ownListMeta(target, page), items);
  return {
    contentType: "application/json",
    watchContentType: "application/json",
    form,
    object: bytes,
    value: (value) => target.codec.encode(value, plainJson),
    list: async (page) => list(page, await inTurns(page.items, bytes)),
    listAtOnce: (page) => list(page, page.items.map(bytes)),
    frame: (type, object) => jsonWatchFrame(type, bytes(object)),
    valueFrame: (type, value) => jsonWatchFrame(type, target.codec.encode(value, plainJson)),
    shared: (object) => (target.isStored ? object.parsed() : target.fromStored(object.parsed())),
  };
}

/** Protobuf: each object is encoded once per version. */
export function protobufWriter(target: VersionedResource): ObjectWriter {
  const format: OutputFormat = { mediaType: "application/vnd.kubernetes.protobuf", pretty: false };
  const form = `protobuf ${target.apiVersion}`;
  const bytes = (object: PreparedObject): Uint8Array =>
    object.encoded(form, (stored) => target.codec.encode(target.fromStored(stored), format));
  return {
    contentType: format.mediaType,
    watchContentType: `${format.mediaType};stream=watch`,
    form,
    object: bytes,
    value: (value) => target.codec.encode(value, format),
    list: async (page) =>
      protobufList(listForm(target), listMeta(page), await inTurns(page.items, bytes)),
    frame: (type, object) => protobufWatchFrame(type, bytes(object)),
    valueFrame: (type, value) => protobufWatchFrame(type, target.codec.encode(value, format)),
  };
}

/** For people: YAML or indented JSON, encoded for each response. */
export function readableWriter(target: VersionedResource, format: OutputFormat): ObjectWriter {
  const { shared: _, listAtOnce, ...json } = jsonWriter(target);
  return {
    ...json,
    contentType: format.mediaType,
    watchContentType: format.mediaType === "application/json" ? format.mediaType : undefined,
    object: (object) => target.codec.encode(target.fromStored(object.parsed()), format),
    value: (value) => target.codec.encode(value, format),
    list: async (page) => {
      const isYaml = format.mediaType === "application/yaml";
      if (isYaml && page.items.length > 0) return yamlList(listAtOnce, page);
      const text = Buffer.concat(listChunks(listAtOnce(page))).toString();
      return wholeList(target.codec.encodeList(JSON.parse(text) as object, format));
    },
  };
}

const noItems = "items: []\n";

/** A list in YAML, which is slow to write: item by item, in turns with other requests. */
async function yamlList(
  listAtOnce: JsonWriter["listAtOnce"],
  page: PreparedPage,
): Promise<ListPieces> {
  const listOf = (items: PreparedPage["items"]): { readonly items: readonly object[] } =>
    JSON.parse(Buffer.concat(listChunks(listAtOnce({ ...page, items }))).toString());
  const [head = "", tail = ""] = writeYaml(listOf([])).split(noItems);
  const items = await inTurns(page.items, (item) => writeYaml(listOf([item]).items));
  return wholeList(Buffer.from(`${head}items:\n${items.join("")}${tail}`));
}

function listForm(target: VersionedResource): ListForm {
  const { kind } = target.version.handle;
  const { unstructured = false } = target.schema;
  return { apiVersion: target.apiVersion, kind: `${kind}List`, itemKind: kind, unstructured };
}

/** Unstructured lists have an empty continue token. */
function ownListMeta({ schema }: VersionedResource, page: Page): ListMeta {
  return schema.unstructured ? { continue: "", ...listMeta(page) } : listMeta(page);
}

/** metav1.ListMeta of a page. */
export function listMeta({ revision, continueToken, remaining }: Page): ListMeta {
  return {
    resourceVersion: String(revision),
    ...(continueToken === "" ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** A bookmark: an object with only a resourceVersion. */
export function bookmarkObject(
  target: VersionedResource,
  revision: number,
  initialEnd: boolean,
): ApiObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  return { kind: target.version.handle.kind, apiVersion: target.apiVersion, metadata };
}
