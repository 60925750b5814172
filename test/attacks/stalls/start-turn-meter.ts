import { connect } from "node:net";
import { fileURLToPath } from "node:url";

const module = fileURLToPath(new URL("./turn-meter.ts", import.meta.url));

/** The environment of a server whose turns are measured over a socket. */
export const meteredEnvironment = (socketPath: string): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_OPTIONS: `--import=${module}`,
  TURN_METER_SOCKET: socketPath,
});

interface TurnMeter {
  /** Makes the server compute in one turn (ms). */
  compute(durationMs: number): void;
  /** Resolves with the CPU time of the longest turn since the start, in rounds of the same work. */
  stop(): Promise<number>;
}

/** Begins to measure. */
export async function startTurnMeter(socketPath: string): Promise<TurnMeter> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  socket.setEncoding("utf8");
  const parts = socket.iterator() as AsyncIterableIterator<string>;
  await parts.next();
  return {
    compute: (durationMs) => void socket.write(String(durationMs)),
    async stop() {
      socket.end();
      let text = "";
      for await (const part of parts) text += part;
      const [longestMs = Number.NaN, sameWorkMs] = text.split(" ").map(Number);
      return longestMs / (sameWorkMs ?? Number.NaN);
    },
  };
}
