/** Bodies in protobuf that are long to read. */

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A SelfSubjectAccessReview of unknown fields of one byte each. */
export function unknownProtobuf(): Uint8Array {
  const type = Buffer.from(
    "\x0a\x18authorization.k8s.io/v1\x12\x17SelfSubjectAccessReview".replace("\x18", "\x17"),
    "latin1",
  );
  const raw = Buffer.alloc(2_900_000, Buffer.from([0x78, 0x01]));
  const head = Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, type.length]);
  return Buffer.concat([head, type, Buffer.from([0x12]), varint(raw.length), raw]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const record = (number: number, body: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(body);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};
/** An object of v1 with a name, and its other fields. */
const message = (kind: string, rest: Uint8Array): Buffer => {
  const type = Buffer.concat([record(1, "v1"), record(2, kind)]);
  const raw = Buffer.concat([record(1, record(1, "d")), rest]);
  return Buffer.concat([Buffer.from("k8s\0"), record(1, type), record(2, raw)]);
};
/** A ConfigMap of many keys. */
export const protobufMap = (count: number): Buffer =>
  message(
    "ConfigMap",
    Buffer.concat(
      range(count, (index) => record(2, Buffer.concat([record(1, `k${index}`), record(2, "v")]))),
    ),
  );
/** A Pod of many containers, of two bytes each. */
export const emptyContainers = (count: number): Buffer =>
  message("Pod", record(2, Buffer.alloc(2 * count, Buffer.from([0x12, 0]))));
