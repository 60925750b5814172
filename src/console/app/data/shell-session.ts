import { signal } from "@preact/signals";
import {
  attachPath,
  type ContainerId,
  debugPatch,
  debugPath,
  hasNoShell,
  shellPath,
} from "../model/shell.ts";
import { ShownTerminal } from "../terminal/shown-terminal.ts";
import { send } from "./api.ts";
import { openRemoteCommand, type RemoteCommand, type TerminalSize } from "./remote-command.ts";

/** How a shell is: its end says why there is none any more. */
export type ShellState =
  | { readonly name: "opening" }
  | { readonly name: "open" }
  /** The shell ended by itself. */
  | { readonly name: "ended"; readonly exitCode: number }
  | { readonly name: "noShell" }
  | { readonly name: "lost"; readonly message: string };

/** A terminal with a shell in a container. It may be started again, with the same text on the screen. */
export class ShellSession {
  readonly shown = new ShownTerminal((text) => this.#type(text));
  readonly state = signal<ShellState>({ name: "opening" });
  readonly #id: ContainerId;
  readonly #signal: AbortSignal;
  readonly #path: (id: ContainerId) => string;
  #command: RemoteCommand | undefined;

  /** `way` says whether a shell is started, or what runs already is used. */
  constructor(id: ContainerId, way: "exec" | "attach", stop: AbortSignal) {
    this.#id = id;
    this.#signal = stop;
    this.#path = way === "exec" ? shellPath : attachPath;
    this.start();
  }

  /** Starts a shell, unless one is open. */
  start(): void {
    if (this.#command) return;
    void this.#run();
  }

  resize(size: TerminalSize): void {
    this.#command?.resize(size);
  }

  #type(text: string): void {
    if (this.#command) this.#command.write(text);
    else if (text.includes("\r") && this.state.peek().name !== "noShell") this.start();
  }

  async #run(): Promise<void> {
    this.state.value = { name: "opening" };
    const command = openRemoteCommand({
      path: this.#path(this.#id),
      signal: this.#signal,
      output: (bytes, stream) => this.shown.writeBytes(bytes, stream),
    });
    this.#command = command;
    try {
      await command.opened;
      this.state.value = { name: "open" };
      const { columns, rows } = this.shown.terminal.screen;
      command.resize({ columns, rows });
      const { exitCode, message } = await command.ended;
      this.state.value = endState(exitCode, message);
    } catch (error) {
      this.state.value = endState(undefined, (error as Error).message);
    }
    this.#command = undefined;
  }
}

function endState(exitCode: number | undefined, message: string): ShellState {
  if (exitCode === 126 || exitCode === 127 || hasNoShell(message)) return { name: "noShell" };
  return exitCode === undefined ? { name: "lost", message } : { name: "ended", exitCode };
}

/** Adds a debug container to a Pod. */
export async function addDebugContainer(
  id: ContainerId,
  { name, image }: { readonly name: string; readonly image: string },
): Promise<void> {
  await send(debugPath(id), {
    method: "PATCH",
    contentType: "application/strategic-merge-patch+json",
    body: debugPatch(name, image, id.container),
  });
}
