/** Frame types (RFC 9113, section 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 };

/** Error codes of streams and connections (RFC 9113, section 7). */
export const errorCodes = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

/** Setting identifiers (RFC 9113, section 6.5.2). */
export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
export const frameHeadBytes = 9;
/** Limit of a frame (bytes) that every peer accepts. */
export const defaultFrameBytes = 16_384;
/** The initial window of streams and connections (bytes). */
export const defaultWindowBytes = 65_535;
export const maxWindowBytes = 2 ** 31 - 1;

/** A protocol violation of the peer; the connection ends with this code. */
export class ConnectionError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** A frame's payload without padding. */
export function unpadded({ flags: frameFlags, payload }: Frame): Buffer {
  if (!(frameFlags & flags.padded)) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) {
    throw new ConnectionError(errorCodes.protocolError, "nothing but padding");
  }
  return payload.subarray(1, payload.length - padding);
}

/** Writes a frame's head into a buffer; returns the offset of its payload. */
export function writeFrameHead(out: Buffer, at: number, head: FrameHead): number {
  const { length, type, streamId } = head;
  out[at] = length >>> 16;
  out[at + 1] = length >>> 8;
  out[at + 2] = length;
  out[at + 3] = type;
  out[at + 4] = head.flags;
  out.writeUInt32BE(streamId, at + 5);
  return at + frameHeadBytes;
}

interface FrameHead {
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
}

/** A frame of 32-bit numbers, as most control frames are. */
export function numbersFrame(
  type: number,
  streamId: number,
  ...numbers: readonly number[]
): Buffer {
  const length = 4 * numbers.length;
  const frame = Buffer.allocUnsafe(frameHeadBytes + length);
  let at = writeFrameHead(frame, 0, { length, type, flags: 0, streamId });
  for (const number of numbers) at = frame.writeUInt32BE(number >>> 0, at);
  return frame;
}

/** A SETTINGS frame of identifiers and values. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const length = 6 * settings.length;
  const frame = Buffer.allocUnsafe(frameHeadBytes + length);
  const head = { length, type: frameTypes.settings, flags: 0, streamId: 0 };
  let at = writeFrameHead(frame, 0, head);
  for (const [id, value] of settings) {
    at = frame.writeUInt16BE(id, at);
    at = frame.writeUInt32BE(value, at);
  }
  return frame;
}

/** The acknowledgement of a frame. */
export function ackFrame(type: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadBytes + payload.length);
  const head = { length: payload.length, type, flags: flags.ack, streamId: 0 };
  frame.set(payload, writeFrameHead(frame, 0, head));
  return frame;
}
