import type { Status } from "#/api/meta/v1.ts";
import { authentication, viewedAs } from "../base/session.ts";
import { t } from "../texts/texts.ts";
import { ApiFailure, apiUrl, send } from "./api.ts";

/** Upstream: staging/src/k8s.io/apimachinery/pkg/util/remotecommand. */
const protocol = "v5.channel.k8s.io";
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** A token as a subprotocol: a page can add no header to a WebSocket. Upstream: pkg/util/wsstream. */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a command ended. */
interface CommandEnd {
  /** Undefined if it is unknown: the connection was lost. */
  readonly exitCode: number | undefined;
  readonly message: string;
  /** What the server sent at the end; absent if it sent nothing. */
  readonly status?: Status;
}

interface RemoteCommandOptions {
  /** Of exec or attach, with its query. */
  readonly path: string;
  readonly signal: AbortSignal;
  output(bytes: Uint8Array, stream: "stdout" | "stderr"): void;
}

/** A command in a container, over one WebSocket. */
export interface RemoteCommand {
  /** Resolves once the server has accepted; rejects with its reason if it refuses. */
  readonly opened: Promise<void>;
  /** Resolves when the command or the connection has ended. */
  readonly ended: Promise<CommandEnd>;
  write(text: string | Uint8Array<ArrayBuffer>): void;
  endInput(): void;
  resize(size: TerminalSize): void;
}

/** Throws while the page shows the view of another user, whom a WebSocket of a browser cannot name. */
export function openRemoteCommand(options: RemoteCommandOptions): RemoteCommand {
  if (viewedAs.peek()) throw new Error(t().noShellAsOther);
  const { path, signal } = options;
  const url = apiUrl(path);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url, protocols());
  socket.binaryType = "arraybuffer";
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<CommandEnd>();
  let end: CommandEnd | undefined;
  let isOpen = false;
  socket.onopen = () => {
    isOpen = true;
    opened.resolve();
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const message = new Uint8Array(data);
    const [channel] = message;
    const bytes = message.subarray(1);
    if (bytes.length === 0) return;
    if (channel === channels.stdout) options.output(bytes, "stdout");
    else if (channel === channels.stderr) options.output(bytes, "stderr");
    else if (channel === channels.error) end = endOf(new TextDecoder().decode(bytes));
  };
  socket.onclose = ({ reason }) => {
    signal.removeEventListener("abort", stop);
    ended.resolve(end ?? { exitCode: undefined, message: reason });
    if (!isOpen) void reasonOfRefusal(path).then(opened.reject);
  };
  const stop = () => socket.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const sendTo = (channel: number, bytes: Uint8Array) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    socket.send(message);
  };
  const encoder = new TextEncoder();
  return {
    opened: opened.promise,
    ended: ended.promise,
    write: (text) => sendTo(channels.stdin, typeof text === "string" ? encoder.encode(text) : text),
    endInput: () => sendTo(channels.close, new Uint8Array([channels.stdin])),
    resize: ({ columns, rows }) =>
      sendTo(channels.resize, encoder.encode(JSON.stringify({ Width: columns, Height: rows }))),
  };
}

function protocols(): string[] {
  const [, token] = /^Bearer (.*)$/.exec(authentication()["authorization"] ?? "") ?? [];
  if (token === undefined) return [protocol];
  const text = btoa(token).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return [protocol, tokenProtocol + text];
}

/** A page does not learn why a WebSocket was refused, so the same is requested without one. */
async function reasonOfRefusal(path: string): Promise<Error> {
  try {
    await send(path);
  } catch (error) {
    const isWithoutUpgrade = error instanceof ApiFailure && error.status === 400;
    if (!isWithoutUpgrade) return error as Error;
    return error.message.includes("pgrade") ? new Error("") : error;
  }
  return new Error("");
}

/** The Status that the server sends at the end. */
function endOf(text: string): CommandEnd {
  const status = JSON.parse(text) as Status;
  if (status.status === "Success") return { exitCode: 0, message: "", status };
  const { message = "", details } = status;
  const code = details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  return { exitCode: code === undefined ? undefined : Number(code), message, status };
}
