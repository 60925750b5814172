import type { Status } from "#/api/meta/v1.ts";
import { fromStatus } from "#/machinery/meta/status-error.ts";
import type { WatchEvent } from "./transport.ts";

/** Limit of one watch event (bytes); the limit of objects is far below. */
const maxLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/**
 * The lines of a stream of bytes; the text after the last newline is dropped as an incomplete
 * event.
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const last = rest.subarray(0, end);
      yield (parts.length === 0 ? last : Buffer.concat([...parts, last])).toString();
      parts = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    parts.push(rest);
    size += rest.length;
    if (size > maxLineBytes) throw new Error("an event of the watch is too long");
  }
}

/** Parses lines of JSON as events. Throws the StatusError of an ERROR event. */
export async function* parseEvents(
  lines: AsyncIterable<string>,
): AsyncGenerator<WatchEvent<unknown>> {
  for await (const line of lines) {
    if (line === "") continue;
    const event = JSON.parse(line) as { type: string; object: unknown };
    if (event.type === "ERROR") throw fromStatus(event.object as Status);
    yield event as WatchEvent<unknown>;
  }
}
