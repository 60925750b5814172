import {
  ConnectionError,
  defaultFrameBytes,
  errorCodes,
  type Frame,
  frameHeadBytes,
  preface,
} from "./frame.ts";

const noBytes = Buffer.alloc(0);

/** Splits received bytes into frames. Invariant: holds less than one frame. */
export class FrameReader {
  #rest: Buffer = noBytes;
  #prefaceSeen: boolean;

  /** A server's frames have no preface. */
  constructor(isFromServer = false) {
    this.#prefaceSeen = isFromServer;
  }

  /** The frames that end within this chunk; their payloads are views of it. */
  *read(chunk: Buffer): Generator<Frame> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = noBytes;
    if (!this.#prefaceSeen) {
      const seen = Math.min(bytes.length, preface.length);
      if (preface.compare(bytes, 0, seen, 0, seen) !== 0) {
        throw new ConnectionError(errorCodes.protocolError, "no HTTP/2 preface");
      }
      if (bytes.length < preface.length) {
        this.#rest = bytes;
        return;
      }
      this.#prefaceSeen = true;
      bytes = bytes.subarray(preface.length);
    }
    let at = 0;
    while (bytes.length - at >= frameHeadBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > defaultFrameBytes) {
        throw new ConnectionError(errorCodes.frameSizeError, "a frame is too long");
      }
      const end = at + frameHeadBytes + length;
      if (end > bytes.length) break;
      yield {
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        streamId: bytes.readUInt32BE(at + 5) & 0x7fffffff,
        payload: bytes.subarray(at + frameHeadBytes, end),
      };
      at = end;
    }
    if (at < bytes.length) this.#rest = at === 0 ? bytes : bytes.subarray(at);
  }
}
