import type { Credentials, TlsIdentity } from "../transport/credentials.ts";
import type { Headers } from "../transport/transport.ts";

/** Credentials whose code is loaded at their first use: most users have none of that kind. */
export class LazyCredentials implements Credentials {
  readonly #base: Credentials;
  readonly #load: () => Promise<Credentials>;
  #loading: Promise<Credentials> | undefined;
  #loaded: Credentials | undefined;

  /** The base is disposed of if the lazy credentials were never loaded. */
  constructor(base: Credentials, load: () => Promise<Credentials>) {
    this.#base = base;
    this.#load = load;
  }

  async headers(): Promise<Headers> {
    return (await this.#open()).headers();
  }

  async tls(): Promise<TlsIdentity> {
    return (await this.#open()).tls();
  }

  async refused(sent: Headers): Promise<void> {
    await this.#loaded?.refused?.(sent);
  }

  [Symbol.dispose](): void {
    (this.#loaded ?? this.#base)[Symbol.dispose]();
  }

  #open(): Promise<Credentials> {
    this.#loading ??= this.#load().then((loaded) => {
      this.#loaded = loaded;
      return loaded;
    });
    return this.#loading;
  }
}
