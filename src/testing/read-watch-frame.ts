import { WireReader } from "#/std/protobuf/protobuf-wire.ts";

/** A watch event with its object still encoded. */
interface WatchFrame {
  readonly type: string;
  /** As encodeProtobuf() writes it. */
  readonly object: Uint8Array;
}

/** Reads the content of a protobuf watch frame, after its length. */
export function readWatchFrame(bytes: Uint8Array): WatchFrame {
  const reader = new WireReader(bytes);
  let type = "";
  let object: Uint8Array = new Uint8Array(0);
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) type = reader.string();
    else if (key === 0x12) object = readRaw(new WireReader(reader.view()));
    else reader.skip(key);
  }
  return { type, object };
}

/** The content of a RawExtension. */
function readRaw(reader: WireReader): Uint8Array {
  let raw: Uint8Array = new Uint8Array(0);
  while (reader.pos < reader.end) {
    const key = reader.key();
    if (key === 0x0a) raw = reader.view();
    else reader.skip(key);
  }
  return raw;
}
