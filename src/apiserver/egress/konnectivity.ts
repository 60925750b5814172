/** Upstream: sigs.k8s.io/apiserver-network-proxy/konnectivity-client. */
import { Duplex } from "node:stream";
import { randomInt, systemRandom } from "#/std/base/random.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type BidiCall, serviceClient } from "#/std/grpc/grpc-client.ts";
import type { Decoded, Encodable } from "#/std/protobuf/protobuf.ts";
import { type Packet, ProxyService } from "./konnectivity-service.ts";

type PacketIn = Encodable<typeof Packet>;

type PacketOut = Decoded<typeof Packet>;

/** A connection to an address through konnectivity's server at a unix socket; an abort of the signal ends it. */
export async function dialKonnectivity(
  socketPath: string,
  address: string,
  signal: AbortSignal,
): Promise<Duplex> {
  const channel = openChannel({ address: `unix://${socketPath}` });
  const call = serviceClient(ProxyService, channel).Proxy({ signal });
  const random = randomInt(systemRandom, Number.MAX_SAFE_INTEGER);
  const packets = packetsOf(call);
  try {
    const dialRequest = { protocol: "tcp", address, random };
    await call.write({ type: "DIAL_REQ", dialRequest });
    for (;;) {
      const { done, value } = await packets.next();
      if (done) throw new Error("the proxy has ended the call");
      const answer = value.type === "DIAL_RSP" ? value.dialResponse : undefined;
      if (!answer || answer.random !== random) continue;
      if (answer.error !== "") throw new Error(answer.error);
      return new TunnelledConnection(call, packets, answer.connectID, () => channel.close());
    }
  } catch (error) {
    call[Symbol.dispose]();
    channel.close();
    throw signal.aborted ? signal.reason : error;
  }
}

async function* packetsOf(
  call: BidiCall<PacketIn, PacketOut>,
): AsyncGenerator<PacketOut, undefined> {
  for await (const together of call) yield* together;
  return undefined;
}

/** A connection inside a call, with the methods of a socket that HTTP's agents use. */
class TunnelledConnection extends Duplex {
  readonly #call: BidiCall<PacketIn, PacketOut>;
  readonly #packets: AsyncGenerator<PacketOut, undefined>;
  readonly #connectID: number;
  readonly #onClosed: () => void;
  #isReading = false;
  // Socket options that a call does not have.
  readonly setKeepAlive = (): this => this;
  readonly setNoDelay = (): this => this;
  readonly setTimeout = (): this => this;
  readonly ref = (): this => this;
  readonly unref = (): this => this;

  constructor(
    call: BidiCall<PacketIn, PacketOut>,
    packets: AsyncGenerator<PacketOut, undefined>,
    connectID: number,
    onClosed: () => void,
  ) {
    super();
    this.#call = call;
    this.#packets = packets;
    this.#connectID = connectID;
    this.#onClosed = onClosed;
  }

  override _read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#readOn().then(
      () => {
        this.#isReading = false;
      },
      (error: Error) => this.destroy(error),
    );
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#packets.next();
      if (done || value.type === "CLOSE_RSP" || value.type === "CLOSE_REQ") {
        this.push(null);
        return;
      }
      if (value.type !== "DATA" || !value.data) continue;
      if (value.data.error !== "") throw new Error(value.data.error);
      if (!this.push(value.data.data)) return;
    }
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: (error?: Error) => void): void {
    const data = { connectID: this.#connectID, data: chunk };
    this.#call.write({ type: "DATA", data }).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error) => void): void {
    const closeRequest = { connectID: this.#connectID };
    this.#call.write({ type: "CLOSE_REQ", closeRequest }).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#call[Symbol.dispose]();
    this.#onClosed();
    callback(error);
  }
}
