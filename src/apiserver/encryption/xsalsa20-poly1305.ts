import { timingSafeEqual } from "node:crypto";

const tagBytes = 16;

const sigma = new Uint32Array(new Uint8Array(Buffer.from("expand 32-byte k")).buffer);

/** The tag, then the ciphertext. */
export function seal(secret: Uint8Array, nonce: Uint8Array, value: Uint8Array): Buffer {
  const { macKey, body } = applyStream(secret, nonce, value);
  return Buffer.concat([poly1305(macKey, body), body]);
}

/** Decrypts the result of seal(); throws if it was changed. */
export function open(secret: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer {
  const body = sealed.subarray(tagBytes);
  // The key of the tag is derived from the stream, so that nothing is decrypted before the tag is checked.
  const { macKey } = applyStream(secret, nonce, new Uint8Array());
  if (
    sealed.length < tagBytes ||
    !timingSafeEqual(poly1305(macKey, body), sealed.subarray(0, tagBytes))
  ) {
    throw new Error("output array was not large enough for encryption");
  }
  return Buffer.from(applyStream(secret, nonce, body).body);
}

/** The first 32 bytes of the stream are the key of the tag; the rest is combined with the value by XOR. */
function applyStream(secret: Uint8Array, nonce: Uint8Array, value: Uint8Array) {
  const subkey = hsalsa20(words(secret), words(nonce.subarray(0, 16)));
  const rest = words(nonce.subarray(16, 24));
  const length = 32 + value.length;
  const stream = new Uint8Array(Math.ceil(length / 64) * 64);
  for (let block = 0; block * 64 < length; block++) {
    const input = stateOf(subkey, Uint32Array.of(rest[0] ?? 0, rest[1] ?? 0, block, 0));
    const mixed = rounds(input);
    const out = new Uint32Array(16).map((_, at) => (mixed[at] ?? 0) + (input[at] ?? 0));
    stream.set(new Uint8Array(out.buffer), block * 64);
  }
  const body = new Uint8Array(value.length);
  for (let at = 0; at < value.length; at++) body[at] = (value[at] ?? 0) ^ (stream[32 + at] ?? 0);
  return { macKey: stream.subarray(0, 32), body };
}

function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

function hsalsa20(key: Uint32Array, input: Uint32Array): Uint32Array {
  const mixed = rounds(stateOf(key, input));
  return Uint32Array.from([0, 5, 10, 15, 6, 7, 8, 9], (at) => mixed[at] ?? 0);
}

function stateOf(key: Uint32Array, input: Uint32Array): Uint32Array {
  const state = new Uint32Array(16);
  [0, 5, 10, 15].forEach((at, n) => {
    state[at] = sigma[n] ?? 0;
  });
  state.set(key.subarray(0, 4), 1);
  state.set(input, 6);
  state.set(key.subarray(4, 8), 11);
  return state;
}

const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

function rounds(input: Uint32Array): Uint32Array {
  const x = input.slice();
  const step = (to: number, a: number, b: number, by: number) => {
    const sum = ((x[a] ?? 0) + (x[b] ?? 0)) | 0;
    x[to] = (x[to] ?? 0) ^ ((sum << by) | (sum >>> (32 - by)));
  };
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of quarters) {
      step(b, a, d, 7);
      step(c, b, a, 9);
      step(d, c, b, 13);
      step(a, d, c, 18);
    }
  }
  return x;
}

const prime = (1n << 130n) - 5n;

const clamp = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

function poly1305(key: Uint8Array, message: Uint8Array): Buffer {
  const r = numberOf(key.subarray(0, 16)) & clamp;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * r) % prime;
  }
  const tag = (sum + numberOf(key.subarray(16, 32))) & ((1n << 128n) - 1n);
  return Buffer.from(tag.toString(16).padStart(32, "0"), "hex").reverse();
}

const numberOf = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
