import type { AnswerReader, Outgoing } from "../outgoing/answer.ts";

/** Limit of a mirrored body (bytes) while its backend is slow: then the copy is given up, not the request. */
const maxAheadBytes = 1024 * 1024;

/** Copies of a request on their way to backends whose responses are not wanted. */
export class Mirrors {
  readonly #outgoing = new Set<Outgoing>();
  #bytes = 0;

  add(send: (answer: AnswerReader) => Outgoing): void {
    const outgoing = send({
      takeHead: () => undefined,
      takeChunk: () => undefined,
      takeEnd: () => this.#outgoing.delete(outgoing),
      takeSwitch: (_fields, connection) => void connection.destroy(),
      fail: () => this.#outgoing.delete(outgoing),
    });
    this.#outgoing.add(outgoing);
  }

  write(bytes: Buffer): void {
    this.#bytes += bytes.length;
    for (const one of this.#outgoing) {
      if (one.write(bytes) || this.#bytes < maxAheadBytes) continue;
      this.#outgoing.delete(one);
      one.cancel();
    }
  }

  end(): void {
    for (const one of this.#outgoing) one.end();
  }

  cancel(): void {
    for (const one of this.#outgoing) one.cancel();
    this.#outgoing.clear();
  }
}
