/** A block of commands in a Markdown document that a reader can paste. */
export interface ShellBlock {
  readonly file: string;
  readonly line: number;
  readonly commands: string;
}

/**
 * The blocks that are marked as `sh`. Blocks without a mark are not run: they wait for input or need another machine.
 */
export function shellBlocks(file: string, text: string): ShellBlock[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + 1,
    commands: match[1] ?? "",
  }));
}
