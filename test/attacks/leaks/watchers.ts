import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { nextTurn } from "#/std/time/clock.ts";

/** Streams of one connection: the limit of the server. */
const streamsPerConnection = 100;

/** Many watches of ConfigMaps on a server, over connections as client-go's. */
export class Watchers implements Disposable {
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #streams: ClientHttp2Stream[] = [];
  readonly #token: string;
  #frames = 0;

  private constructor(token: string) {
    this.#token = token;
  }

  /** Opens watches and waits until the server has answered each. */
  static async open(port: number, token: string, path: string, count: number): Promise<Watchers> {
    const watchers = new Watchers(token);
    for (let opened = 0; opened < count; opened += streamsPerConnection) {
      const size = Math.min(streamsPerConnection, count - opened);
      await watchers.#connect(port, path, size);
    }
    return watchers;
  }

  async #connect(port: number, path: string, count: number): Promise<void> {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    this.#sessions.push(session);
    const answers = Array.from({ length: count }, () => this.#watch(session, path));
    await Promise.all(answers);
  }

  #watch(session: ClientHttp2Session, path: string): Promise<void> {
    const stream = session.request({ ":path": path, authorization: `Bearer ${this.#token}` });
    this.#streams.push(stream);
    stream.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) this.#frames++;
    });
    return new Promise((resolve, reject) => {
      stream.on("error", reject);
      stream.once("response", ({ ":status": status }) => {
        if (status === 200) resolve();
        else reject(new Error(`a watch was answered with ${status}`));
      });
    });
  }

  get count(): number {
    return this.#streams.length;
  }

  /** Events that all watches have received together. */
  get frames(): number {
    return this.#frames;
  }

  /** Waits until each watch has received this many events. */
  async untilEach(events: number): Promise<void> {
    while (this.#frames < events * this.count) await nextTurn();
  }

  [Symbol.dispose](): void {
    for (const session of this.#sessions) session.destroy();
  }
}
