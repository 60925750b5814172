import { bytesReply, type Reply, type Sink } from "../model/exchange.ts";

/** A reply with a value as JSON. */
export const jsonReply = (status: number, value: object): Reply =>
  bytesReply(status, "application/json", Buffer.from(`${JSON.stringify(value)}\n`));

/** The events of a watch: for clients of this process as objects, for others as lines of JSON. */
export function watchReply(run: (send: Send, signal: AbortSignal) => Promise<void>): Reply {
  const write = (sink: Sink) =>
    run(async (type, object) => {
      if (sink.event) return sink.event(type, object);
      sink.write(Buffer.from(`${JSON.stringify({ type, object })}\n`));
      await sink.drained();
    }, sink.signal);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: { type: "stream", write },
  };
}

export type Send = (type: "ADDED" | "MODIFIED", object: object) => Promise<void> | void;
