import { FileContent } from "#/std/files/file-content.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type Trust, trustOf } from "#/std/tls/trust.ts";

/** The certificate and the trusted authorities of one end of TLS. */
export interface Identity {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly trust?: Trust;
}

/** Certificates in files, read again after a change: a renewal needs no restart of the server. */
export class CertificateFiles implements Disposable {
  readonly #files: Readonly<Record<keyof Identity, FileContent<Buffer> | undefined>>;

  /** Throws if a file can't be read; "" for none. */
  constructor(files: { readonly [part in keyof Identity]?: string }, clock: Clock) {
    const open = (file = "") =>
      file === "" ? undefined : new FileContent(file, (bytes) => bytes, clock);
    this.#files = { cert: open(files.cert), key: open(files.key), trust: open(files.trust) };
  }

  get current(): Identity {
    const { cert, key, trust } = this.#files;
    return {
      ...(cert && key ? { cert: cert.value, key: key.value } : {}),
      ...(trust ? { trust: trustOf(trust.value) } : {}),
    };
  }

  [Symbol.dispose](): void {
    for (const file of Object.values(this.#files)) file?.[Symbol.dispose]();
  }
}
