import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { CommandFailure } from "../base/command-failure.ts";
import { ByteBlocks } from "./byte-blocks.ts";

/*
 * A stream that only its passphrase opens; numbers are big-endian:
 *
 *   header  "k8ts sealed\n" · format version u32 · scrypt's N as a power of two u8, r u8, p u8 · salt (16 bytes) ·
 *           check (16 bytes): a wrong passphrase is no damage
 *   block   1 for the last one, else 0 (u8) · length of the text u32 · AES-256-GCM of it with its tag (16 bytes)
 *
 * The nonce of a block is its number: the key is used for one stream only. A block's head is authenticated with it, so
 * blocks can't be left out, swapped, or cut off at the end.
 */
const magic = Buffer.from("k8ts sealed\n");
const formatVersion = 1;
const saltSize = 16;
const checkSize = 16;
const headerSize = magic.length + 4 + 3 + saltSize + checkSize;
const tagSize = 16;
const headSize = 5;
/** Text of a block (bytes). */
const blockSize = 256 << 10;

/** Cost of a guess of a passphrase: 64 MiB, and about a fifth of a second. */
const cost = { power: 16, r: 8, p: 1 };
/** Limit of what a file may ask for: 1 GiB. */
const maxCost = { power: 20, r: 8, p: 4 };

/** Encrypts a stream with a passphrase. */
export async function* seal(
  text: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(saltSize);
  const { key, check } = await deriveKey(passphrase, salt, cost);
  const version = Buffer.alloc(4);
  version.writeUInt32BE(formatVersion);
  yield Buffer.concat([magic, version, Buffer.from([cost.power, cost.r, cost.p]), salt, check]);
  const blocks = new ByteBlocks(text);
  for (let number = 0; ; number++) {
    const block = await blocks.upTo(blockSize);
    const isLast = await blocks.atEnd();
    const head = Buffer.alloc(headSize);
    head.writeUInt8(isLast ? 1 : 0);
    head.writeUInt32BE(block.length, 1);
    const cipher = createCipheriv("aes-256-gcm", key, nonce(number));
    cipher.setAAD(head);
    yield Buffer.concat([head, cipher.update(block), cipher.final(), cipher.getAuthTag()]);
    if (isLast) return;
  }
}

/** Whether a stream is sealed, by its first bytes. */
export const isSealed = (start: Uint8Array): boolean =>
  Buffer.from(start.subarray(0, magic.length)).equals(magic);

/** Opens a sealed stream. Rejects at a wrong passphrase, and at anything that was changed. */
export async function* unseal(
  sealed: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const blocks = new ByteBlocks(sealed);
  const header = await exactly(blocks, headerSize);
  if (!isSealed(header) || header.readUInt32BE(magic.length) !== formatVersion) throw damaged();
  const [power = 0, r = 0, p = 0] = header.subarray(magic.length + 4);
  if (power > maxCost.power || r > maxCost.r || p > maxCost.p || power * r * p === 0) {
    throw damaged();
  }
  const salt = header.subarray(magic.length + 7, magic.length + 7 + saltSize);
  const { key, check } = await deriveKey(passphrase, salt, { power, r, p });
  if (!timingSafeEqual(check, header.subarray(-checkSize))) {
    throw new CommandFailure("the passphrase of this snapshot is another one");
  }
  for (let number = 0; ; number++) {
    const head = await exactly(blocks, headSize);
    const size = head.readUInt32BE(1);
    if (size > blockSize) throw damaged();
    const body = await exactly(blocks, size + tagSize);
    yield openBlock(body, { head, key, number });
    if (head[0] === 1) break;
  }
  if (!(await blocks.atEnd())) throw damaged();
}

function openBlock(
  body: Buffer,
  { head, key, number }: { readonly head: Buffer; readonly key: Buffer; readonly number: number },
): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce(number));
  decipher.setAAD(head);
  decipher.setAuthTag(body.subarray(-tagSize));
  try {
    return Buffer.concat([decipher.update(body.subarray(0, -tagSize)), decipher.final()]);
  } catch {
    throw damaged();
  }
}

function nonce(number: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(number), 4);
  return bytes;
}

async function deriveKey(
  passphrase: string,
  salt: Uint8Array,
  { power, r, p }: { readonly power: number; readonly r: number; readonly p: number },
): Promise<{ key: Buffer; check: Buffer }> {
  const options: ScryptOptions = { N: 2 ** power, r, p, maxmem: 2 ** power * r * 256 };
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    scrypt(passphrase.normalize("NFC"), salt, 32 + checkSize, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    ),
  );
  return { key: bytes.subarray(0, 32), check: bytes.subarray(32) };
}

async function exactly(blocks: ByteBlocks, size: number): Promise<Buffer> {
  const bytes = await blocks.upTo(size);
  if (bytes.length < size) throw damaged();
  return bytes;
}

const damaged = (): CommandFailure =>
  new CommandFailure("this snapshot is damaged or incomplete; use another one");
