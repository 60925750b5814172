import {
  ConnectionError,
  errorCodes,
  type Frame,
  flags,
  frameHeadBytes,
  frameTypes,
  unpadded,
} from "./frame.ts";
import { HeadersTooLargeError, HpackDecoder } from "./hpack-decoder.ts";

/** Header fields of one stream: of a request or response, or its trailers. */
export interface Headers {
  readonly streamId: number;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly endsStream: boolean;
}

/** Received fields, maybe of several frames. */
interface HeaderBlock {
  readonly streamId: number;
  readonly endsStream: boolean;
  readonly parts: Buffer[];
  bytes: number;
}

/** Assembles the header fields of one connection. */
export class HeaderReader {
  readonly #limitBytes: number;
  readonly #decoder: HpackDecoder;
  #block: HeaderBlock | undefined;

  /** Limit of the fields of one stream (bytes). */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#decoder = new HpackDecoder(limitBytes);
  }

  /** Throws if a header block is incomplete and this frame doesn't continue it. */
  check({ type, streamId }: Frame): void {
    if (!this.#block) return;
    if (type === frameTypes.continuation && streamId === this.#block.streamId) return;
    throw new ConnectionError(errorCodes.protocolError, "header fields are cut off");
  }

  /** The fields that a HEADERS or CONTINUATION frame completes. */
  take(frame: Frame): Headers | undefined {
    const isFirst = frame.type === frameTypes.headers;
    const block = isFirst ? begin(frame) : this.#block;
    if (!block) throw new ConnectionError(errorCodes.protocolError, "nothing to continue");
    const payload = isFirst ? withoutPriority(frame) : frame.payload;
    block.parts.push(payload);
    block.bytes += frameHeadBytes + payload.length; // Empty frames count towards the limit, too.
    if (block.bytes > this.#limitBytes) throw new HeadersTooLargeError("too many header fields");
    this.#block = frame.flags & flags.endHeaders ? undefined : block;
    if (this.#block) return undefined;
    const { streamId, endsStream, parts } = block;
    const [first] = parts;
    const whole = parts.length === 1 && first ? first : Buffer.concat(parts);
    return { streamId, fields: this.#decoder.decode(whole), endsStream };
  }
}

function begin({ streamId, flags: frameFlags }: Frame): HeaderBlock {
  return { streamId, endsStream: (frameFlags & flags.endStream) !== 0, parts: [], bytes: 0 };
}

function withoutPriority(frame: Frame): Buffer {
  const payload = unpadded(frame);
  return frame.flags & flags.priority ? payload.subarray(5) : payload;
}
