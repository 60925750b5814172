import { GrpcError } from "#/std/grpc/grpc.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import type { Clock } from "#/std/time/clock.ts";
import { contentService, type Image, type Info, imagesService, leasesService } from "./services.ts";

/** Limit of a message of the runtime (bytes): it sends content in pieces of a megabyte. */
const maxMessageBytes = 16 << 20;
/** Limit of the time (ms) for an answer. */
const answerMs = 30_000;
/** How long content stays that no image refers to yet (ms): a client that pushes is done by then. */
const leaseMs = 24 * 3600 * 1000;

interface StoreOptions {
  /** unix:///… */
  readonly address: string;
  /** containerd's namespace: that of CRI, so that images are on the node as soon as they are pushed. */
  readonly namespace: string;
  readonly clock: Clock;
}

/** A piece of content that is being written, in order. */
export interface ContentWriter {
  /** The number of bytes that are there already. */
  readonly offset: number;
  write(data: Uint8Array): Promise<void>;
  /**
   * Adds it to the store; throws FAILED_PRECONDITION if its digest is another one, ALREADY_EXISTS
   * if the store has it.
   */
  commit(expected: string, labels: Readonly<Record<string, string>>): Promise<void>;
}

/** Content, images and leases of a containerd. */
export class ContentStore implements Disposable {
  readonly #options: StoreOptions;
  readonly #channel: ReturnType<typeof openChannel>;
  readonly #content: ServiceClient<typeof contentService>;
  readonly #images: ServiceClient<typeof imagesService>;
  readonly #leases: ServiceClient<typeof leasesService>;

  constructor(options: StoreOptions) {
    this.#options = options;
    const { address } = options;
    this.#channel = openChannel({ address, maxReceiveBytes: maxMessageBytes });
    const deadlines = { deadlineMs: () => answerMs };
    this.#content = serviceClient(contentService, this.#channel, deadlines);
    this.#images = serviceClient(imagesService, this.#channel, deadlines);
    this.#leases = serviceClient(leasesService, this.#channel, deadlines);
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }

  async info(digest: string): Promise<Info | undefined> {
    const found = await orNothing(this.#content.Info({ digest }, this.#call()));
    return found?.info;
  }

  /** Content with labels, such as `labels."a"==b`. */
  async *list(filter: string): AsyncGenerator<Info> {
    for await (const { info } of this.#content.List({ filters: [filter] }, this.#call())) {
      yield* info;
    }
  }

  async *read(digest: string, offset = 0, size = 0): AsyncGenerator<Buffer> {
    const request = { digest, offset, size };
    for await (const { data } of this.#content.Read(request, this.#call())) {
      if (data.length > 0) yield Buffer.from(data);
    }
  }

  /** Sets a label; "" removes it. */
  async setLabel({ digest }: Info, name: string, value: string): Promise<void> {
    const info = { digest, labels: { [name]: value } };
    await this.#content.Update({ info, updateMask: { paths: [`labels.${name}`] } }, this.#call());
  }

  /** Bytes of content that is being written; undefined if there is none. */
  async offset(ref: string): Promise<number | undefined> {
    const found = await orNothing(this.#content.Status({ ref }, this.#call()));
    return found?.status?.offset;
  }

  /** The number of pieces that are being written. */
  async countWriting(prefix: string): Promise<number> {
    const { statuses } = await this.#content.ListStatuses({ filters: [] }, this.#call());
    return statuses.filter(({ ref }) => ref.includes(prefix)).length;
  }

  async abort(ref: string): Promise<void> {
    await orNothing(this.#content.Abort({ ref }, this.#call()));
  }

  /** Writes content, as a new piece or where it ended; it stays as a piece if the function does not commit it. */
  async write<T>(
    { ref, lease }: { readonly ref: string; readonly lease: string },
    work: (writer: ContentWriter) => Promise<T>,
  ): Promise<T> {
    using call = this.#content.Write({ metadata: this.#metadata(lease) });
    const responses = call[Symbol.asyncIterator]();
    const answer = async () => {
      const { value, done } = await responses.next();
      if (done) throw new GrpcError("UNAVAILABLE", "the content store has closed the call");
      return value.at(-1) ?? { offset: 0, digest: "" };
    };
    try {
      await call.write({ action: "STAT", ref });
      let { offset } = await answer();
      return await work({
        get offset() {
          return offset;
        },
        async write(data) {
          await call.write({ action: "WRITE", ref, offset, data });
          await answer();
          offset += data.length;
        },
        async commit(expected, labels) {
          // containerd does not compare the content with a digest that it has already.
          await call.write({ action: "STAT", ref });
          const { digest } = await answer();
          if (digest !== expected) throw new GrpcError("FAILED_PRECONDITION", `it is ${digest}`);
          await call.write({ action: "COMMIT", ref, offset, total: offset, expected, labels });
          await answer();
        },
      });
    } finally {
      using _limit = this.#options.clock.setTimer(answerMs, () => call[Symbol.dispose]());
      call.end();
      await ended(responses);
    }
  }

  async image(name: string): Promise<Image | undefined> {
    return (await orNothing(this.#images.Get({ name }, this.#call())))?.image;
  }

  async images(filter: string): Promise<readonly Image[]> {
    return (await this.#images.List({ filters: [filter] }, this.#call())).images;
  }

  /** Makes a name mean a manifest. */
  async setImage(image: { name: string; target: NonNullable<Image["target"]> }): Promise<void> {
    const wanted = { ...image, labels: {} };
    try {
      await this.#images.Create({ image: wanted }, this.#call());
    } catch (error) {
      if (!(error instanceof GrpcError) || error.code !== "ALREADY_EXISTS") throw error;
      const updateMask = { paths: ["target"] };
      await this.#images.Update({ image: wanted, updateMask }, this.#call());
    }
  }

  async removeImage(name: string): Promise<boolean> {
    return (await orNothing(this.#images.Delete({ name }, this.#call()))) !== undefined;
  }

  /** Keeps content that is written with the lease, for a day. */
  async addLease(id: string): Promise<void> {
    const until = new Date(this.#options.clock.now() + leaseMs).toISOString();
    await this.#leases.Create({ id, labels: { "containerd.io/gc.expire": until } }, this.#call());
  }

  /** Keeps content that is there already as long as a lease. */
  async lease(lease: string, digest: string): Promise<void> {
    const resource = { id: digest, type: "content" };
    await this.#leases.AddResource({ id: lease, resource }, this.#call());
  }

  async removeLease(id: string): Promise<void> {
    await orNothing(this.#leases.Delete({ id }, this.#call()));
  }

  #call() {
    return { metadata: this.#metadata("") };
  }

  #metadata(lease: string): Readonly<Record<string, string>> {
    const { namespace } = this.#options;
    const own = { "containerd-namespace": namespace };
    return lease === "" ? own : { ...own, "containerd-lease": lease };
  }
}

/**
 * Waits until containerd has closed the piece: it still writes to its folder until then, so that an
 * abort fails, and holds its name, so that the next call is refused.
 */
async function ended(responses: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await responses.next()).done);
  } catch {
    // The call has failed, and its error is known to the caller: the piece is closed as well.
  }
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GrpcError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}
