import type { Clock } from "#/std/clock.ts";
import { FileContent } from "#/std/file-content.ts";

/** What one end of TLS shows, and whom it trusts. */
export interface Identity {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly ca?: string | Buffer;
}

/** Certificates in files, as they are now: whoever renews them need not restart the server. */
export class CertificateFiles implements Disposable {
  readonly #files: Readonly<Record<keyof Identity, FileContent<Buffer> | undefined>>;

  /** Throws if a file can't be read; "" for none. */
  constructor(files: { readonly [part in keyof Identity]?: string }, clock: Clock) {
    const open = (file = "") =>
      file === "" ? undefined : new FileContent(file, (bytes) => bytes, clock);
    this.#files = { cert: open(files.cert), key: open(files.key), ca: open(files.ca) };
  }

  get current(): Identity {
    const { cert, key, ca } = this.#files;
    return {
      ...(cert && key ? { cert: cert.value, key: key.value } : {}),
      ...(ca ? { ca: ca.value } : {}),
    };
  }

  [Symbol.dispose](): void {
    for (const file of Object.values(this.#files)) file?.[Symbol.dispose]();
  }
}
