import type { VersionedResource } from "../registry/served-resource.ts";
import type { StoredObject } from "../registry/stored-object.ts";
import type { ApiObject } from "../registry/strategy.ts";
import type { Page } from "./list.ts";

/** Puts objects of one resource version into one media type. */
export interface ObjectWriter {
  readonly contentType: string;
  /** Content type of a stream of events. */
  readonly watchContentType: string;
  /** Tells frames apart that are shared between watchers. */
  readonly form: string;
  /** One object as a whole body. */
  object(object: StoredObject): Uint8Array;
  /** Something that is not stored, of the kind of the endpoint or another. */
  value(value: object): Uint8Array;
  list(page: Page): readonly Uint8Array[];
  /** One event of a watch. */
  frame(type: string, object: StoredObject): Uint8Array;
  /** An event about something that is not stored: a Status or a bookmark. */
  valueFrame(type: string, value: object): Uint8Array;
}

const comma = Buffer.from(",");
const nextTyped = Buffer.from(",{");
const listEnd = Buffer.from("]}\n");
const frameEnd = Buffer.from("}\n");
const frameStarts = new Map<string, Buffer>();

/** JSON objects as they are stored: bytes are copied, nothing is encoded again. */
export class JsonWriter implements ObjectWriter {
  readonly contentType = "application/json";
  readonly watchContentType = "application/json";
  readonly form: string;
  readonly #target: VersionedResource;
  readonly #pretty: boolean;

  constructor(target: VersionedResource, pretty: boolean) {
    this.#target = target;
    this.#pretty = pretty;
    this.form = `json ${target.apiVersion}`;
  }

  object(object: StoredObject): Uint8Array {
    if (this.#pretty)
      return this.#target.codec.encodeJson(this.#target.fromStored(object.object), true);
    return this.#json(object);
  }

  value(value: object): Uint8Array {
    return this.#target.codec.encodeValue(value, this.#pretty);
  }

  list(page: Page): readonly Uint8Array[] {
    const chunks: Uint8Array[] = [this.#listStart(page)];
    const skipped = this.#typeBytes();
    const between = skipped > 0 ? nextTyped : comma;
    for (const [index, item] of page.items.entries()) {
      chunks.push(
        index > 0 ? between : between.subarray(1),
        this.#json(item).subarray(skipped, -1),
      );
    }
    chunks.push(listEnd);
    if (!this.#pretty) return chunks;
    const value = JSON.parse(Buffer.concat(chunks).toString()) as object;
    return [Buffer.from(`${JSON.stringify(value, null, 2)}`)];
  }

  frame(type: string, object: StoredObject): Uint8Array {
    return Buffer.concat([frameStart(type), this.#json(object).subarray(0, -1), frameEnd]);
  }

  valueFrame(type: string, value: object): Uint8Array {
    return Buffer.concat([
      frameStart(type),
      this.#target.codec.encodeValue(value, false).subarray(0, -1),
      frameEnd,
    ]);
  }

  #json(object: StoredObject): Uint8Array {
    if (this.#target.isStored) return object.json;
    return object.encoded(this.form, (stored) =>
      this.#target.codec.encodeJson(this.#target.fromStored(stored)),
    );
  }

  /** Items of built-in kinds leave out their own kind and apiVersion, which every one of them begins with. */
  #typeBytes(): number {
    if (this.#target.schema.name === undefined) return 0;
    return Buffer.byteLength(
      `{"kind":"${this.#target.version.handle.kind}","apiVersion":"${this.#target.apiVersion}",`,
    );
  }

  #listStart({ revision, continueToken, remaining }: Page): Uint8Array {
    const { handle } = this.#target.version;
    const metadata = {
      resourceVersion: String(revision),
      ...(continueToken === "" ? {} : { continue: continueToken }),
      ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
    };
    const head = { kind: `${handle.kind}List`, apiVersion: this.#target.apiVersion, metadata };
    return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  }
}

function frameStart(type: string): Buffer {
  let start = frameStarts.get(type);
  if (!start) {
    start = Buffer.from(`{"type":"${type}","object":`);
    frameStarts.set(type, start);
  }
  return start;
}

/** A bookmark: an object with nothing but a version. */
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
