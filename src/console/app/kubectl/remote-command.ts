import type { Status } from "#/api/meta/v1.ts";
import type { CommandStreams, RemoteCommand } from "#/client/streaming/remote-command.ts";
import { type ApiRequest, formatQuery, type Transport } from "#/client/transport/transport.ts";
import { ByteQueue } from "../base/byte-queue.ts";
import { openRemoteCommand as open } from "../data/remote-command.ts";

/** What kubectl uses of the streams of a command. */
interface PageCommand extends Omit<RemoteCommand, "stdin" | "stdout" | "stderr"> {
  readonly stdin: CommandInput | undefined;
  readonly stdout: AsyncIterable<Uint8Array> | undefined;
  readonly stderr: AsyncIterable<Uint8Array> | undefined;
}

interface CommandInput {
  readonly destroyed: boolean;
  on(): void;
  off(): void;
  write(chunk: Uint8Array): boolean;
  end(): void;
}

/** Opens the streams of an exec or attach request, over a WebSocket of the browser. */
export async function openRemoteCommand(
  transport: Transport,
  request: ApiRequest,
  streams: CommandStreams,
): Promise<PageCommand> {
  // Refuses what a WebSocket of a browser cannot carry.
  await transport.upgrade(request, []);
  const { path, query } = request;
  const stop = new AbortController();
  const output = { stdout: new ByteQueue(), stderr: new ByteQueue() };
  const command = open({
    path: path + formatQuery(query),
    signal: stop.signal,
    output: (bytes, stream) => output[stream].push(bytes),
  });
  const status = command.ended.then((end) => {
    output.stdout.end();
    output.stderr.end();
    return end.status ?? failure(end.message);
  });
  await command.opened;
  const input: CommandInput = {
    destroyed: false,
    on: () => undefined,
    off: () => undefined,
    write(chunk) {
      command.write(chunk as Uint8Array<ArrayBuffer>);
      return true;
    },
    end: () => command.endInput(),
  };
  return {
    stdin: streams.stdin ? input : undefined,
    stdout: streams.stdout ? output.stdout : undefined,
    stderr: streams.stderr && !streams.tty ? output.stderr : undefined,
    status,
    resize: ({ width, height }) => command.resize({ columns: width, rows: height }),
    close: () => stop.abort(),
  };
}

const failure = (message: string): Status => ({
  metadata: {},
  status: "Failure",
  message: message || "the connection was lost",
});

/** The exit code in a Status; 0 for success, undefined if there is none. */
export function exitCodeOf({ status, reason, details }: Status): number | undefined {
  if (status === "Success") return 0;
  if (reason !== "NonZeroExitCode") return undefined;
  const cause = details?.causes?.find((one) => one.reason === "ExitCode");
  return cause?.message === undefined ? undefined : Number(cause.message);
}
