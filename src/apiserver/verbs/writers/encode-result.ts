import type { StatusError } from "#/machinery/meta/status-error.ts";
import { bytesReply, type Reply, type Sink } from "../../model/exchange.ts";
import type { Page, Result, SelectedEvent, WatchTarget } from "../../registry/result.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import { bookmarkObject, jsonWriter, listMeta, type ObjectWriter } from "./object-writer.ts";

/** What a client may leave unread before its watch is closed: memory is not the place to wait for slow clients. */
const slowWatcherBytes = 16 * 1024 * 1024;

/** Converts what a webhook must convert before it can be written; undefined when there is nothing to wait for. */
export function prepareResult(
  result: Result,
  { version }: VersionedResource,
): Promise<void> | undefined {
  if (!version.prepare) return undefined;
  if (result.type === "object") return version.prepare([result.object.parsed()]);
  if (result.type === "list")
    return version.prepare(result.page.items.map((item) => item.parsed()));
  return undefined;
}

/** Puts what a verb has to say into what the client accepts. */
export function encodeResult(
  result: Result,
  writer: ObjectWriter,
  target: VersionedResource,
  takesObjects = false,
): Reply | Promise<Reply> {
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

async function listReply(writer: ObjectWriter, page: Page): Promise<Reply> {
  return bytesReply(200, writer.contentType, await writer.list(page));
}

/** An answer that is encoded only if somebody (audit) wants to see its bytes. */
function sharedReply(
  result: Result,
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
  return reply(200, value, () => writer.listAtOnce(page));
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
  const { prepare } = resource.version;
  return prepare ? new PreparingTarget(frames, sink, prepare) : frames;
}

/** Lets events wait for their conversion, in order; a failure ends the watch, as upstream does it. */
class PreparingTarget implements WatchTarget {
  readonly #frames: WatchTarget;
  readonly #sink: Sink;
  readonly #prepare: NonNullable<VersionedResource["version"]["prepare"]>;
  #last: Promise<void> = Promise.resolve();

  constructor(
    frames: WatchTarget,
    sink: Sink,
    prepare: NonNullable<VersionedResource["version"]["prepare"]>,
  ) {
    this.#frames = frames;
    this.#sink = sink;
    this.#prepare = prepare;
  }

  event(event: SelectedEvent, frames: Map<string, Uint8Array>): void {
    this.#then(async () => {
      await this.#prepare([event.object.parsed()]);
      this.#frames.event(event, frames);
    });
  }

  bookmark(revision: number, initialEnd: boolean): void {
    this.#then(() => this.#frames.bookmark(revision, initialEnd));
  }

  error(error: StatusError): void {
    this.#then(() => this.#frames.error(error));
  }

  flush(): void {
    this.#then(() => this.#frames.flush());
  }

  async drained(): Promise<void> {
    await this.#last;
    await this.#frames.drained();
  }

  #then(step: () => Promise<void> | void): void {
    this.#last = this.#last.then(step).catch((error: Error) => this.#sink.close(error));
  }
}

/** Hands events over as they are. */
function sharedTarget(
  send: NonNullable<Sink["event"]>,
  shared: NonNullable<ObjectWriter["shared"]>,
  resource: VersionedResource,
): WatchTarget {
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

  drained(): Promise<void> {
    return this.#sink.drained();
  }
}
