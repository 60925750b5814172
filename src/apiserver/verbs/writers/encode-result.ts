import { listChunks } from "#/machinery/codec/shape/list-pieces.ts";
import type { StatusError } from "#/machinery/meta/status-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { bytesReply, type Reply, type Sink } from "../../model/exchange.ts";
import type { SelectedEvent, WatchTarget } from "../../registry/result.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import { bookmarkObject, jsonWriter, listMeta, type ObjectWriter } from "./object-writer.ts";
import {
  findPrepared,
  type PreparedEvent,
  type PreparedPage,
  type PreparedResult,
  prepareEvent,
} from "./prepared-object.ts";

/** Limit of unread bytes of a client before its watch is closed: slow clients must not fill the memory. */
const slowWatcherBytes = 16 * 1024 * 1024;

/** Encodes the result of a verb in a form that the client accepts. */
export function encodeResult(
  result: PreparedResult,
  writer: ObjectWriter,
  target: VersionedResource,
  takesObjects = false,
): MaybePromise<Reply> {
  if (takesObjects && writer.shared) {
    const reply = sharedReply(result, writer.shared, target);
    if (reply) return reply;
  }
  switch (result.type) {
    case "object":
      return bytesReply(result.status, writer.contentType, writer.object(result.object));
    case "value":
      return bytesReply(result.status, writer.contentType, writer.value(result.value));
    case "list":
      return listReply(writer, result.page);
    case "watch":
      return watchReply(result.run, writer, target);
    case "raw":
      return result.reply;
  }
}

async function listReply(writer: ObjectWriter, page: PreparedPage): Promise<Reply> {
  const headers = { "content-type": writer.contentType };
  return { status: 200, headers, body: { type: "list", list: await writer.list(page) } };
}

/** A response that is encoded only if its bytes are needed (audit). */
function sharedReply(
  result: PreparedResult,
  shared: NonNullable<ObjectWriter["shared"]>,
  target: VersionedResource,
): Reply | undefined {
  const writer = jsonWriter(target);
  const reply = (status: number, value: () => unknown, encode: () => readonly Uint8Array[]) => ({
    status,
    headers: { "content-type": writer.contentType },
    body: {
      type: "bytes" as const,
      value,
      get chunks() {
        return encode();
      },
    },
  });
  if (result.type === "object") {
    const { object, status } = result;
    return reply(
      status,
      () => shared(object),
      () => [writer.object(object)],
    );
  }
  if (result.type !== "list") return undefined;
  const { page } = result;
  const { apiVersion, version } = target;
  const kind = `${version.handle.kind}List`;
  const value = () => ({
    kind,
    apiVersion,
    metadata: listMeta(page),
    items: page.items.map(shared),
  });
  return reply(200, value, () => listChunks(writer.listAtOnce(page)));
}

function watchReply(
  run: (target: WatchTarget) => Promise<void>,
  writer: ObjectWriter,
  resource: VersionedResource,
): Reply {
  return {
    status: 200,
    headers: { "content-type": writer.watchContentType ?? writer.contentType },
    body: { type: "stream", write: (sink) => run(watchTarget(sink, writer, resource)) },
  };
}

function watchTarget(sink: Sink, writer: ObjectWriter, resource: VersionedResource): WatchTarget {
  const { event } = sink;
  const frames =
    event && writer.shared
      ? sharedTarget(event, writer.shared, resource)
      : new FrameTarget(sink, writer, resource);
  return new PreparingTarget(frames, sink, resource);
}

/** Destination of events that are in the version of the watch. */
interface PreparedTarget extends Omit<WatchTarget, "event"> {
  readonly event: (event: PreparedEvent, frames: Map<string, Uint8Array>) => void;
}

/**
 * Queues events until they are converted, in order; a failure ends the watch, as in upstream. Without a webhook,
 * nothing waits.
 */
class PreparingTarget implements WatchTarget {
  readonly #frames: PreparedTarget;
  readonly #sink: Sink;
  readonly #resource: VersionedResource;
  /** Events after a waiting one wait, too. */
  #last: Promise<void> | undefined;

  constructor(frames: PreparedTarget, sink: Sink, resource: VersionedResource) {
    this.#frames = frames;
    this.#sink = sink;
    this.#resource = resource;
  }

  event(event: SelectedEvent, frames: Map<string, Uint8Array>): void {
    const prepared = findPrepared(event, this.#resource);
    if (prepared) this.#frames.event(prepared, frames);
    else {
      this.#wait(async () => {
        this.#frames.event(await prepareEvent(event, this.#resource), frames);
      });
    }
  }

  bookmark(revision: number, initialEnd: boolean): void {
    this.#inOrder(() => this.#frames.bookmark(revision, initialEnd));
  }

  error(error: StatusError): void {
    this.#inOrder(() => this.#frames.error(error));
  }

  flush(): void {
    this.#inOrder(() => this.#frames.flush());
  }

  async drained(): Promise<void> {
    await this.#last;
    await this.#frames.drained();
  }

  #inOrder(step: () => void): void {
    if (this.#last) this.#wait(async () => step());
    else step();
  }

  #wait(step: () => Promise<void>): void {
    const before = this.#last ?? Promise.resolve();
    this.#last = before.then(step).catch((error: Error) => this.#sink.close(error));
  }
}

/** Delivers events without encoding. */
function sharedTarget(
  send: NonNullable<Sink["event"]>,
  shared: NonNullable<ObjectWriter["shared"]>,
  resource: VersionedResource,
): PreparedTarget {
  return {
    event: ({ type, object }) => send(type, shared(object)),
    bookmark: (revision, initialEnd) =>
      send("BOOKMARK", bookmarkObject(resource, revision, initialEnd)),
    error: (error) => send("ERROR", error.status),
    flush: () => undefined,
    drained: () => Promise.resolve(),
  };
}

/** Writes events to a client, those of one batch together. */
class FrameTarget implements PreparedTarget {
  readonly #sink: Sink;
  readonly #writer: ObjectWriter;
  readonly #resource: VersionedResource;
  #waiting: Uint8Array[] = [];

  constructor(sink: Sink, writer: ObjectWriter, resource: VersionedResource) {
    this.#sink = sink;
    this.#writer = writer;
    this.#resource = resource;
  }

  event({ type, object }: PreparedEvent, frames: Map<string, Uint8Array>): void {
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

  drained(): Promise<void> {
    return this.#sink.drained();
  }
}
