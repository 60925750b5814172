import type { ListForm, ListMeta } from "../shape/list-form.ts";
import { writeJson } from "./write-json.ts";

const separators = { first: Buffer.from("{"), next: Buffer.from(",{") } as const;

/**
 * A list in pieces, made of objects as encodeJson() wrote them: their bytes are cut, not encoded again. Items of built-in
 * kinds mostly leave out kind and apiVersion, which each of them begins with.
 *
 * Upstream: apimachinery/pkg/runtime/serializer/json/collections.go.
 */
export function jsonList(
  form: ListForm,
  metadata: ListMeta,
  items: Iterable<Uint8Array>,
): Uint8Array[] {
  const { apiVersion, kind, itemKind, custom, typedItems = custom } = form;
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  const sorted = writeJson({ continue: token, remainingItemCount, resourceVersion });
  const ordered = writeJson({ resourceVersion, continue: token, remainingItemCount });
  const start = custom
    ? `{"apiVersion":${writeJson(apiVersion)},"items":[`
    : `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${ordered},"items":[`;
  const end = custom ? `],"kind":${writeJson(kind)},"metadata":${sorted}}\n` : "]}\n";
  const skipped = typedItems
    ? 1
    : Buffer.byteLength(`{"kind":"${itemKind}","apiVersion":"${apiVersion}",`);
  const pieces: Uint8Array[] = [Buffer.from(start)];
  for (const item of items) {
    pieces.push(
      pieces.length === 1 ? separators.first : separators.next,
      item.subarray(skipped, -1),
    );
  }
  pieces.push(Buffer.from(end));
  return pieces;
}

/** The types of watch events. */
export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

const frameEnd = Buffer.from("}\n");

/** A watch event of an object as encodeJson() wrote it; its newline is the end of the frame. */
export function jsonWatchFrame(type: WatchEventType, object: Uint8Array): Uint8Array {
  const start = Buffer.from(`{"type":"${type}","object":`);
  return Buffer.concat([start, object.subarray(0, -1), frameEnd]);
}
