import { jsonList, jsonWatchFrame } from "#/machinery/codec/json/json-stream.ts";
import type { MediaType } from "#/machinery/codec/media-type.ts";
import type { ConvertTo } from "#/machinery/codec/negotiate.ts";
import { protobufList, protobufWatchFrame } from "#/machinery/codec/protobuf/protobuf-stream.ts";
import type { ListForm, ListMeta } from "#/machinery/codec/shape/list-form.ts";
import { type ListItem, type ListPieces, noBytes } from "#/machinery/codec/shape/list-pieces.ts";
import { notAcceptableForm } from "#/machinery/meta/status-error.ts";
import type { Settled } from "#/std/base/maybe-promise.ts";
import { table } from "#/std/base/table.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import { encodeKind } from "../../registry/version-codec.ts";
import { inTurns } from "../in-turns.ts";
import { listMeta, type ObjectWriter } from "./object-writer.ts";

/**
 * Objects by their metadata only (PartialObjectMetadata of meta.k8s.io), in the requested version of that group. A
 * request for one object does not get a list, nor the reverse.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go.
 */
export function metadataWriter(
  target: VersionedResource,
  { kind: asked, version }: ConvertTo,
  mediaType: MediaType,
): ObjectWriter {
  const isList = asked === "PartialObjectMetadataList";
  const apiVersion = `meta.k8s.io/${version}`;
  const format = { mediaType, pretty: false };
  const form = `metadata ${mediaType} ${apiVersion}`;
  const partial = (metadata: object) => ({ kind: "PartialObjectMetadata", apiVersion, metadata });
  const bytes = (object: StoredObject): Uint8Array =>
    object.encoded(form, ({ metadata }) => encodeKind(partial(metadata), format));
  const value = (something: Settled): Uint8Array => {
    const { kind, metadata } = something as { kind?: string; metadata?: object };
    const isObject = kind === target.version.handle.kind;
    if (isObject && isList) throw otherForm(asked, "not a list", goType(target));
    return encodeKind(isObject ? partial(metadata ?? {}) : something, format);
  };
  const isProtobuf = mediaType === "application/vnd.kubernetes.protobuf";
  const listForm = {
    apiVersion,
    kind: "PartialObjectMetadataList",
    itemKind: "PartialObjectMetadata",
    unstructured: false,
    typedItems: true,
  };
  const frame = isProtobuf ? protobufWatchFrame : jsonWatchFrame;
  return {
    contentType: mediaType,
    watchContentType: isProtobuf ? `${mediaType};stream=watch` : mediaType,
    form,
    object: (object) => {
      if (isList) throw otherForm(asked, "not a list", goType(target));
      return bytes(object);
    },
    value,
    list: async (page) => {
      if (!isList) throw otherForm(asked, "a list", `${goType(target)}List`);
      const meta = listMeta(page);
      if (!isProtobuf && target.resource.store.codec.head)
        return cutOut(listForm, meta, page.items);
      const join = isProtobuf ? protobufList : jsonList;
      return join(listForm, meta, await inTurns(page.items, bytes));
    },
    frame: (type, object) => frame(type, bytes(object)),
    valueFrame: (type, something) => frame(type, value(something)),
  };
}

const otherForm = (asked: string, found: string, type: string): Error =>
  notAcceptableForm(`you requested ${asked}, but the requested object is ${found} (*${type})`);

/** Upstream's name of the internal type of the objects. */
function goType({ resource: { declaration }, schema }: VersionedResource): string {
  if (schema.unstructured) return "unstructured.Unstructured";
  const { group, kind } = declaration.handle;
  return `${goPackages[group] ?? group.split(".")[0]}.${kind}`;
}

const goPackages: Readonly<Record<string, string>> = table({
  "": "core",
  "internal.apiserver.k8s.io": "apiserverinternal",
});

/** A list with items cut out of the objects' own bytes, so that nothing is parsed. */
async function cutOut(
  form: ListForm,
  meta: ListMeta,
  objects: readonly StoredObject[],
): Promise<ListPieces> {
  const empty = jsonList(form, meta, []);
  const itemStart = `{"kind":"${form.itemKind}","apiVersion":"${form.apiVersion}","metadata":`;
  const items = await inTurns(
    objects,
    ({ metadataCut: { source, start, end } }): ListItem => ({ lead: noBytes, source, start, end }),
  );
  if (items.length === 0) return empty;
  return {
    head: Buffer.concat([empty.head, Buffer.from(itemStart)]),
    items,
    separator: Buffer.from(`},${itemStart}`),
    tail: Buffer.concat([Buffer.from("}"), empty.tail]),
  };
}
