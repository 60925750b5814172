import type { IncomingMessage } from "node:http";
import { request as tlsRequest } from "node:https";
import type { Credentials } from "#/client/transport/credentials.ts";
import { FileContent } from "#/std/files/file-content.ts";
import { Agent, request as plainRequest } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import { type Trust, trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";

/** Limit of a kubelet's metrics (bytes): those of 1,000 containers have about 0.5 MB. */
const maxBodyBytes = 32 * 1024 * 1024;

/** The flags of connections to kubelets. */
interface KubeletAccess {
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
  readonly "kubelet-insecure-tls": boolean;
}

/** Reads from kubelets over connections that are kept. */
export class KubeletClient implements Disposable {
  readonly #access: KubeletAccess;
  readonly #credentials: Credentials | undefined;
  readonly #files = new DisposableStack();
  readonly #trust: () => Trust | undefined;
  readonly #proof: () => { readonly cert?: string | Buffer; readonly key?: string | Buffer };
  readonly #secure = new TrustingAgent({ keepAlive: true });
  readonly #plain = new Agent({ keepAlive: true });

  /** Without flags for them, the credentials are those for the API server. */
  constructor(access: KubeletAccess, credentials: Credentials | undefined, clock: Clock) {
    const open = <T>(path: string, parse: (bytes: Buffer) => T): (() => T) | undefined => {
      if (path === "") return undefined;
      const file = this.#files.use(new FileContent(path, parse, clock));
      return () => file.value;
    };
    this.#access = access;
    this.#credentials = credentials;
    this.#trust = open(access["kubelet-certificate-authority"], trustOf) ?? (() => undefined);
    const cert = open(access["kubelet-client-certificate"], (bytes) => bytes);
    const key = open(access["kubelet-client-key"], (bytes) => bytes);
    this.#proof = () => (cert && key ? { cert: cert(), key: key() } : {});
  }

  [Symbol.dispose](): void {
    this.#files.dispose();
    this.#secure.destroy();
    this.#plain.destroy();
  }

  /** The text at a URL. Throws an error with the reason if there is none. */
  async read(url: URL, signal: AbortSignal): Promise<string> {
    try {
      const response = await this.#send(url, signal);
      if (response.statusCode === 200) return await readText(response);
      response.resume();
      throw new Error(
        `request failed, status: "${response.statusCode} ${response.statusMessage ?? ""}"`,
      );
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
      throw new Error(`Get "${url.href}": ${dialFailure(error, url.host)}`, { cause: error });
    }
  }

  async #send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const answered = Promise.withResolvers<IncomingMessage>();
    const request =
      url.protocol === "http:"
        ? plainRequest(url, { agent: this.#plain, signal })
        : tlsRequest(url, { agent: this.#secure, signal, ...(await this.#tls()) });
    request.once("response", answered.resolve).once("error", answered.reject).end();
    return await answered.promise;
  }

  /** The credentials of the flags; those of the kubeconfig where they have none. */
  async #tls() {
    const given = await this.#credentials?.tls();
    const headers = await this.#credentials?.headers();
    const proof = this.#proof();
    const { cert, key } = proof.cert ? proof : { cert: given?.cert, key: given?.key };
    const trust = this.#trust() ?? (given?.ca ? trustOf(given.ca) : undefined);
    const isInsecure = this.#access["kubelet-insecure-tls"];
    return {
      headers: headers?.authorization ? { authorization: headers.authorization } : {},
      ...(cert && key ? { cert, key } : {}),
      ...(trust ? { trust } : {}),
      ...(isInsecure ? { rejectUnauthorized: false } : {}),
    };
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error(`response has more than ${maxBodyBytes} bytes`);
  }
  return Buffer.concat(chunks).toString();
}
