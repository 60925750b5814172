import type { StatusError } from "#/machinery/status-error.ts";
import { bytesReply, type Reply, type Sink } from "../http/exchange.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import { bookmarkObject, type ObjectWriter } from "./object-writer.ts";
import type { Result } from "./result.ts";
import type { WatchTarget } from "./watch.ts";
import type { SelectedEvent } from "./watch-event.ts";

/** What a client may leave unread before its watch is closed: memory is not the place to wait for slow clients. */
const slowWatcherBytes = 16 * 1024 * 1024;

/** Puts what a verb has to say into what the client accepts. */
export function encodeResult(
  result: Result,
  writer: ObjectWriter,
  target: VersionedResource,
): Reply {
  switch (result.type) {
    case "object":
      return bytesReply(result.status, writer.contentType, writer.object(result.object));
    case "value":
      return bytesReply(result.status, writer.contentType, writer.value(result.value));
    case "list":
      return bytesReply(200, writer.contentType, writer.list(result.page));
    case "watch":
      return watchReply(result.run, writer, target);
    case "raw":
      return result.reply;
  }
}

function watchReply(
  run: (target: WatchTarget) => Promise<void>,
  writer: ObjectWriter,
  resource: VersionedResource,
): Reply {
  return {
    status: 200,
    headers: { "content-type": writer.watchContentType ?? writer.contentType },
    body: { type: "stream", write: (sink) => run(new FrameTarget(sink, writer, resource)) },
  };
}

/** Writes events to a client, those of one batch together. */
class FrameTarget implements WatchTarget {
  readonly #sink: Sink;
  readonly #writer: ObjectWriter;
  readonly #resource: VersionedResource;
  #waiting: Uint8Array[] = [];

  constructor(sink: Sink, writer: ObjectWriter, resource: VersionedResource) {
    this.#sink = sink;
    this.#writer = writer;
    this.#resource = resource;
  }

  event({ type, object }: SelectedEvent, frames: Map<string, Uint8Array>): void {
    const key = `${type} ${object.revision} ${this.#writer.form}`;
    let frame = frames.get(key);
    if (!frame) {
      frame = this.#writer.frame(type, object);
      frames.set(key, frame);
    }
    this.#waiting.push(frame);
  }

  bookmark(revision: number, initialEnd: boolean): void {
    const object = bookmarkObject(this.#resource, revision, initialEnd);
    this.#waiting.push(this.#writer.valueFrame("BOOKMARK", object));
  }

  error(error: StatusError): void {
    this.#waiting.push(this.#writer.valueFrame("ERROR", error.status));
  }

  flush(): void {
    const [first] = this.#waiting;
    if (first) this.#sink.write(this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting));
    this.#waiting = [];
    if (this.#sink.pendingBytes > slowWatcherBytes)
      this.#sink.close(new Error("the watcher is too slow"));
  }
}
