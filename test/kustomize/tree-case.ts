/** A folder to build, and what is asked for. */
export interface TreeCase {
  readonly name: string;
  /** Files, each after a line `## PATH`; `## PATH -> TARGET` is a symbolic link; one that begins with `#!` can be run. */
  readonly tree: string;
  /** The arguments after `kubectl kustomize`; the folder itself unless something else is given. */
  readonly args?: readonly string[];
}

/** What upstream's kubectl has answered; the folder of the case reads $DIR. */
export interface TreeAnswer {
  readonly name: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written to files, if anything was. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface TreeFile {
  readonly path: string;
  readonly text: Buffer;
  readonly link: string | undefined;
}

/** The files of a tree. */
export function filesOf(tree: string): TreeFile[] {
  return tree
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      const [path = "", link] = part.slice(0, end).split(" -> ");
      return { path, text: decode(part.slice(end + 1)), link };
    });
}

/** `base64:` in front of a text stands for bytes; the rest of the file must be nothing else. */
function decode(text: string): Buffer {
  return text.startsWith("base64:")
    ? Buffer.from(text.slice("base64:".length).trim(), "base64")
    : Buffer.from(text);
}
