/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/auth_loaders.go (PromptingAuthLoader). */
import type { User } from "#/client/kubeconfig/kubeconfig.ts";
import { CommandError, ExitError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";

type Asked = Pick<Host, "out" | "stdin" | "terminal">;

/** Prompts for a name and a password; only a terminal can hide the latter. */
export async function promptCredentials({ out, stdin, terminal }: Asked): Promise<User> {
  const keys = new Keys(stdin);
  out.write("Please enter Username: ");
  const username = await keys.word();
  out.write("Please enter Password: ");
  if (!stdin.isTerminal || terminal === undefined) {
    throw new CommandError("error reading input for Password");
  }
  terminal.setRaw(true);
  try {
    return { username, password: await keys.line() };
  } finally {
    terminal.setRaw(false);
  }
}

const interruptKey = "\x03";

/** Standard input by characters. Characters after the last one read are left in it. */
class Keys {
  readonly #input: AsyncIterator<Uint8Array>;
  #pending = "";

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next word; skips spaces and empty lines before it. */
  async word(): Promise<string> {
    let word = "";
    for (;;) {
      const char = await this.#next();
      if (char !== undefined && !/\s/.test(char)) word += char;
      else if (word !== "") return word;
      else if (char === undefined) throw new CommandError("EOF");
    }
  }

  /** The text before the end of the line, or of the input. */
  async line(): Promise<string> {
    let line = "";
    for (;;) {
      const char = await this.#next();
      if (char === interruptKey) throw new ExitError(130);
      if (char === undefined || char === "\n" || char === "\r") return line;
      line += char;
    }
  }

  async #next(): Promise<string | undefined> {
    if (this.#pending === "") {
      const { done, value } = await this.#input.next();
      if (done) return undefined;
      this.#pending = Buffer.from(value).toString();
    }
    const [char = ""] = this.#pending;
    this.#pending = this.#pending.slice(char.length);
    return char;
  }
}
