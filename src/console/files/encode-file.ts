import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The encodings in which a file is sent, the best first. */
const encodings = {
  br: (bytes: Uint8Array): Promise<Uint8Array> =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Uint8Array): Promise<Uint8Array> => promisify(gzip)(bytes, { level: 9 }),
} as const;

/** Of 11: the last two take ten times as long, for a few percent. */
const brotliQuality = 9;

type Encoding = keyof typeof encodings;

/** A file in the encodings that were asked for; each is made once, outside the thread of requests. */
export class EncodedFile {
  readonly type: string;
  readonly #makeText: () => string;
  #bytes: Uint8Array | undefined;
  readonly #encoded = new Map<Encoding, Promise<Uint8Array>>();

  /** The text is made at the first request. */
  constructor(type: string, makeText: () => string) {
    this.type = type;
    this.#makeText = makeText;
  }

  /** The bytes for a client, with the name of their encoding if they have one. */
  async forClient(
    accepted: string,
  ): Promise<{ readonly bytes: Uint8Array; readonly encoding: string | undefined }> {
    const words = accepted.split(",").map((word) => word.split(";")[0]?.trim());
    const encoding = (Object.keys(encodings) as Encoding[]).find((name) => words.includes(name));
    this.#bytes ??= Buffer.from(this.#makeText());
    if (encoding === undefined) return { bytes: this.#bytes, encoding };
    const known = this.#encoded.get(encoding) ?? encodings[encoding](this.#bytes);
    this.#encoded.set(encoding, known);
    return { bytes: await known, encoding };
  }
}
