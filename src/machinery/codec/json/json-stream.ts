import type { ListForm, ListMeta } from "../shape/list-form.ts";
import { type ListPieces, noBytes } from "../shape/list-pieces.ts";
import { writeJson } from "./write-json.ts";

const separator = Buffer.from(",{");

/**
 * A list built from objects that encodeJson() wrote: their bytes are sliced, not encoded again. Items
 * of built-in kinds mostly omit kind and apiVersion, with which each of them starts.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/collections.go.
 */
export function jsonList(
  form: ListForm,
  metadata: ListMeta,
  items: readonly Uint8Array[],
): ListPieces {
  const { apiVersion, kind, itemKind, unstructured, typedItems = unstructured } = form;
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  const sorted = writeJson({ continue: token, remainingItemCount, resourceVersion });
  const ordered = writeJson({ resourceVersion, continue: token, remainingItemCount });
  const start = unstructured
    ? `{"apiVersion":${writeJson(apiVersion)},"items":[`
    : `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${ordered},"items":[`;
  const end = unstructured ? `],"kind":${writeJson(kind)},"metadata":${sorted}}\n` : "]}\n";
  const skipped = typedItems
    ? 1
    : Buffer.byteLength(`{"kind":"${itemKind}","apiVersion":"${apiVersion}",`);
  return {
    head: Buffer.from(items.length > 0 ? `${start}{` : start),
    items: items.map((source) => ({
      lead: noBytes,
      source,
      start: skipped,
      end: source.length - newlineBytes,
    })),
    separator,
    tail: Buffer.from(end),
  };
}

/** Size of the newline after the output of encodeJson() (bytes). */
const newlineBytes = 1;

/** The types of watch events. */
export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

const frameEnd = Buffer.from("}\n");

/** A watch event of an object as encodeJson() wrote it; its newline is the end of the frame. */
export function jsonWatchFrame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const start = Buffer.from(`{"type":"${type}","object":`);
  return Buffer.concat([start, object.subarray(0, -1), frameEnd]);
}
