import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { AwsNames } from "./aws-names.ts";
import { decodeQuery, isMutating, isOf, sortLists } from "./query-call.ts";
import type { RecordedCall } from "./recording-proxy.ts";

/** An endpoint of AWS that answers recorded requests with the recorded answers, changes as often as they were recorded. */
export class ReplayServer implements AsyncDisposable {
  readonly calls: RecordedCall[] = [];
  /** Requests that were not recorded. */
  readonly unknown: string[] = [];
  readonly names = new AwsNames();
  readonly #left: Map<string, RecordedCall[]>;
  /** Last answers of calls that read: a program that was interrupted may read once more. */
  readonly #last = new Map<string, RecordedCall>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #interruption: { call: string; left: number; interrupt: () => void } | undefined;

  constructor(recorded: readonly RecordedCall[]) {
    this.#left = Map.groupBy(recorded, keyOf);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  interruptAfter(call: string, nth: number, interrupt: () => void): void {
    this.#interruption = { call, left: nth, interrupt };
  }

  /** Recorded calls that did not come. Of a program that looks from time to time, those that change something. */
  missing(isPeriodic: boolean): string[] {
    const left = [...this.#left.values()].flat();
    return left.filter((call) => !isPeriodic || isMutating(call)).map(keyOf);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { call, params } = decodeQuery((await buffer(request)).toString());
    const named = JSON.parse(this.names.hide(JSON.stringify(params)));
    const key = keyOf({ call, params: sortLists(named) });
    const recorded = this.#left.get(key)?.shift() ?? this.#last.get(key);
    if (!recorded) {
      this.unknown.push(key);
      response.writeHead(400).end("<Response/>");
      return;
    }
    this.calls.push(recorded);
    if (!isMutating(recorded)) this.#last.set(key, recorded);
    if (
      this.#interruption &&
      isOf(recorded, this.#interruption.call) &&
      --this.#interruption.left === 0
    ) {
      this.#interruption.interrupt();
      this.#interruption = undefined;
      return;
    }
    response.writeHead(recorded.status, { "content-type": "text/xml" });
    response.end(this.names.revealParts(recorded.answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function keyOf({ call, params }: Pick<RecordedCall, "call" | "params">): string {
  return `${call} ${JSON.stringify(params)}`;
}
